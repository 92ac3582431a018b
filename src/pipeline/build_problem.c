/* SPDX-License-Identifier: Apache-2.0 */
/* Turns labels into a learning problem: the distinct grades, the level of each row, targets and
 * weights by level. */
#include "pipeline/train.h"

#include "base/bisect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gr_built_problem_free(gr_built_problem *built)
{
    gr_array_free(&built->level_of);
    gr_array_free(&built->row_weights);
    free(built->level_labels);
    free(built->shares);
    free(built->targets);
    free(built->weights);
    *built = (gr_built_problem){ .problem = { .rows = 0 } };
}

/* The index of a label among the levels, or of the first level above it. */
static size_t place_of(const double *levels, size_t count, double label)
{
    return GR_BISECT(0, count, i, levels[i] < label);
}

static gradus_status find_levels(const gradus_arrays *arrays, gr_built_problem *built,
                                 gradus_error *err)
{
    double *levels = gr_new_array(GR_MAX_LEVELS, sizeof *levels);
    size_t count = 0;

    built->level_labels = levels;
    if (!levels)
        return gr_fail_memory(err, "grades");
    for (size_t r = 0; r < arrays->rows; r++) {
        const double label = (double)arrays->labels[r];
        const size_t at = place_of(levels, count, label);

        if (at < count && levels[at] == label)
            continue;
        if (count == GR_MAX_LEVELS)
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "the method takes at most %d different grades, but the data have more",
                           GR_MAX_LEVELS);
        memmove(levels + at + 1, levels + at, (count - at) * sizeof *levels);
        levels[at] = label;
        count++;
    }
    built->problem.levels = count;
    built->problem.level_labels = levels;
    return GRADUS_OK;
}

static gradus_status level_rows(const gradus_arrays *arrays, gr_built_problem *built,
                                gradus_error *err)
{
    uint8_t *level_of;

    if (!gr_array_reserve(&built->level_of, arrays->rows))
        return gr_fail_memory(err, "the grades of rows");
    level_of = built->level_of.at;
    for (size_t r = 0; r < arrays->rows; r++)
        level_of[r] = (uint8_t)place_of(built->level_labels, built->problem.levels,
                                        (double)arrays->labels[r]);
    built->problem.level_of = level_of;
    return GRADUS_OK;
}

/* Computes the fraction of the total weight that each grade has. */
static gradus_status share_out(gr_built_problem *built, gradus_error *err)
{
    const gr_problem *problem = &built->problem;
    double sum = 0.0;

    built->shares = gr_new_array(problem->levels, sizeof *built->shares);
    if (!built->shares)
        return gr_fail_memory(err, "the grade fractions");
    for (size_t r = 0; r < problem->rows; r++)
        built->shares[problem->level_of[r]] +=
            problem->row_weights ? (double)problem->row_weights[r] : 1.0;
    for (size_t l = 0; l < problem->levels; l++)
        sum += built->shares[l];
    for (size_t l = 0; l < problem->levels; l++)
        built->shares[l] /= sum;
    return GRADUS_OK;
}

/* The product of row weight and query weight. */
static gradus_status weigh_rows(const gradus_arrays *arrays, gr_built_problem *built,
                                gradus_error *err)
{
    float *weights;
    double sum = 0.0;

    if (!arrays->row_weights && !arrays->query_weights)
        return GRADUS_OK;
    if (!gr_array_reserve(&built->row_weights, arrays->rows * sizeof *weights))
        return gr_fail_memory(err, "the weights of rows");
    weights = built->row_weights.at;
    for (size_t q = 0; q < arrays->queries; q++)
        for (uint64_t r = arrays->query_starts[q]; r < arrays->query_starts[q + 1]; r++) {
            weights[r] = (arrays->row_weights ? arrays->row_weights[r] : 1.0f) *
                         (arrays->query_weights ? arrays->query_weights[q] : 1.0f);
            sum += (double)weights[r];
        }
    if (!(sum > 0.0) || !isfinite(sum))
        return gr_fail(err, GRADUS_BAD_NUMBER, "the weights of all rows sum to %s",
                       sum > 0.0 ? "infinity" : "0: there is nothing to learn from");
    built->problem.row_weights = weights;
    return GRADUS_OK;
}

static bool all_are(double wanted, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != wanted)
            return false;
    return true;
}

static gradus_status fill_tables(const gr_reduction *reduction, const gr_cost_choice *cost,
                                 gr_built_problem *built, gradus_error *err)
{
    gr_problem *problem = &built->problem;
    const size_t cells = problem->outputs * problem->levels;

    built->targets = gr_new_array(cells, sizeof *built->targets);
    built->weights = gr_new_array(cells, sizeof *built->weights);
    if (!built->targets || !built->weights)
        return gr_fail_memory(err, "the targets of grades");
    for (size_t k = 0; k < problem->outputs; k++)
        gr_reduction_pose(reduction, k, problem->levels, problem->level_labels, cost,
                          built->targets + k * problem->levels,
                          built->weights + k * problem->levels);
    problem->targets = built->targets;
    problem->weights = all_are(1.0, built->weights, cells) ? NULL : built->weights;
    if (reduction->takes_cost && all_are(0.0, built->weights, cells))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the cost is the same for every mistake: there is nothing to learn from");
    for (size_t c = 0; c < cells; c++)
        if (!isfinite(built->targets[c]) || !isfinite(built->weights[c]) ||
            built->weights[c] > 1e30 || built->targets[c] > 1e30)
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "grades up to %g give targets or costs that are too large to fit",
                           problem->level_labels[problem->levels - 1]);
    return GRADUS_OK;
}

static gradus_status pose_grades(const gradus_dataset *data, const gr_ranker *ranker,
                                 const gr_reduction *reduction, const gr_cost_choice *cost,
                                 gr_built_problem *built, gradus_error *err)
{
    gr_problem *problem = &built->problem;

    GR_TRY(gr_dataset_check_grades(data, 1e9, err));
    GR_TRY(find_levels(&data->arrays, built, err));
    if (problem->levels < ranker->least_levels)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "all rows have the grade %g: '%s' needs rows of at least %zu grades",
                       problem->level_labels[0], ranker->about.name, ranker->least_levels);
    if (reduction->takes_cost)
        GR_TRY(gr_cost_covers(cost, problem->level_labels[problem->levels - 1], err));
    GR_TRY(level_rows(&data->arrays, built, err));
    GR_TRY(share_out(built, err));
    problem->outputs = gr_reduction_outputs(reduction, problem->levels);
    return fill_tables(reduction, cost, built, err);
}

gradus_status gr_problem_build(const gradus_dataset *data, const gr_ranker *ranker,
                               const gr_reduction *reduction, const gr_cost_choice *cost,
                               gr_built_problem *built, gradus_error *err)
{
    const gradus_arrays *arrays = &data->arrays;

    *built = (gr_built_problem){ .problem = { .rows = arrays->rows,
                                              .queries = arrays->queries,
                                              .query_starts = arrays->query_starts,
                                              .labels = arrays->labels,
                                              .outputs = 1 } };
    if (arrays->rows >= UINT32_MAX)
        return gr_fail(err, GRADUS_BAD_NUMBER, "training takes at most %u rows", UINT32_MAX - 1u);
    GR_TRY(weigh_rows(arrays, built, err));
    if (!ranker->needs_grades && reduction != ranker->of_gain &&
        reduction->meaning == GR_MEANS_SCORE)
        return GRADUS_OK; /* labels are the targets */
    return pose_grades(data, ranker, reduction, cost, built, err);
}
