/* SPDX-License-Identifier: Apache-2.0 */
/* The container of voting classifiers, and their evaluation. */
#include "learners/adaboost/votes.h"

#include "data/row_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gr_votes_free(gr_votes *votes)
{
    if (votes->own) {
        free(votes->alphas);
        free(votes->starts);
        free(votes->splits);
        free(votes->votes);
    }
    *votes = (gr_votes){ .rounds = 0 };
}

gradus_status gr_votes_start(gr_votes *votes, size_t features, size_t outputs, bool products,
                             gradus_error *err)
{
    *votes =
        (gr_votes){ .features = features, .outputs = outputs, .products = products, .own = true };
    votes->starts = gr_new_array(1, sizeof *votes->starts);
    return votes->starts ? GRADUS_OK : gr_fail_memory(err, "votes");
}

/* Grows an array, passed as the address of any pointer, to at least the given number of items. */
static bool make_room(void *array, size_t item, size_t wanted, size_t *room)
{
    size_t more = *room, bytes;
    void *grown;

    if (wanted <= *room)
        return true;
    while (more < wanted)
        if (!gr_size_plus(more, more / 2 + 16, &more))
            return false;
    if (!gr_size_times(more, item, &bytes) || !(grown = realloc(*(void **)array, bytes)))
        return false;
    *(void **)array = grown;
    *room = more;
    return true;
}

gradus_status gr_votes_add(gr_votes *votes, const gr_voter *voter, gradus_error *err)
{
    const size_t rounds = votes->rounds, splits = (size_t)votes->starts[rounds];
    const size_t vectors = gr_votes_vectors(votes, rounds);
    const size_t more = votes->products ? 1 : voter->splits + 1;
    size_t alpha_room = votes->round_room, start_room = rounds ? votes->round_room + 1 : 1;

    if (!make_room(&votes->alphas, sizeof *votes->alphas, rounds + 1, &alpha_room) ||
        !make_room(&votes->starts, sizeof *votes->starts, alpha_room + 1, &start_room) ||
        !make_room(&votes->splits, sizeof *votes->splits, splits + voter->splits + 1,
                   &votes->split_room) ||
        !make_room(&votes->votes, sizeof *votes->votes, (vectors + more) * votes->outputs,
                   &votes->vote_room))
        return gr_fail_memory(err, "votes");
    votes->round_room = alpha_room;
    votes->alphas[rounds] = voter->alpha;
    if (voter->splits)
        memcpy(votes->splits + splits, voter->split, voter->splits * sizeof *voter->split);
    memcpy(votes->votes + vectors * votes->outputs, voter->votes,
           more * votes->outputs * sizeof *voter->votes);
    votes->starts[rounds + 1] = splits + voter->splits;
    votes->rounds++;
    return GRADUS_OK;
}

gradus_status gr_votes_copy(const gr_votes *from, size_t rounds, gr_votes *to, gradus_error *err)
{
    const size_t kept = rounds < from->rounds ? rounds : from->rounds;

    GR_TRY(gr_votes_start(to, from->features, from->outputs, from->products, err));
    for (size_t t = 0; t < kept; t++) {
        const gr_voter voter = { .alpha = from->alphas[t],
                                 .splits = (size_t)(from->starts[t + 1] - from->starts[t]),
                                 .split = from->splits + from->starts[t],
                                 .votes = from->votes + gr_votes_vectors(from, t) * from->outputs };
        const gradus_status status = gr_votes_add(to, &voter, err);

        if (status != GRADUS_OK) {
            gr_votes_free(to);
            return status;
        }
    }
    return GRADUS_OK;
}

double gr_votes_reach(const gr_votes *votes, size_t rounds)
{
    double reach = 0.0;

    for (size_t t = 0; t < rounds; t++)
        reach += votes->alphas[t];
    return reach;
}

static inline bool goes_left(const gr_split *split, const float *row)
{
    const float value = row[split->feature];

    return isnan(value) ? split->missing_left != 0 : value < split->threshold;
}

static size_t leaf_of(const gr_split *splits, size_t count, const float *row)
{
    int32_t node = count ? 0 : ~0;

    while (node >= 0)
        node = goes_left(&splits[node], row) ? splits[node].left : splits[node].right;
    return (size_t)~node; /* NOLINT(bugprone-misplaced-widening-cast): node < 0, ~node >= 0 */
}

static bool is_odd(const gr_split *splits, size_t count, const float *row)
{
    bool odd = false;

    for (size_t s = 0; s < count; s++)
        odd ^= goes_left(&splits[s], row);
    return odd;
}

void gr_votes_add_rows(const gr_votes *votes, size_t first, size_t end, const float *values,
                       size_t rows, size_t stride, double *sums, size_t sums_stride)
{
    const size_t outputs = votes->outputs;

    for (size_t t = first; t < end; t++) {
        const gr_split *splits = votes->splits + votes->starts[t];
        const size_t count = (size_t)(votes->starts[t + 1] - votes->starts[t]);
        const float *all = votes->votes + gr_votes_vectors(votes, t) * outputs;

        for (size_t r = 0; r < rows; r++) {
            const float *row = values + r * stride;
            const float *vector = all;
            double alpha = votes->alphas[t];

            if (!votes->products)
                vector += leaf_of(splits, count, row) * outputs;
            else if (is_odd(splits, count, row))
                alpha = -alpha;
            for (size_t k = 0; k < outputs; k++)
                sums[k * sums_stride + r] += alpha * (double)vector[k];
        }
    }
}

typedef struct adding {
    const gr_votes *votes;
    size_t first, end; /* rounds */
    double *sums;
} adding;

static void add_block(void *argument, const gr_row_block *block)
{
    const adding *work = argument;

    gr_votes_add_rows(work->votes, work->first, work->end, block->values, block->rows,
                      block->stride, work->sums + block->first, block->arrays->rows);
}

gradus_status gr_votes_add_sums(const gr_votes *votes, size_t first, size_t end,
                                const gradus_dataset *data, double *sums, gr_pool *pool,
                                gradus_error *err)
{
    const gr_row_loop loop = { .arrays = &data->arrays,
                               .features = votes->features,
                               .rows = gr_block_rows(votes->features) };
    adding work = { votes, first, end, sums };

    return first < end ? gr_for_row_blocks(pool, &loop, add_block, &work, err) : GRADUS_OK;
}

size_t gr_votes_uses(const gr_votes *votes, gradus_feature_use *uses)
{
    for (size_t t = 0; uses && t < votes->rounds; t++)
        for (uint64_t s = votes->starts[t]; s < votes->starts[t + 1]; s++)
            uses[s] = (gradus_feature_use){ votes->splits[s].feature,
                                            votes->alphas[t] * (double)votes->splits[s].gain, 1 };
    return (size_t)votes->starts[votes->rounds];
}

void gr_votes_importance(const gr_votes *votes, double *gains, uint64_t *splits)
{
    for (size_t f = 0; f < votes->features; f++) {
        if (gains)
            gains[f] = 0.0;
        if (splits)
            splits[f] = 0;
    }
    for (size_t t = 0; t < votes->rounds; t++)
        for (uint64_t s = votes->starts[t]; s < votes->starts[t + 1]; s++) {
            if (gains)
                gains[votes->splits[s].feature] += votes->alphas[t] * (double)votes->splits[s].gain;
            if (splits)
                splits[votes->splits[s].feature]++;
        }
}
