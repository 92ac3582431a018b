/* Rounds of Gaussians: as learners/boost/boost.c does with trees. */
#include "base/clock.h"
#include "learners/boost/sample.h"
#include "learners/gaussians/search.h"
#include "objectives/cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gr_gaussian_booster {
    const gradus_context *context;
    gr_pool *pool;
    const gradus_dataset *data;
    const gr_problem *problem;
    const gr_objective *objective;
    gr_boost_options options;
    void *state; /* of the objective */
    gr_gaussian_search search;
    gr_gaussians terms;
    gr_array scores;              /* double, outputs x rows */
    gr_array gradients, hessians; /* float, outputs x rows */
    gr_array steps;               /* double, rows */
    gr_array sample;              /* uint32_t, rows; not there if all rows are seen */
    gr_threshold_log thresholds;
    bool separated;
    double preparing;
};

void gr_gaussian_booster_free(gr_gaussian_booster *b)
{
    if (!b)
        return;
    if (b->objective->end)
        b->objective->end(b->state);
    gr_gaussian_search_free(&b->search);
    gr_gaussians_free(&b->terms);
    gr_array_free(&b->scores);
    gr_array_free(&b->gradients);
    gr_array_free(&b->hessians);
    gr_array_free(&b->steps);
    gr_array_free(&b->sample);
    gr_array_free(&b->thresholds.numbers);
    free(b);
}

static gradus_status make_room(gr_gaussian_booster *b, gradus_error *err)
{
    size_t cells, bytes;

    if (!gr_size_times(b->problem->rows, b->problem->outputs, &cells) ||
        !gr_size_times(cells, sizeof(double), &bytes) || !gr_array_reserve(&b->scores, bytes) ||
        !gr_array_reserve(&b->gradients, cells * sizeof(float)) ||
        !gr_array_reserve(&b->hessians, cells * sizeof(float)) ||
        !gr_array_reserve(&b->steps, b->problem->rows * sizeof(double)) ||
        (gr_samples_rows(&b->options) &&
         !gr_array_reserve(&b->sample, b->problem->rows * sizeof(uint32_t))))
        return gr_fail_memory(err, "scores and gradients");
    return GRADUS_OK;
}

static gradus_status start_terms(gr_gaussian_booster *b, const gr_gaussians *start,
                                 bool from_scores, gradus_error *err)
{
    double *bases;
    gradus_status status;

    if (start)
        return gr_gaussians_copy(start, SIZE_MAX, &b->terms, err);
    bases = gr_new_array(b->problem->outputs, sizeof *bases);
    if (!bases)
        return gr_fail_memory(err, "starting scores");
    if (!from_scores)
        b->objective->bases(b->state, b->problem, bases);
    status =
        gr_gaussians_start(&b->terms, b->data->arrays.features, b->problem->outputs, bases, err);
    free(bases);
    return status;
}

static gradus_status set_up(gr_gaussian_booster *b, const gr_gaussian_options *options,
                            const gr_gaussians *start, const double *initial, gradus_error *err)
{
    const size_t rows = b->problem->rows;
    const double started = gr_seconds();
    gr_bin_options bin = b->options.bin;
    double *scores;

    bin.seed = b->options.seed;
    GR_TRY(b->objective->begin(b->problem, &b->options.objective, b->pool, &b->state, err));
    GR_TRY(start_terms(b, start, initial != NULL, err));
    GR_TRY(gr_gaussian_search_new(b->data, options, &bin, b->context, &b->search, err));
    b->preparing = gr_seconds() - started;
    GR_TRY(make_room(b, err));
    scores = b->scores.at;
    for (size_t k = 0; k < b->problem->outputs; k++)
        for (size_t r = 0; r < rows; r++)
            scores[k * rows + r] = b->terms.bases[k] + (initial ? initial[k * rows + r] : 0.0);
    GR_TRY(gr_gaussians_add_scores(&b->terms, 0, gr_gaussians_rounds(&b->terms), b->data, scores,
                                   b->pool, err));
    return gr_thresholds_start(&b->thresholds, b->objective, b->state, b->problem,
                               &b->options.objective, scores, b->pool, err);
}

gr_gaussian_booster *
gr_gaussian_booster_new(const gradus_context *context, const gradus_dataset *data,
                        const gr_problem *problem, const gr_objective *objective,
                        const gr_boost_options *boost, const gr_gaussian_options *options,
                        const gr_gaussians *start, const double *initial, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gr_gaussian_booster *b = calloc(1, sizeof *b);

    if (!b) {
        gr_fail_memory(err, "boosting");
        return NULL;
    }
    b->context = context;
    b->pool = gr_pool_of(context);
    b->data = data;
    b->problem = problem;
    b->objective = objective;
    b->options = *boost;
    if (set_up(b, options, start, initial, &failure) != GRADUS_OK) {
        gr_fail(err, failure.status, "%s", failure.message);
        gr_gaussian_booster_free(b);
        return NULL;
    }
    return b;
}

/* Rows outside the round's sample pull nowhere. */
static void leave_out(gr_gaussian_booster *b, uint64_t round)
{
    const size_t rows = b->problem->rows;
    const uint32_t *sample = b->sample.at;
    const size_t count = gr_sample_rows(b->problem, &b->options, round, b->sample.at, NULL);
    float *gradients = b->gradients.at, *hessians = b->hessians.at;

    for (size_t k = 0; k < b->problem->outputs; k++)
        for (size_t r = 0, i = 0; r < rows; r++)
            if (i < count && sample[i] == r)
                i++;
            else
                gradients[k * rows + r] = hessians[k * rows + r] = 0.0f;
}

enum { ROWS_AT_ONCE = 1 << 14 };

typedef struct step_work {
    gr_gaussian_booster *booster;
    const gr_gaussian *term;
} step_work;

static void fill_steps(void *argument, size_t index, size_t worker)
{
    const step_work *work = argument;
    const gradus_dataset *data = work->booster->data;
    const size_t rows = data->arrays.rows, first = index * ROWS_AT_ONCE;
    const size_t end = rows - first < ROWS_AT_ONCE ? rows : first + ROWS_AT_ONCE;
    double *steps = work->booster->steps.at, kernel[GR_GAUSSIAN_ROWS];
    float values[GR_GAUSSIAN_ROWS];

    (void)worker;
    for (size_t r = first; r < end; r += GR_GAUSSIAN_ROWS) {
        const size_t count = end - r < GR_GAUSSIAN_ROWS ? end - r : GR_GAUSSIAN_ROWS;

        for (size_t i = 0; i < count; i++)
            values[i] = gr_dataset_value(data, r + i, (size_t)work->term->feature);
        gr_gaussian_kernel(work->term, values, 1, count, kernel);
        for (size_t i = 0; i < count; i++)
            steps[r + i] = kernel[i] - work->term->offset;
    }
}

/* One term for an output: the best kernel, its weight stretched to where the loss is least. */
static gradus_status add_term(gr_gaussian_booster *b, size_t k, bool *grew, gradus_error *err)
{
    const size_t rows = b->problem->rows;
    double *steps = b->steps.at, *scores = (double *)b->scores.at + k * rows, share = 1.0;
    gr_gaussian term = gr_gaussian_search_run(&b->search, (const float *)b->gradients.at + k * rows,
                                              (const float *)b->hessians.at + k * rows,
                                              b->options.tree.l2, b->pool);
    step_work work = { b, &term };

    if (term.weight == 0.0) { /* nothing is better than to stay */
        term = (gr_gaussian){ .bandwidth = 1.0 };
        return gr_gaussians_add(&b->terms, &term, err);
    }
    gr_pool_run(b->pool, (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, fill_steps, &work);
    for (size_t r = 0; r < rows; r++)
        steps[r] *= term.weight;
    if (b->objective->stretch)
        GR_TRY(b->objective->stretch(b->state, b->problem, scores, steps, b->pool, &share, err));
    gr_pool_run(b->pool, (rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, fill_steps, &work);
    term.weight *= b->options.learning_rate * share;
    if (!isfinite(term.weight) || fabs(term.weight) > 1e100)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "the weight of a kernel is not finite: the learning rate is too high, or "
                       "the targets too large");
    for (size_t r = 0; r < rows; r++)
        scores[r] += term.weight * steps[r];
    *grew = true;
    return gr_gaussians_add(&b->terms, &term, err);
}

gradus_status gr_gaussian_booster_step(gr_gaussian_booster *b, bool *grew, gradus_error *err)
{
    const uint64_t round = gr_gaussians_rounds(&b->terms);

    *grew = false;
    GR_TRY(b->objective->gradients(b->state, b->problem, b->scores.at, b->gradients.at,
                                   b->hessians.at, b->pool, err));
    if (gr_samples_rows(&b->options))
        leave_out(b, round);
    for (size_t k = 0; k < b->problem->outputs; k++)
        GR_TRY(add_term(b, k, grew, err));
    GR_TRY(gr_thresholds_follow(&b->thresholds, b->objective, b->state, b->problem, b->scores.at,
                                b->pool, &b->separated, err));
    if (b->separated) {
        *grew = false;
        gr_note(b->context,
                "round %llu tells the grades apart without doubt: scores and thresholds would only "
                "run away from here on, and training stops",
                (unsigned long long)round + 1);
    }
    return GRADUS_OK;
}

const gr_gaussians *gr_gaussian_booster_terms(const gr_gaussian_booster *b)
{
    return &b->terms;
}

const double *gr_gaussian_booster_scores(const gr_gaussian_booster *b)
{
    return b->scores.at;
}

const double *gr_gaussian_booster_thresholds(const gr_gaussian_booster *b, size_t *sets)
{
    return gr_thresholds_all(&b->thresholds, sets);
}

bool gr_gaussian_booster_separated(const gr_gaussian_booster *b)
{
    return b->separated;
}

double gr_gaussian_booster_preparing(const gr_gaussian_booster *b)
{
    return b->preparing;
}
