/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the queries of a dataset into parts. */
#include "data/split.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LETOR_PARTS = 5 };

static const gr_param split_params[] = {
    GR_PARAM_TEXT(gr_split_options, shares, "fractions", "A,B,...", "",
                  "relative sizes of the parts; without folds or letor the default is 60,20,20"),
    GR_PARAM_COUNT(gr_split_options, folds, "folds", "N", 0, 0, GR_SPLIT_MAX,
                   "divide into N parts of equal size"),
    GR_PARAM_FLAG(
        gr_split_options, letor, "letor",
        "LETOR's five parts S1 to S5; each fold trains on three, validates on one and tests "
        "on one"),
    GR_PARAM_FLAG(gr_split_options, in_order, "in-order",
                  "do not shuffle: the first queries go to the first part"),
    GR_PARAM_COUNT(gr_split_options, seed, "seed", "S", 1, 0, 9007199254740992,
                   "seed of the shuffle"),
    GR_PARAM_END,
};

const gr_operation gr_operation_split = {
    .name = "split",
    .summary = "divide the queries of a set into parts",
    .params = split_params,
    .size = sizeof(gr_split_options),
};

static gradus_status bad_shares(const char *text, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "'fractions' takes up to %d comma-separated numbers >= 0, not all 0, "
                   "not '%.60s'",
                   GR_SPLIT_MAX, text);
}

static gradus_status parse_shares(const char *text, double *shares, size_t *parts,
                                  gradus_error *err)
{
    const char *at = text, *end = text + strlen(text);
    double sum = 0.0;

    for (*parts = 0; at && *parts < GR_SPLIT_MAX; at++) {
        double *share = &shares[(*parts)++];

        at = gr_parse_double(at, end, share);
        if (!at || !isfinite(*share) || *share < 0.0)
            return bad_shares(text, err);
        sum += *share;
        if (at == end)
            return sum > 0.0 && isfinite(sum) ? GRADUS_OK : bad_shares(text, err);
        if (*at != ',')
            break;
    }
    return bad_shares(text, err);
}

static gradus_status find_shares(const gr_split_options *options, size_t queries, double *shares,
                                 size_t *parts, gradus_error *err)
{
    const bool by_share = options->shares[0] != '\0';

    if (by_share + (options->folds > 0) + options->letor > 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'fractions', 'folds' and 'letor' are mutually exclusive");
    if (!options->folds && !options->letor)
        return parse_shares(by_share ? options->shares : "60,20,20", shares, parts, err);
    *parts = options->letor ? LETOR_PARTS : (size_t)options->folds;
    if (*parts > GR_SPLIT_MAX || *parts > queries)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "%zu %s too few for %zu parts", queries,
                       gr_plural(queries, "query is", "queries are"), *parts);
    for (size_t p = 0; p < *parts; p++)
        shares[p] = 1.0;
    return GRADUS_OK;
}

/* Part sizes by the largest remainder method; shares are overwritten with the remainders. */
static void find_sizes(double *shares, size_t parts, size_t queries, size_t *sizes)
{
    size_t left = queries;
    double sum = 0.0;

    for (size_t p = 0; p < parts; p++)
        sum += shares[p];
    for (size_t p = 0; p < parts; p++) {
        const double quota = (double)queries * (shares[p] / sum);
        const size_t whole = (size_t)floor(quota);

        sizes[p] = whole < left ? whole : left;
        left -= sizes[p];
        shares[p] = shares[p] > 0.0 ? quota - floor(quota) : -1.0;
    }
    for (; left > 0; left--) {
        size_t best = 0;

        for (size_t p = 1; p < parts; p++)
            if (shares[p] > shares[best])
                best = p;
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): there is at least one part */
        sizes[best]++;
        shares[best] -= 1.0;
    }
}

static gradus_status assign(size_t queries, const gr_split_options *options, const size_t *sizes,
                            size_t parts, size_t *part_of_query, gradus_error *err)
{
    gr_rng rng = gr_rng_for(options->seed, "split", 0);
    size_t *order = gr_new_array(queries, sizeof *order);
    size_t next = 0;

    if (!order)
        return gr_fail_memory(err, "the query order");
    for (size_t q = 0; q < queries; q++)
        order[q] = q;
    if (!options->in_order)
        gr_shuffle(&rng, order, queries);
    for (size_t p = 0; p < parts; p++)
        for (size_t i = 0; i < sizes[p]; i++)
            part_of_query[order[next++]] = p;
    free(order);
    return GRADUS_OK;
}

gradus_status gr_split_queries(size_t queries, const gr_split_options *options,
                               size_t *part_of_query, size_t *parts, gradus_error *err)
{
    double shares[GR_SPLIT_MAX];
    size_t sizes[GR_SPLIT_MAX];

    GR_TRY(find_shares(options, queries, shares, parts, err));
    find_sizes(shares, *parts, queries, sizes);
    return assign(queries, options, sizes, *parts, part_of_query, err);
}
