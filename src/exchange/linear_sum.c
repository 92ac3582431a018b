/* SPDX-License-Identifier: Apache-2.0 */
/* Builds linear sums: the equations of linear nodes, added with their weights. */
#include "exchange/linear_sum.h"

#include "exchange/score_terms.h"
#include "learners/linear/linear.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const holds = "linear functions";

/* Adds an output of a node's equations. */
static void add_equation(const gr_node *node, size_t k, double weight, gr_linear_sum *sum)
{
    const gr_linear *linear = node->state;
    const double *coefficients = linear->coefficients + k * linear->features;

    sum->intercept += weight * linear->bases[k];
    for (size_t f = 0; f < linear->features; f++) {
        const size_t to = node->columns ? node->columns[f] : f;

        sum->coefficients[to] += weight * coefficients[f];
        sum->intercept -= weight * coefficients[f] * linear->means[f];
        sum->fill[to] = linear->means[f];
    }
}

static gradus_status check_node(const gradus_model *model, const gr_node *node, const char *format,
                                gradus_error *err)
{
    const gr_fitted_transform *fitted = &model->transform;
    char found[80];

    if (node->kind != &gr_node_linear) {
        snprintf(found, sizeof found, "a %.60s", node->kind->noun);
        return gr_fail_format(format, holds, found, err);
    }
    if (node->transform)
        return gr_fail_format(format, holds, "members with different transforms", err);
    if (fitted->transform && fitted->transform->by_query)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the transform '%s' depends on the other documents of the query, which "
                       "'%s' does not see",
                       fitted->transform->about.name, format);
    return GRADUS_OK;
}

/* Members that were trained on different rows differ in what they take for a missing value. */
static gradus_status check_fill(const gr_node *node, const gr_linear_sum *sum, bool first,
                                const char *format, gradus_error *err)
{
    const gr_linear *linear = node->state;

    for (size_t f = 0; !first && f < linear->features; f++)
        if (linear->means[f] != sum->fill[node->columns ? node->columns[f] : f])
            return gr_fail_format(format, holds, "members with different means of features", err);
    return GRADUS_OK;
}

static gradus_status add_nodes(const gradus_model *model, const char *format,
                               const gr_score_terms *terms, gr_linear_sum *sum, gradus_error *err)
{
    bool first = true;

    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        for (size_t k = 0; k < node->kind->columns(node->state); k++) {
            const double weight = terms->weights[node->column + k];

            if (weight == 0.0)
                continue;
            GR_TRY(check_node(model, node, format, err));
            GR_TRY(check_fill(node, sum, first, format, err));
            add_equation(node, k, weight, sum);
            first = false;
        }
    }
    bool finite = isfinite(sum->intercept);

    for (size_t f = 0; f < sum->features; f++)
        finite = finite && isfinite(sum->coefficients[f]);
    return finite ? GRADUS_OK
                  : gr_fail(err, GRADUS_BAD_NUMBER, "the sum of the model's equations overflows");
}

gradus_status gr_linear_sum_build(const gradus_model *model, const char *format, gr_linear_sum *sum,
                                  gradus_error *err)
{
    gr_score_terms terms;
    gradus_status status;

    *sum = (gr_linear_sum){ .features = model->features,
                            .transform = model->transform.transform ? &model->transform : NULL };
    sum->coefficients = gr_new_array(model->features, sizeof *sum->coefficients);
    sum->fill = gr_new_array(model->features, sizeof *sum->fill);
    if (!sum->coefficients || !sum->fill)
        return gr_fail_memory(err, "an export");
    status = gr_score_terms_build(model, format, holds, &terms, err);
    sum->intercept = terms.constant;
    if (status == GRADUS_OK)
        status = add_nodes(model, format, &terms, sum, err);
    gr_score_terms_free(&terms);
    return status;
}

void gr_linear_sum_free(gr_linear_sum *sum)
{
    free(sum->coefficients);
    free(sum->fill);
    *sum = (gr_linear_sum){ 0 };
}
