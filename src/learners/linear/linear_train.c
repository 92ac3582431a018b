/* SPDX-License-Identifier: Apache-2.0 */
/* Fits linear models: sums over the rows once, then the least squares fit of each output. */
#include "learners/linear/linear.h"
#include "learners/linear/sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit of stored numbers: products and sums of them are finite. */
#define MAX 1e100

gradus_status gr_linear_new(gr_linear *linear, size_t features, size_t outputs, gradus_error *err)
{
    *linear = (gr_linear){ .features = features, .outputs = outputs };
    linear->own = gr_new_array((outputs + 2) * features + outputs, sizeof *linear->own);
    if (!linear->own)
        return gr_fail_memory(err, "a linear model");
    linear->means = linear->own;
    linear->spreads = linear->own + features;
    linear->coefficients = linear->own + 2 * features;
    linear->bases = linear->own + (outputs + 2) * features;
    return GRADUS_OK;
}

gradus_status gr_linear_copy(const gr_linear *from, gr_linear *to, gradus_error *err)
{
    const size_t features = from->features, outputs = from->outputs;

    GR_TRY(gr_linear_new(to, features, outputs, err));
    memcpy(to->own, from->means, features * sizeof *to->own);
    memcpy(to->own + features, from->spreads, features * sizeof *to->own);
    memcpy(to->own + 2 * features, from->coefficients, outputs * features * sizeof *to->own);
    memcpy(to->own + (outputs + 2) * features, from->bases, outputs * sizeof *to->own);
    return GRADUS_OK;
}

void gr_linear_free(gr_linear *linear)
{
    free(linear->own);
    *linear = (gr_linear){ .features = 0 };
}

static bool all_within(const double *values, size_t count, double most)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(values[i]) <= most))
            return false;
    return true;
}

gradus_status gr_linear_check(const gr_linear *linear, gradus_error *err)
{
    if (linear->outputs == 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "the linear model has no outputs");
    if (!all_within(linear->means, linear->features, MAX) ||
        !all_within(linear->spreads, linear->features, MAX) ||
        !all_within(linear->bases, linear->outputs, MAX) ||
        !all_within(linear->coefficients, linear->outputs * linear->features, MAX))
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "a number of the linear model is not finite, or beyond 1e100");
    for (size_t f = 0; f < linear->features; f++)
        if (linear->spreads[f] < 0.0)
            return gr_fail(err, GRADUS_BAD_FORMAT, "a standard deviation is below 0");
    return GRADUS_OK;
}

/* Prints a note such as "3 features are constant, 2 are linear combinations of others: left
 * out". */
static void note_left_out(const gradus_context *context, const gr_linear_fit *fit,
                          const char *where)
{
    const size_t counts[] = { fit->constant, fit->collinear, fit->eliminated };
    static const char *const words[][2] = {
        { "is constant", "are constant" },
        { "is a linear combination of others", "are linear combinations of others" },
        { "does not improve the fit", "do not improve the fit" },
    };
    char text[200] = "";

    for (size_t i = 0; i < 3; i++) {
        const size_t used = strlen(text);

        if (counts[i] == 0)
            continue;
        snprintf(text + used, sizeof text - used, used ? ", %zu %s%s" : "%zu %s%s", counts[i],
                 used             ? ""
                 : counts[i] == 1 ? "feature "
                                  : "features ",
                 words[i][counts[i] > 1]);
    }
    if (text[0])
        gr_note(context, "%s%s: left out", where, text);
}

static bool same_left_out(const gr_linear_fit *a, const gr_linear_fit *b)
{
    return a->constant == b->constant && a->collinear == b->collinear &&
           a->eliminated == b->eliminated;
}

static void note_fits(const gradus_context *context, const gr_linear_fit *fits, const bool *empty,
                      size_t outputs)
{
    bool same = true;

    for (size_t k = 1; k < outputs; k++)
        same = same && same_left_out(&fits[k], &fits[0]) && !empty[k] && !empty[0];
    for (size_t k = 0; k < outputs; k++) {
        char where[40] = "";

        if (outputs > 1 && !same)
            snprintf(where, sizeof where, "output %zu: ", k + 1);
        if (empty[k])
            gr_note(context, "%severy row has weight 0; it predicts the mean of its target", where);
        else if (!same || k == 0)
            note_left_out(context, &fits[k], where);
    }
}

/* Buffers for one output's equations. */
typedef struct bench {
    double *products, *with_target, *means;
    gr_linear_fit *fits; /* [output] */
    bool *empty;
} bench;

static gradus_status fit_outputs(const gradus_context *context, const gr_sums *sums,
                                 const gr_linear_options *options, bench *room, gr_linear *linear,
                                 gradus_error *err)
{
    double *coefficients = linear->own + 2 * linear->features;
    double *bases = linear->own + (linear->outputs + 2) * linear->features;
    gr_linear_options asking = *options;

    asking.asked = gr_pool_of(context);
    for (size_t k = 0; k < linear->outputs; k++) {
        const gr_linear_moments moments =
            gr_sums_moments(sums, k, room->products, room->with_target, room->means);
        gr_linear_fit *fit = &room->fits[k];

        fit->coefficients = coefficients + k * linear->features;
        room->empty[k] = !(moments.weight > 0.0);
        GR_TRY(gr_least_squares(&moments, NULL, 0, &asking, fit, err));
        bases[k] = fit->intercept;
        GR_TRY(gr_progress(context, "solving", (double)(k + 1) / (double)linear->outputs, err));
    }
    note_fits(context, room->fits, room->empty, linear->outputs);
    return GRADUS_OK;
}

gradus_status gr_linear_train(const gradus_context *context, const gradus_dataset *data,
                              const gr_problem *problem, const gr_linear_options *options,
                              gr_linear *linear, gradus_error *err)
{
    const size_t features = data->arrays.features, outputs = problem->outputs;
    gr_sums sums = { .features = 0 };
    bench room = { .products = NULL };
    gradus_status status = gr_linear_new(linear, features, outputs, err);

    if (status == GRADUS_OK)
        status = gr_sums_of(context, data, problem, &sums, err);
    if (status == GRADUS_OK) {
        memcpy(linear->own, sums.means, features * sizeof *linear->own);
        gr_sums_spreads(&sums, linear->own + features);
        room = (bench){ gr_new_array(sums.columns * sums.columns, sizeof(double)),
                        gr_new_array(sums.columns, sizeof(double)),
                        gr_new_array(sums.columns, sizeof(double)),
                        gr_new_array(outputs, sizeof(gr_linear_fit)),
                        gr_new_array(outputs, sizeof(bool)) };
        if (room.products && room.with_target && room.means && room.fits && room.empty)
            status = fit_outputs(context, &sums, options, &room, linear, err);
        else
            status = gr_fail_memory(err, "the equations of least squares");
    }
    free(room.products);
    free(room.with_target);
    free(room.means);
    free(room.fits);
    free(room.empty);
    gr_sums_free(&sums);
    if (status != GRADUS_OK)
        gr_linear_free(linear);
    return status;
}
