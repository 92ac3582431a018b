/* SPDX-License-Identifier: Apache-2.0 */
/* One feature, normal within each grade, with means that increase with the grade: the simulation of
 * Uematsu and Lee, "Statistical optimality in multipartite ranking and ordinal regression" (2013),
 * section 6.1, whose optimal ranking functions are known in closed form. */
#include "data/synth/synth_draw.h"
#include "data/synth/synth_grades.h"
#include "data/synth/synth.h"

#include <stdlib.h>

typedef struct mixture_options {
    uint64_t rows; /* per grade */
    const char *means;
    double sd;
    uint64_t first_label;
    uint64_t queries, first_query, seed;
} mixture_options;

static const gr_param mixture_params[] = {
    GR_PARAM_COUNT(mixture_options, rows, "rows", "N", 500, 1, 1000000,
                   "rows per grade in each query"),
    GR_PARAM_TEXT(mixture_options, means, "means", "LIST", "-2,0,2",
                  "mean of the feature in each grade, lowest grade first"),
    GR_PARAM_REAL(mixture_options, sd, "sd", "X", 1, 0, 1e6,
                  "standard deviation of the feature in every grade"),
    GR_PARAM_COUNT(mixture_options, first_label, "first-label", "N", 1, 0, 1,
                   "label of the lowest grade"),
    GR_PARAM_COUNT(mixture_options, queries, "queries", "N", 1, 1, GR_SYNTH_MAX,
                   "number of queries"),
    GR_PARAM_COUNT(mixture_options, first_query, "first-query", "N", 1, 1, GR_SYNTH_MAX,
                   "number of the first query; other numbers give new rows"),
    GR_PARAM_COUNT(mixture_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "random seed; the set depends only on it and the other options"),
    GR_PARAM_END,
};

const gr_operation gr_operation_synth_mixture = {
    .name = "synth mixture",
    .summary = "one feature, normal within each grade",
    .params = mixture_params,
    .size = sizeof(mixture_options),
};

typedef struct mixture_plan {
    mixture_options options;
    double means[GR_GRADES];
    size_t grades;
} mixture_plan;

static gradus_status mixture_prepare(const void *values, gr_pool *pool, gr_synth_shape *shape,
                                     void **made, gradus_error *err)
{
    const mixture_options *options = values;
    mixture_plan *plan = calloc(1, sizeof *plan);

    (void)pool;
    *made = plan;
    if (!plan)
        return gr_fail_memory(err, "a synthetic set");
    plan->options = *options;
    GR_TRY(gr_number_list("means", options->means, -1e6, 1e6, plan->means, &plan->grades, err));
    const size_t rows = (size_t)options->rows * plan->grades;

    *shape = (gr_synth_shape){ 1, false, options->queries, options->first_query,
                               rows < 4096 ? 4096 / rows : 1 };
    return GRADUS_OK;
}

/* Grades alternate, so that any range of rows is balanced. */
static gradus_status mixture_make(const void *made, uint64_t number, gr_synth_block *block,
                                  gradus_error *err)
{
    const mixture_plan *plan = made;
    const size_t rows = (size_t)plan->options.rows * plan->grades;
    gr_rng rng = gr_rng_for(plan->options.seed, "mixture query", number);
    gr_synth_query query;

    GR_TRY(gr_synth_begin(block, number, rows, &query, err));
    for (size_t r = 0; r < rows; r++) {
        const size_t grade = r % plan->grades;

        query.labels[r] = (float)(grade + plan->options.first_label);
        query.values[r] =
            gr_round_digits(plan->means[grade] + plan->options.sd * gr_rng_normal(&rng));
    }
    return GRADUS_OK;
}

const gr_synth gr_synth_mixture = {
    .about = { .name = "mixture",
               .summary = "one feature, normal within each grade, in one query",
               .details =
                   "Given grade k the feature is normal with mean means[k] and standard deviation "
                   "sd; by default N(-2,1), N(0,1) and N(2,1) for labels 1, 2 and 3, with 500 "
                   "rows each, alternating. The simulation of Uematsu and Lee, \"Statistical "
                   "optimality in multipartite ranking and ordinal regression\" (2013), section "
                   "6.1: with these defaults the optimal ranking for equal costs is that of "
                   "(exp(2x) + exp(2)) / (exp(-2x) + exp(2)), which increases with x. Values are "
                   "rounded to six digits." },
    .operation = &gr_operation_synth_mixture,
    .prepare = mixture_prepare,
    .make = mixture_make,
    .end = free,
};
