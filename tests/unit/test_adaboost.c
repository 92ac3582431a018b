/* SPDX-License-Identifier: Apache-2.0 */
/* AdaBoost.MH: cuts and votes worked by hand, searches against brute force, the bound on the
 * training error, and identical bits for any number of threads. */
#include "checks.h"

#include "base/rng.h"
#include "data/sections.h"
#include "learners/adaboost/adaboost.h"
#include "learners/adaboost/adaboost_abstain.h"
#include "learners/adaboost/edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 400, LABELS = 3, MAX_FEATURES = 12 };

typedef struct sample {
    size_t rows, features;
    float values[MAX * MAX_FEATURES], weights[MAX], labels[MAX];
    uint8_t level_of[MAX];
    uint64_t starts[2];
    gradus_dataset *data;
    gr_problem problem;
} sample;

static const double level_labels[LABELS] = { 0.0, 1.0, 2.0 };

static void finish(sample *s, size_t levels, bool weighted)
{
    s->data = gr_dataset_new(NULL);
    assert_non_null(s->data);
    for (size_t r = 0; r < s->rows; r++)
        s->labels[r] = (float)s->level_of[r];
    s->starts[0] = 0;
    s->starts[1] = s->rows;
    s->data->arrays = (gradus_arrays){ .rows = s->rows,
                                       .features = s->features,
                                       .stride = s->features,
                                       .queries = 1,
                                       .values = s->values,
                                       .labels = s->labels,
                                       .query_starts = s->starts };
    s->problem = (gr_problem){ .rows = s->rows,
                               .queries = 1,
                               .query_starts = s->starts,
                               .labels = s->labels,
                               .levels = levels,
                               .level_labels = level_labels,
                               .level_of = s->level_of,
                               .outputs = levels,
                               .row_weights = weighted ? s->weights : NULL };
}

/* Rows whose grade depends on the first feature, with noise; weights that make all sums different.
 */
static sample *draw(size_t rows, size_t features, bool hard, uint64_t seed)
{
    sample *s = calloc(1, sizeof *s);
    gr_rng rng = gr_rng_for(seed, "adaboost", 0);

    s->rows = rows;
    s->features = features;
    for (size_t r = 0; r < rows; r++) {
        for (size_t f = 0; f < features; f++) {
            float value = (float)gr_rng_normal(&rng);

            if (hard && f % 3 == 1 && gr_rng_below(&rng, 5) == 0)
                value = NAN;
            if (hard && f % 3 == 2 && gr_rng_below(&rng, 10) != 0)
                value = 0.0f;
            s->values[r * features + f] = value;
        }
        const double signal = (double)s->values[r * features] + 0.8 * gr_rng_normal(&rng);

        s->level_of[r] = signal > 0.8 ? 2 : signal > -0.2;
        s->weights[r] = (float)(0.5 + gr_rng_uniform(&rng));
    }
    finish(s, LABELS, true);
    return s;
}

static void drop(sample *s)
{
    gradus_dataset_free(s->data);
    free(s);
}

static gr_adaboost *begin(const sample *s, const gr_adaboost_options *options, uint64_t leaves,
                          const gr_votes *start, gradus_context *context)
{
    static const gr_bin_options bin = { .bins = 255, .seed = 1 };
    const gr_adaboost_task task = { .context = context,
                                    .data = s->data,
                                    .problem = &s->problem,
                                    .options = options,
                                    .bin = &bin,
                                    .leaves = leaves,
                                    .start = start };
    gradus_error err = { GRADUS_OK, "" };
    gr_adaboost *boost = gr_adaboost_new(&task, &err);

    if (!boost)
        print_error("%s\n", err.message);
    assert_non_null(boost);
    return boost;
}

static void step(gr_adaboost *boost)
{
    gradus_error err = { GRADUS_OK, "" };
    bool grew;

    assert_int_equal(gr_adaboost_step(boost, &grew, &err), GRADUS_OK);
}

/* e+ = .6, e- = .2, e0 = .2. Without an offset u^2 = 3. With theta = .2: 1.2 * .2 u^2 + .2 * .2 u = .8
 * * .6, so .24 u^2 + .04 u - .48 = 0 and u = (-.04 + sqrt(.0016 + .4608)) / .48 = 1.33333. */
static void test_alpha_by_hand(void **state)
{
    const gr_vote_sums sums = { 0.6, 0.2, 0.2 }, even = { 0.6, 0.4, 0.0 };

    (void)state;
    CHECK_NEAR(gr_vote_alpha(sums, 0.0), 0.5493061443340549, 1e-12);
    CHECK_NEAR(gr_vote_alpha(sums, 0.2), 0.2876820724517809, 1e-12); /* log(4 / 3) */
    CHECK_NEAR(gr_vote_alpha(even, 0.2), 0.0, 1e-12);                /* the edge is the offset */
    for (double offset = 0.0; offset < 0.9; offset += 0.3) {
        const double alpha = gr_vote_alpha(sums, offset), loss = gr_vote_loss(sums, offset, alpha);

        assert_true(gr_vote_loss(sums, offset, alpha - 1e-3) > loss);
        assert_true(gr_vote_loss(sums, offset, alpha + 1e-3) > loss);
    }
}

/* The chosen votes against every subset of up to eight. */
static void test_abstaining_votes_against_all_subsets(void **state)
{
    enum { CELLS = 8 };
    gr_rng rng = gr_rng_for(5, "votes", 0);

    (void)state;
    for (size_t trial = 0; trial < 200; trial++) {
        const double offset = trial % 2 ? 0.1 : 0.0, least = trial % 3 ? 0.01 : 0.001;
        gr_vote_cell cells[CELLS], sorted[CELLS];
        double lowest = INFINITY;

        for (size_t i = 0; i < CELLS; i++) {
            const double a = gr_rng_uniform(&rng), b = gr_rng_uniform(&rng);

            cells[i] = (gr_vote_cell){ .right = fmax(a, b), .wrong = fmin(a, b), .index = i };
            sorted[i] = cells[i];
        }
        for (unsigned set = 1; set < 1u << CELLS; set++) {
            gr_vote_sums sums = { least, least, 0.0 };

            for (size_t i = 0; i < CELLS; i++)
                if (set >> i & 1u) {
                    sums.right += cells[i].right;
                    sums.wrong += cells[i].wrong;
                } else {
                    sums.none += cells[i].right + cells[i].wrong;
                }
            lowest =
                fmin(lowest, gr_vote_loss(sums, offset, fmax(gr_vote_alpha(sums, offset), 0.0)));
        }
        gr_vote_sums best = gr_vote_choose(sorted, CELLS, offset, least);

        best.right += least;
        best.wrong += least;
        CHECK_NEAR(gr_vote_loss(best, offset, fmax(gr_vote_alpha(best, offset), 0.0)), lowest,
                   1e-9);
    }
}

/* Rounds with an offset: the votes are those without one, alpha follows from the edge, and the
 * rounds end when the edge is not above the offset. With abstention the bound falls at least as
 * fast in the first round, and some votes are 0. */
static void test_offset_and_abstention_in_rounds(void **state)
{
    sample *s = draw(200, 4, false, 3);
    gr_adaboost_options plain = { .base = GR_BASE_TREE }, offset = plain, abstain = plain;

    (void)state;
    offset.offset = 0.1;
    abstain.abstain = true;
    for (int base = GR_BASE_TREE; base <= GR_BASE_PRODUCT; base++) {
        plain.base = offset.base = abstain.base = base;
        plain.terms = offset.terms = abstain.terms = 3;
        gr_adaboost *a = begin(s, &plain, 5, NULL, NULL), *b = begin(s, &offset, 5, NULL, NULL);
        gr_adaboost *c = begin(s, &abstain, 5, NULL, NULL);
        size_t zeros = 0;

        step(a);
        step(b);
        step(c);
        CHECK_NEAR(gr_adaboost_edge(a), gr_adaboost_edge(b), 1e-12);
        CHECK_NEAR(gr_adaboost_votes(a)->alphas[0] - gr_adaboost_votes(b)->alphas[0],
                   0.5 * log(1.1 / 0.9), 1e-9);
        assert_true(gr_adaboost_log_bound(c) <= gr_adaboost_log_bound(a) + 1e-3);
        for (size_t t = 0; t < 20; t++)
            step(c);
        const gr_votes *votes = gr_adaboost_votes(c);

        for (size_t i = 0; i < gr_votes_vectors(votes, votes->rounds) * LABELS; i++)
            zeros += votes->votes[i] == 0.0f;
        assert_true(zeros > 0);
        gr_adaboost_free(a);
        gr_adaboost_free(b);
        gr_adaboost_free(c);
    }
    offset.offset = 0.999; /* above every edge: training ends */
    offset.base = GR_BASE_STUMP;
    gr_adaboost *b = begin(s, &offset, 5, NULL, NULL);
    gradus_error err;
    bool grew = true;

    assert_int_equal(gr_adaboost_step(b, &grew, &err), GRADUS_OK);
    assert_false(grew);
    gr_adaboost_free(b);
    drop(s);
}

/* x = 1 2 3 4, grades 0 1 0 1: every label has weight 1/8. Cut before 2: label 0 has +1 on the left
 * and -1 on the right, so right - left is -2/8; for label 1 it is 2/8: an edge of 1/2. */
static void test_a_stump_by_hand(void **state)
{
    const gr_adaboost_options options = { .base = GR_BASE_STUMP,
                                          .label_weights = GR_LABEL_WEIGHTS_UNIFORM };
    sample *s = calloc(1, sizeof *s);

    (void)state;
    s->rows = 4;
    s->features = 1;
    for (size_t r = 0; r < 4; r++) {
        s->values[r] = (float)(r + 1);
        s->level_of[r] = r % 2;
    }
    finish(s, 2, false);
    gr_adaboost *boost = begin(s, &options, 2, NULL, NULL);

    step(boost);
    const gr_votes *votes = gr_adaboost_votes(boost);

    assert_true(votes->products);
    assert_int_equal(votes->starts[1], 1);
    assert_int_equal(votes->splits[0].feature, 0);
    assert_true(votes->splits[0].threshold > 1.0f && votes->splits[0].threshold < 2.0f);
    assert_true(votes->votes[0] == -1.0f && votes->votes[1] == 1.0f);
    CHECK_NEAR(gr_adaboost_edge(boost), 0.5, 1e-15);
    CHECK_NEAR(votes->alphas[0], 0.5 * log(3.0), 1e-15);
    CHECK_NEAR(gr_adaboost_log_bound(boost), 0.5 * log(1.0 - 0.25), 1e-14);
    /* Row 0 is on the left: the votes are negated. */
    CHECK_NEAR(gr_adaboost_sums(boost)[0], 0.5 * log(3.0), 1e-15);
    CHECK_NEAR(gr_adaboost_sums(boost)[1], -0.5 * log(3.0), 1e-15);
    gr_adaboost_free(boost);
    drop(s);
}

static void test_first_weights(void **state)
{
    const gr_problem problem = { .levels = LABELS, .level_labels = level_labels };
    gr_adaboost_options options = { .label_weights = GR_LABEL_WEIGHTS_GRADE };

    (void)state;
    CHECK_NEAR(exp(gr_adaboost_first_weight(&options, &problem, 2, 2)), 4.0, 1e-14);
    CHECK_NEAR(exp(gr_adaboost_first_weight(&options, &problem, 2, 0)), 2.0, 1e-14);
    CHECK_NEAR(exp(gr_adaboost_first_weight(&options, &problem, 0, 1)), 0.5, 1e-14);
    options.label_weights = GR_LABEL_WEIGHTS_UNIFORM;
    CHECK_NEAR(exp(gr_adaboost_first_weight(&options, &problem, 2, 0)), 1.0, 0.0);
}

/* Initial signed weights, label by label; their absolute values sum to 1. */
static void weigh(const sample *s, const gr_adaboost_options *options, double *weights)
{
    double sum = 0.0;

    for (size_t r = 0; r < s->rows; r++)
        for (size_t k = 0; k < LABELS; k++)
            sum += weights[r * LABELS + k] =
                (double)s->weights[r] *
                exp(gr_adaboost_first_weight(options, &s->problem, s->level_of[r], k));
    for (size_t r = 0; r < s->rows; r++)
        for (size_t k = 0; k < LABELS; k++)
            weights[r * LABELS + k] *= (s->level_of[r] == k ? 1.0 : -1.0) / sum;
}

/* The edge of a cut at a value, over the rows of a leaf: values >= it go right. */
static double edge_at(const sample *s, const double *weights, const int *leaf_of, int leaf,
                      size_t f, float cut, bool opposed)
{
    double edge = 0.0;

    for (size_t k = 0; k < LABELS; k++) {
        double left = 0.0, right = 0.0;

        for (size_t r = 0; r < s->rows; r++)
            if (leaf_of[r] == leaf)
                *(s->values[r * s->features + f] < cut ? &left : &right) += weights[r * LABELS + k];
        edge += opposed ? fabs(right - left) : fabs(left) + fabs(right);
    }
    return edge;
}

static double best_cut(const sample *s, const double *weights, const int *leaf_of, int leaf,
                       bool opposed, size_t *feature, float *cut)
{
    double best = -1.0;

    for (size_t f = 0; f < s->features; f++)
        for (size_t r = 0; r < s->rows; r++) {
            const float value = s->values[r * s->features + f];
            const double edge = edge_at(s, weights, leaf_of, leaf, f, value, opposed);

            if (leaf_of[r] == leaf && edge > best + 1e-13) {
                best = edge;
                *feature = f;
                *cut = value;
            }
        }
    return best;
}

static void test_stumps_are_those_of_brute_force(void **state)
{
    const gr_adaboost_options options = { .base = GR_BASE_STUMP };
    double weights[MAX * LABELS];
    int leaf_of[MAX] = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        sample *s = draw(40, 3, false, seed);
        gr_adaboost *boost = begin(s, &options, 2, NULL, NULL);
        size_t feature = 0;
        float cut = 0.0f;

        weigh(s, &options, weights);
        const double best = best_cut(s, weights, leaf_of, 0, true, &feature, &cut);

        step(boost);
        CHECK_NEAR(gr_adaboost_edge(boost), best, 1e-12);
        assert_int_equal(gr_adaboost_votes(boost)->splits[0].feature, feature);
        gr_adaboost_free(boost);
        drop(s);
    }
}

/* Grows best-first with plain sums; returns the edge of a tree with the given number of leaves. */
static double brute_tree(const sample *s, const double *weights, int leaves)
{
    int leaf_of[MAX] = { 0 }, count = 1;
    double edge = 0.0;

    while (count < leaves) {
        double most = 1e-12;
        size_t feature = 0;
        float cut = 0.0f;
        int chosen = -1;

        for (int l = 0; l < count; l++) {
            size_t f = 0;
            float at = 0.0f;
            const double whole = edge_at(s, weights, leaf_of, l, 0, -INFINITY, false);
            const double gain = best_cut(s, weights, leaf_of, l, false, &f, &at) - whole;

            if (gain > most) {
                most = gain;
                feature = f;
                cut = at;
                chosen = l;
            }
        }
        if (chosen < 0)
            break;
        for (size_t r = 0; r < s->rows; r++)
            if (leaf_of[r] == chosen && !(s->values[r * s->features + feature] < cut))
                leaf_of[r] = count;
        count++;
    }
    for (int l = 0; l < count; l++)
        edge += edge_at(s, weights, leaf_of, l, 0, -INFINITY, false);
    return edge;
}

static void test_trees_are_those_of_brute_force(void **state)
{
    const gr_adaboost_options options = { .base = GR_BASE_TREE };
    double weights[MAX * LABELS];

    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sample *s = draw(36, 3, false, seed + 20);

        weigh(s, &options, weights);
        for (int leaves = 2; leaves <= 7; leaves += 5) {
            gr_adaboost *boost = begin(s, &options, (uint64_t)leaves, NULL, NULL);

            step(boost);
            CHECK_NEAR(gr_adaboost_edge(boost), brute_tree(s, weights, leaves), 1e-12);
            gr_adaboost_free(boost);
        }
        drop(s);
    }
}

/* No cut of a product can be replaced by a better one, and more cuts are no worse than one. */
static void test_products_cannot_be_bettered_by_one_cut(void **state)
{
    double weights[MAX * LABELS], turned[MAX * LABELS], first = 0.0;
    int leaf_of[MAX] = { 0 };
    sample *s = draw(40, 3, false, 77);

    (void)state;
    for (uint64_t terms = 1; terms <= 4; terms++) {
        const gr_adaboost_options options = { .base = GR_BASE_PRODUCT, .terms = terms };
        gr_adaboost *boost = begin(s, &options, 2, NULL, NULL);

        step(boost);
        const gr_votes *votes = gr_adaboost_votes(boost);
        const double edge = gr_adaboost_edge(boost);

        first = terms == 1 ? edge : first;
        assert_true(edge >= first);
        assert_true(votes->starts[1] <= terms);
        weigh(s, &options, weights);
        for (uint64_t j = 0; j < votes->starts[1]; j++) {
            size_t feature;
            float cut;

            for (size_t r = 0; r < s->rows; r++) {
                double sign = 1.0;

                for (uint64_t i = 0; i < votes->starts[1]; i++)
                    if (i != j && s->values[r * s->features + votes->splits[i].feature] <
                                      votes->splits[i].threshold)
                        sign = -sign;
                for (size_t k = 0; k < LABELS; k++)
                    turned[r * LABELS + k] = sign * weights[r * LABELS + k];
            }
            CHECK_NEAR(best_cut(s, turned, leaf_of, 0, true, &feature, &cut), edge, 1e-12);
        }
        gr_adaboost_free(boost);
    }
    drop(s);
}

/* The fraction of labels on the wrong side and the mean of e^(-y f), both by the initial weights.
 */
static void losses(const sample *s, const double *weights, const double *sums, double *wrong,
                   double *loss)
{
    *wrong = *loss = 0.0;
    for (size_t r = 0; r < s->rows; r++)
        for (size_t k = 0; k < LABELS; k++) {
            const double weight = weights[r * LABELS + k];
            const double margin = (weight > 0.0 ? 1.0 : -1.0) * sums[k * s->rows + r];

            *wrong += margin <= 0.0 ? fabs(weight) : 0.0;
            *loss += fabs(weight) * exp(-margin);
        }
}

/* One row in twenty is not of the first grade: at first no cut changes a vote, and the classifier
 * that gives all rows the same votes is the best. Training must continue from it. */
static void test_rare_grades_are_learnt(void **state)
{
    const gr_adaboost_options options = { .base = GR_BASE_TREE,
                                          .label_weights = GR_LABEL_WEIGHTS_UNIFORM };
    sample *s = calloc(1, sizeof *s);
    gradus_error err = { GRADUS_OK, "" };
    bool grew = true;

    (void)state;
    s->rows = 200;
    s->features = 1;
    for (size_t r = 0; r < s->rows; r++) {
        s->level_of[r] = r % 20 == 0;
        s->values[r] = (float)(r % 20 == 0 ? 5 : r % 20 < 5);
        s->values[r] = r % 10 == 1 ? 5.0f : s->values[r]; /* noise */
    }
    finish(s, 2, false);
    gr_adaboost *boost = begin(s, &options, 3, NULL, NULL);

    for (int round = 0; round < 2; round++) {
        assert_int_equal(gr_adaboost_step(boost, &grew, &err), GRADUS_OK);
        assert_true(grew);
    }
    const gr_votes *votes = gr_adaboost_votes(boost);

    assert_int_equal(votes->starts[1], 0);
    assert_true(votes->starts[2] > 0);
    gr_adaboost_free(boost);
    drop(s);
}

static void test_normalisers_bound_the_training_error(void **state)
{
    static const gr_adaboost_options kinds[] = {
        { .base = GR_BASE_TREE },
        { .base = GR_BASE_TREE, .real = true },
        { .base = GR_BASE_PRODUCT, .terms = 3 },
        { .base = GR_BASE_STUMP, .label_weights = GR_LABEL_WEIGHTS_UNIFORM },
        { .base = GR_BASE_TREE, .label_weights = GR_LABEL_WEIGHTS_UNIFORM },
    };
    double weights[MAX * LABELS], wrong, loss, before;

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sample *s = draw(60, 5, true, 5 + i);
        gr_adaboost *boost = begin(s, &kinds[i], 4, NULL, NULL);

        weigh(s, &kinds[i], weights);
        before = 0.0;
        for (int round = 0; round < 25; round++) {
            step(boost);
            losses(s, weights, gr_adaboost_sums(boost), &wrong, &loss);
            CHECK_NEAR(gr_adaboost_log_bound(boost), log(loss), 1e-9);
            assert_true(wrong <= loss);
            assert_true(gr_adaboost_log_bound(boost) < before);
            before = gr_adaboost_log_bound(boost);
            if (gr_adaboost_separated(boost))
                break;
        }
        gr_adaboost_free(boost);
        drop(s);
    }
}

/* Rows that no cut separates prevent the weights from diverging. */
static void test_ten_thousand_rounds_stay_in_range(void **state)
{
    const gr_adaboost_options options = { .base = GR_BASE_STUMP };
    sample *s = draw(24, 1, false, 3);

    (void)state;
    gr_adaboost *boost = begin(s, &options, 2, NULL, NULL);

    for (int round = 0; round < 10000; round++)
        step(boost);
    const gr_votes *votes = gr_adaboost_votes(boost);
    const double reach = gr_votes_reach(votes, votes->rounds);

    assert_int_equal(votes->rounds, 10000);
    assert_true(isfinite(gr_adaboost_log_bound(boost)) && isfinite(reach));
    for (size_t i = 0; i < s->rows * LABELS; i++)
        assert_true(fabs(gr_adaboost_sums(boost)[i]) <= reach * (1.0 + 1e-12));
    gr_adaboost_free(boost);
    drop(s);
}

static void check_same_votes(const gr_votes *a, const gr_votes *b)
{
    assert_int_equal(a->rounds, b->rounds);
    assert_memory_equal(a->alphas, b->alphas, a->rounds * sizeof *a->alphas);
    assert_memory_equal(a->starts, b->starts, (a->rounds + 1) * sizeof *a->starts);
    assert_memory_equal(a->splits, b->splits, a->starts[a->rounds] * sizeof *a->splits);
    assert_memory_equal(a->votes, b->votes,
                        gr_votes_vectors(a, a->rounds) * a->outputs * sizeof *a->votes);
}

/* Also with sparse columns, missing values, and a warm start from the votes of earlier rounds. */
static void test_threads_and_starts_give_the_same_votes(void **state)
{
    static const gr_adaboost_options kinds[] = { { .base = GR_BASE_TREE },
                                                 { .base = GR_BASE_TREE, .real = true },
                                                 { .base = GR_BASE_PRODUCT, .terms = 3 } };
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sample *s = draw(MAX, MAX_FEATURES, true, 11 + i);
        gradus_context *context = gradus_context_new(3, &err);
        gr_adaboost *one = begin(s, &kinds[i], 8, NULL, NULL);
        gr_adaboost *three = begin(s, &kinds[i], 8, NULL, context);

        for (int round = 0; round < 4; round++) {
            step(one);
            step(three);
        }
        check_same_votes(gr_adaboost_votes(one), gr_adaboost_votes(three));
        gr_adaboost *later = begin(s, &kinds[i], 8, gr_adaboost_votes(one), context);

        for (int round = 0; round < 3; round++) {
            step(one);
            step(later);
        }
        check_same_votes(gr_adaboost_votes(one), gr_adaboost_votes(later));
        assert_memory_equal(gr_adaboost_sums(one), gr_adaboost_sums(later),
                            s->rows * LABELS * sizeof(double));
        CHECK_NEAR(gr_adaboost_log_bound(one), gr_adaboost_log_bound(later), 1e-9);
        gr_adaboost_free(one);
        gr_adaboost_free(three);
        gr_adaboost_free(later);
        gradus_context_free(context);
        drop(s);
    }
}

/* The votes of the model equal those accumulated during training. */
static void test_votes_of_rows_are_those_of_training(void **state)
{
    const gr_adaboost_options options = { .base = GR_BASE_TREE };
    gradus_error err = { GRADUS_OK, "" };
    sample *s = draw(200, 9, true, 31);
    gr_adaboost *boost = begin(s, &options, 6, NULL, NULL);
    double *sums = calloc(s->rows * LABELS, sizeof *sums);

    (void)state;
    for (int round = 0; round < 6; round++)
        step(boost);
    assert_int_equal(gr_votes_add_sums(gr_adaboost_votes(boost), 0, 6, s->data, sums, NULL, &err),
                     GRADUS_OK);
    assert_memory_equal(sums, gr_adaboost_sums(boost), s->rows * LABELS * sizeof *sums);
    free(sums);
    gr_adaboost_free(boost);
    drop(s);
}

static void test_damaged_votes_are_refused(void **state)
{
    gr_split splits[2] = { { .feature = 0, .threshold = 1.0f, .left = ~0, .right = 1 },
                           { .feature = 1, .threshold = 2.0f, .left = ~1, .right = ~2 } };
    float vectors[6] = { 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, -1.0f };
    double alphas[1] = { 0.5 };
    uint64_t starts[2] = { 0, 2 };
    gr_votes votes = { .features = 2,
                       .outputs = 2,
                       .rounds = 1,
                       .alphas = alphas,
                       .starts = starts,
                       .splits = splits,
                       .votes = vectors };

    (void)state;
    assert_int_equal(gr_votes_check(&votes, NULL), GRADUS_OK);
    splits[1].feature = 2;
    assert_int_equal(gr_votes_check(&votes, NULL), GRADUS_BAD_FORMAT);
    splits[1].feature = 1;
    splits[1].right = 0;
    assert_int_equal(gr_votes_check(&votes, NULL), GRADUS_BAD_FORMAT);
    splits[1].right = ~1;
    assert_int_equal(gr_votes_check(&votes, NULL), GRADUS_BAD_FORMAT);
    splits[1].right = ~2;
    vectors[3] = NAN;
    assert_int_equal(gr_votes_check(&votes, NULL), GRADUS_BAD_FORMAT);
    vectors[3] = -1.0f;
    alphas[0] = INFINITY;
    assert_int_equal(gr_votes_check(&votes, NULL), GRADUS_BAD_FORMAT);
    alphas[0] = -0.5;
    assert_int_equal(gr_votes_check(&votes, NULL), GRADUS_BAD_FORMAT);
    alphas[0] = 0.5;
    votes.products = true;
    assert_int_equal(gr_votes_check(&votes, NULL), GRADUS_BAD_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alpha_by_hand),
        cmocka_unit_test(test_abstaining_votes_against_all_subsets),
        cmocka_unit_test(test_offset_and_abstention_in_rounds),
        cmocka_unit_test(test_a_stump_by_hand),
        cmocka_unit_test(test_first_weights),
        cmocka_unit_test(test_stumps_are_those_of_brute_force),
        cmocka_unit_test(test_trees_are_those_of_brute_force),
        cmocka_unit_test(test_products_cannot_be_bettered_by_one_cut),
        cmocka_unit_test(test_rare_grades_are_learnt),
        cmocka_unit_test(test_normalisers_bound_the_training_error),
        cmocka_unit_test(test_ten_thousand_rounds_stay_in_range),
        cmocka_unit_test(test_threads_and_starts_give_the_same_votes),
        cmocka_unit_test(test_votes_of_rows_are_those_of_training),
        cmocka_unit_test(test_damaged_votes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
