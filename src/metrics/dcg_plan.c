/* SPDX-License-Identifier: Apache-2.0 */
/* The gains, discounts and ideal DCGs of lists, and NDCG from DCGs that are computed elsewhere. */
#include "metrics/dcg_plan.h"

#include "base/memory.h"
#include "base/ranges.h"
#include "metrics/gains.h"
#include "metrics/workspace.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 32 }; /* lists that a thread plans at once */

void gr_dcg_plan_free(gr_dcg_plan *plan)
{
    gr_evaluation_end(&plan->evaluation);
    free(plan->discounts);
    free(plan->gains);
    free(plan->ideals);
    *plan = (gr_dcg_plan){ .largest = 0 };
}

/* Whether DCGs by sorted gains are what gr_evaluate would compute. */
static bool can_plan(const gr_lists *lists, const gr_evaluate_options *options,
                     const gr_evaluation *evaluation)
{
    return evaluation->measures.count == 1 &&
           evaluation->measures.at[0].metric == &gr_metric_ndcg &&
           evaluation->settings.convention.ties == GR_TIES_EXPECTED &&
           options->within == GR_WITHIN_QUERY && !lists->part && !lists->judged &&
           !lists->judgements && !lists->absent;
}

static gradus_status allocate(const gr_lists *lists, gr_dcg_plan *plan, gradus_error *err)
{
    const size_t depth = plan->evaluation.measures.at[0].depth;
    gr_value *value = gr_new_array(1, sizeof *value);

    plan->evaluation.values = value;
    for (size_t q = 0; q < lists->queries; q++) {
        const size_t count = (size_t)(lists->starts[q + 1] - lists->starts[q]);

        plan->largest = count > plan->largest ? count : plan->largest;
    }
    plan->depth = gr_least(depth, plan->largest);
    plan->gains = gr_new_array((size_t)lists->starts[lists->queries], sizeof *plan->gains);
    plan->ideals = gr_new_array(lists->queries, sizeof *plan->ideals);
    plan->discounts = gr_new_array(plan->depth, sizeof *plan->discounts);
    if (value)
        value->by_query = gr_new_array(lists->queries, sizeof(double));
    return value && value->by_query && plan->gains && plan->ideals && plan->discounts
               ? GRADUS_OK
               : gr_fail_memory(err, "the gains of documents");
}

typedef struct filling {
    const gr_lists *lists;
    gr_dcg_plan *plan;
    gr_workspace *workspaces; /* one per thread */
    bool *failed;             /* one per block */
} filling;

static void fill_block(void *argument, gr_range range)
{
    const filling *f = argument;
    const gr_lists *lists = f->lists;
    const gr_settings *settings = &f->plan->evaluation.settings;
    const size_t depth = f->plan->evaluation.measures.at[0].depth;
    gr_workspace *workspace = &f->workspaces[range.worker];

    f->failed[range.index] = !gr_workspace_make(workspace, f->plan->largest);
    for (size_t q = range.first; !f->failed[range.index] && q < range.end; q++) {
        /* the ideal order does not depend on the scores */
        const gr_ranked ranked =
            gr_workspace_rank(workspace, lists, q, (gr_needs){ .order = true, .top = 1 }, settings);
        const int shift = gr_gain_shift(&ranked);

        f->plan->ideals[q] = gr_ideal_dcg(&ranked, depth, shift);
        for (uint64_t r = lists->starts[q]; r < lists->starts[q + 1]; r++)
            f->plan->gains[r] = gr_gain_of(&settings->gains, (double)lists->labels[r], shift);
    }
}

static gradus_status fill(const gr_lists *lists, gr_pool *pool, gr_dcg_plan *plan,
                          gradus_error *err)
{
    const size_t blocks = gr_range_count(lists->queries, BLOCK), threads = gr_pool_threads(pool);
    const filling f = { lists, plan, gr_new_array(threads, sizeof *f.workspaces),
                        gr_new_array(blocks, sizeof *f.failed) };
    bool made = f.workspaces && f.failed;

    for (size_t i = 0; i < plan->depth; i++)
        plan->discounts[i] = gr_discount_of(&plan->evaluation.settings, i);
    if (made)
        gr_for_ranges(pool, lists->queries, BLOCK, fill_block, (void *)&f);
    for (size_t b = 0; made && b < blocks; b++)
        made = !f.failed[b];
    for (size_t t = 0; f.workspaces && t < threads; t++)
        gr_workspace_free(&f.workspaces[t]);
    free(f.workspaces);
    free(f.failed);
    return made ? GRADUS_OK : gr_fail_memory(err, "ranked lists");
}

gradus_status gr_dcg_plan_make(const gr_lists *lists, const gr_evaluate_options *options,
                               gr_pool *pool, gr_dcg_plan *plan, bool *fits, gradus_error *err)
{
    gradus_status status;

    *plan = (gr_dcg_plan){ .largest = 0 };
    status = gr_evaluation_configure(lists, options, &plan->evaluation, err);
    *fits = status == GRADUS_OK && can_plan(lists, options, &plan->evaluation) &&
            gr_check_lists(lists, &plan->evaluation, pool, NULL) == GRADUS_OK;
    if (*fits)
        status = allocate(lists, plan, err);
    if (*fits && status == GRADUS_OK)
        status = fill(lists, pool, plan, err);
    if (!*fits || status != GRADUS_OK)
        gr_dcg_plan_free(plan);
    return status;
}

void gr_dcg_plan_drop_gains(gr_dcg_plan *plan)
{
    free(plan->gains);
    plan->gains = NULL;
}

double gr_dcg_plan_mean(gr_dcg_plan *plan, const gr_lists *lists, const double *dcgs)
{
    const gr_measure *measure = &plan->evaluation.measures.at[0];
    const gr_convention *convention = &plan->evaluation.settings.convention;
    gr_value *value = plan->evaluation.values;

    for (size_t q = 0; q < lists->queries; q++) {
        const size_t count = (size_t)(lists->starts[q + 1] - lists->starts[q]);
        const double found = plan->ideals[q] > 0.0 ? fmin(dcgs[q] / plan->ideals[q], 1.0) : NAN;

        value->by_query[q] = gr_outcome_of(measure, convention, count, found).value;
    }
    value->counted = 0;
    gr_mean_over_queries(value, lists, false);
    return value->mean;
}
