/* SPDX-License-Identifier: Apache-2.0 */
/* Forests, model trees and AdaBoost's votes as operations of a graph. */
#include "exchange/lower.h"

#include "learners/adaboost/votes.h"
#include "learners/m5/m5.h"
#include "model/forest_node.h"

#include <math.h>

gradus_status gr_lower_forest(const gr_lowering *lowering, const gr_node *node,
                              const size_t *inputs, size_t *output)
{
    *output = gr_graph_trees(lowering->graph, GR_OP_FOREST, inputs[0], gr_forest_node_forest(node));
    return GRADUS_OK;
}

/* The sum over rounds of 1 x (rounds * outputs) numbers, which starts at 0: it is never -0. */
static size_t sum_rounds(gr_graph *graph, size_t numbers, size_t rounds, size_t outputs)
{
    const size_t by_round = gr_graph_reshape(graph, numbers, rounds, outputs);

    return gr_op_number(graph, GR_OP_ADD, gr_op1(graph, GR_OP_SUM, by_round), 0.0);
}

/* The terms of all leaves in one table: of leaf l, its intercept (the feature after the last, which is
 * 1) and its terms; after the last leaf, a term with factor 0. */
typedef struct terms {
    double *starts, *counts; /* per leaf */
    double *features, *factors;
    size_t count, most; /* of the table, of a leaf */
} terms;

static terms list_terms(gr_graph *graph, const gr_m5 *m5)
{
    const size_t leaves = gr_m5_leaves(m5), one = m5->forest.features;
    terms all = { .count = (size_t)m5->term_starts[leaves] + leaves + 1 };
    size_t at = 0;

    all.starts = gr_graph_array(graph, leaves, sizeof *all.starts);
    all.counts = gr_graph_array(graph, leaves, sizeof *all.counts);
    all.features = gr_graph_array(graph, all.count, sizeof *all.features);
    all.factors = gr_graph_array(graph, all.count, sizeof *all.factors);
    for (size_t l = 0; all.factors && l < leaves; l++) {
        const size_t first = at;

        all.starts[l] = (double)at;
        all.features[at] = (double)one;
        all.factors[at++] = m5->intercepts[l];
        for (uint64_t i = m5->term_starts[l]; i < m5->term_starts[l + 1]; i++) {
            all.features[at] = (double)m5->term_features[i];
            all.factors[at++] = m5->term_factors[i];
        }
        all.counts[l] = (double)(at - first);
        all.most = at - first > all.most ? at - first : all.most;
    }
    if (all.factors)
        all.features[at] = (double)one;
    return all;
}

/* The leaf of each tree, counted over all trees. */
static size_t leaves_of(gr_graph *graph, const gr_forest *forest, size_t x)
{
    double *firsts = gr_graph_array(graph, forest->trees, sizeof *firsts);

    for (size_t t = 0; firsts && t < forest->trees; t++)
        firsts[t] = (double)(forest->starts[t] + t);
    const size_t first = gr_graph_constant(graph, GR_GRAPH_F64, 1, forest->trees, firsts);

    return gr_op2(graph, GR_OP_ADD, gr_graph_trees(graph, GR_OP_LEAVES, x, forest), first);
}

/* The features, with means for missing values, and 1. */
static size_t filled(gr_graph *graph, const gr_m5 *m5, size_t x)
{
    const size_t means = gr_graph_constant(graph, GR_GRAPH_F64, 1, m5->forest.features, m5->means);
    const size_t wide = gr_op1(graph, GR_OP_TO_F64, x);
    const size_t missing = gr_op1(graph, GR_OP_IS_NAN, x);

    return gr_op_number(graph, GR_OP_JOIN, gr_op3(graph, GR_OP_WHERE, missing, means, wide), 1.0);
}

static size_t numbers_at(gr_graph *graph, const double *numbers, size_t count, size_t places)
{
    const size_t all = gr_graph_constant(graph, GR_GRAPH_F64, 1, count, numbers);

    return gr_op2(graph, GR_OP_TAKE, all, places);
}

/* Row i holds term i of the leaf of each tree; missing terms are the one with factor 0. */
static size_t places_of_terms(gr_graph *graph, const gr_m5 *m5, const terms *all, size_t leaf)
{
    const size_t leaves = gr_m5_leaves(m5), rows = graph->failed ? 1 : all->most;
    double *numbers = gr_graph_array(graph, rows, sizeof *numbers);

    for (size_t i = 0; numbers && i < rows; i++)
        numbers[i] = (double)i;
    const size_t row = gr_graph_constant(graph, GR_GRAPH_F64, rows, 1, numbers);
    const size_t start = numbers_at(graph, all->starts, leaves, leaf);
    const size_t count = numbers_at(graph, all->counts, leaves, leaf);
    const size_t exists = gr_op2(graph, GR_OP_LESS, row, count);
    const size_t place = gr_op2(graph, GR_OP_ADD, start, row);
    const size_t none = gr_graph_number(graph, GR_GRAPH_F64, (double)(all->count - 1));

    return gr_op3(graph, GR_OP_WHERE, exists, place, none);
}

gradus_status gr_lower_m5(const gr_lowering *lowering, const gr_node *node, const size_t *inputs,
                          size_t *output)
{
    gr_graph *graph = lowering->graph;
    const gr_m5 *m5 = node->state;
    const size_t rounds = gr_forest_rounds(&m5->forest), outputs = m5->forest.outputs;
    const terms all = list_terms(graph, m5);
    const size_t leaf = leaves_of(graph, &m5->forest, inputs[0]);
    const size_t x = filled(graph, m5, inputs[0]);
    const size_t places = places_of_terms(graph, m5, &all, leaf);
    const size_t factors = numbers_at(graph, all.factors, all.count, places);
    const size_t features = numbers_at(graph, all.features, all.count, places);
    const size_t values = gr_op2(graph, GR_OP_TAKE, x, features);
    const size_t trees = gr_op1(graph, GR_OP_SUM, gr_op2(graph, GR_OP_MUL, factors, values));
    const size_t sums = sum_rounds(graph, trees, rounds, outputs);

    *output = gr_op_number(graph, GR_OP_MUL, sums, 1.0 / (double)rounds);
    return GRADUS_OK;
}

/* alpha * vote of every vector: vectors x outputs. */
static size_t weighted_votes(gr_graph *graph, const gr_votes *votes)
{
    const size_t outputs = votes->outputs, vectors = gr_votes_vectors(votes, votes->rounds);
    double *all = gr_graph_array(graph, vectors * outputs, sizeof *all);

    for (size_t t = 0; all && t < votes->rounds; t++)
        for (size_t i = gr_votes_vectors(votes, t) * outputs;
             i < gr_votes_vectors(votes, t + 1) * outputs; i++)
            all[i] = votes->alphas[t] * (double)votes->votes[i];
    return gr_graph_constant(graph, GR_GRAPH_F64, vectors, outputs, all);
}

/* The trees of voters as a forest with leaf values 0. */
static const gr_forest *forest_of(gr_graph *graph, const gr_votes *votes)
{
    const size_t leaves = (size_t)votes->starts[votes->rounds] + votes->rounds;
    gr_forest *forest = gr_graph_array(graph, 1, sizeof *forest);
    double *bases = gr_graph_array(graph, 1, sizeof *bases);
    float *values = gr_graph_array(graph, leaves, sizeof *values);
    uint32_t *covers = gr_graph_array(graph, leaves, sizeof *covers);

    if (covers)
        *forest = (gr_forest){ .features = votes->features,
                               .outputs = 1,
                               .trees = votes->rounds,
                               .bases = bases,
                               .starts = votes->starts,
                               .splits = votes->splits,
                               .leaves = values,
                               .covers = covers };
    return graph->failed ? NULL : forest;
}

/* The weighted votes of each round: rounds x outputs. */
static size_t votes_of_trees(gr_graph *graph, const gr_votes *votes, size_t x)
{
    const gr_forest *forest = forest_of(graph, votes);
    const size_t all = weighted_votes(graph, votes);

    return forest ? gr_op2(graph, GR_OP_LOOKUP, all, leaves_of(graph, forest, x)) : 0;
}

/* The cuts with number c of all rounds. */
typedef struct cuts {
    uint32_t *features;
    float *thresholds;
    float *missing_left; /* 1, or 0 */
} cuts;

static cuts list_cuts(gr_graph *graph, const gr_votes *votes, size_t c)
{
    const cuts all = { gr_graph_array(graph, votes->rounds, sizeof *all.features),
                       gr_graph_array(graph, votes->rounds, sizeof *all.thresholds),
                       gr_graph_array(graph, votes->rounds, sizeof *all.missing_left) };

    for (size_t t = 0; !graph->failed && t < votes->rounds; t++) {
        const bool exists = c < votes->starts[t + 1] - votes->starts[t];
        const gr_split *split = votes->splits + votes->starts[t] + c;

        all.features[t] = exists ? split->feature : 0;
        all.thresholds[t] = exists ? split->threshold : -INFINITY; /* right */
        all.missing_left[t] = exists && split->missing_left ? 1.0f : 0.0f;
    }
    return all;
}

/* -1 for rounds in which the cut with number c is on the left, else 1. */
static size_t sign_of_cut(gr_graph *graph, const gr_votes *votes, size_t c, size_t x)
{
    const size_t rounds = votes->rounds;
    const cuts all = list_cuts(graph, votes, c);
    const size_t values = gr_graph_pick(graph, x, all.features, rounds);
    const size_t threshold = gr_graph_constant(graph, GR_GRAPH_F32, 1, rounds, all.thresholds);
    const size_t flag = gr_graph_constant(graph, GR_GRAPH_F32, 1, rounds, all.missing_left);
    const size_t low = gr_op2(graph, GR_OP_LESS, values, threshold);
    const size_t goes = gr_number_op(graph, GR_OP_LESS, 0.0, flag);
    const size_t missing = gr_op1(graph, GR_OP_IS_NAN, values);
    const size_t left = gr_op2(graph, GR_OP_OR, low, gr_op2(graph, GR_OP_AND, missing, goes));
    const size_t minus = gr_graph_number(graph, GR_GRAPH_F64, -1.0);

    return gr_op3(graph, GR_OP_WHERE, left, minus, gr_graph_number(graph, GR_GRAPH_F64, 1.0));
}

static size_t votes_of_products(gr_graph *graph, const gr_votes *votes, size_t x)
{
    const size_t all = weighted_votes(graph, votes);
    size_t sign = gr_graph_number(graph, GR_GRAPH_F64, 1.0), most = 0;

    for (size_t t = 0; t < votes->rounds; t++)
        if (votes->starts[t + 1] - votes->starts[t] > most)
            most = (size_t)(votes->starts[t + 1] - votes->starts[t]);
    for (size_t c = 0; c < most; c++)
        sign = gr_op2(graph, GR_OP_MUL, sign, sign_of_cut(graph, votes, c, x));
    return gr_op2(graph, GR_OP_MUL, gr_graph_upright(graph, sign), all);
}

gradus_status gr_lower_votes(const gr_lowering *lowering, const gr_node *node, const size_t *inputs,
                             size_t *output)
{
    gr_graph *graph = lowering->graph;
    const gr_votes *votes = node->state;
    const size_t rounds = votes->products ? votes_of_products(graph, votes, inputs[0])
                                          : votes_of_trees(graph, votes, inputs[0]);
    const size_t sums = sum_rounds(graph, rounds, votes->rounds, votes->outputs);

    *output = gr_op_number(graph, GR_OP_MUL, sums, 1.0 / gr_votes_reach(votes, votes->rounds));
    return GRADUS_OK;
}
