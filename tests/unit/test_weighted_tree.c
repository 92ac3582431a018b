/* SPDX-License-Identifier: Apache-2.0 */
/* COCR's boosted trees against a plain weighted least-squares tree in doubles, written from the
 * definition: all splits of all features are tried, leaves have a minimum number of rows, and the
 * leaf with the largest gain is split next. */
#include "checks.h"

#include "base/rng.h"
#include "gradus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 600, FEATURES = 6, GRADES = 5, VALUES = 25, LEAVES = 12, ROUNDS = 3 };

typedef struct sample {
    float x[ROWS * FEATURES], labels[ROWS], weights[ROWS];
} sample;

/* Random weights, so that no two splits have the same gain. */
static void draw_sample(sample *s, uint64_t seed, bool zeros)
{
    gr_rng rng = gr_rng_for(seed, "weighted trees", zeros);

    for (size_t r = 0; r < ROWS; r++) {
        float *x = s->x + r * FEATURES;
        double target;

        for (size_t f = 0; f < FEATURES; f++)
            x[f] = (float)gr_rng_below(&rng, VALUES);
        target = (double)x[0] * (double)x[1] / 100 + fabs((double)x[2] - 12) / 8 +
                 0.5 * gr_rng_normal(&rng) - 1;
        s->labels[r] = (float)fmin(GRADES - 1, fmax(0, floor(target + 0.3)));
        s->weights[r] = zeros && gr_rng_below(&rng, 4) == 0 ? 0 : 1 + (float)gr_rng_uniform(&rng);
    }
}

/* One problem: weights, residual targets, and the leaf of each row. */
typedef struct plain_tree {
    const sample *s;
    const double *weights, *residuals;
    size_t min_rows;
    size_t leaf[ROWS], leaves;
} plain_tree;

typedef struct cut {
    double gain;
    size_t feature;
    float value; /* left: below */
} cut;

typedef struct side {
    double weight, sum;
    size_t rows;
} side;

static void add_row(side *a, double weight, double residual)
{
    a->weight += weight;
    a->sum += weight * residual;
    a->rows++;
}

static double explained(side a)
{
    return a.sum * a.sum / a.weight;
}

static void try_cut(const plain_tree *t, size_t leaf, size_t f, float value, cut *best)
{
    side sides[2] = { { 0 } }, all = { 0 };
    double gain;

    for (size_t r = 0; r < ROWS; r++)
        if (t->leaf[r] == leaf) {
            add_row(&sides[t->s->x[r * FEATURES + f] >= value], t->weights[r], t->residuals[r]);
            add_row(&all, t->weights[r], t->residuals[r]);
        }
    if (sides[0].rows < t->min_rows || sides[1].rows < t->min_rows || !(sides[0].weight > 0) ||
        !(sides[1].weight > 0))
        return;
    gain = explained(sides[0]) + explained(sides[1]) - explained(all);
    if (gain > best->gain)
        *best = (cut){ gain, f, value };
}

static cut best_cut(const plain_tree *t, size_t leaf)
{
    cut best = { .gain = 1e-6 };

    for (size_t f = 0; f < FEATURES; f++)
        for (size_t v = 1; v < VALUES; v++)
            try_cut(t, leaf, f, (float)v, &best);
    return best;
}

static void grow_plain(plain_tree *t)
{
    cut cuts[LEAVES];

    memset(t->leaf, 0, sizeof t->leaf);
    cuts[0] = best_cut(t, 0);
    for (t->leaves = 1; t->leaves < LEAVES; t->leaves++) {
        size_t next = 0;

        for (size_t l = 1; l < t->leaves; l++)
            next = cuts[l].gain > cuts[next].gain ? l : next;
        if (!(cuts[next].gain > 1e-6))
            return;
        for (size_t r = 0; r < ROWS; r++)
            if (t->leaf[r] == next &&
                t->s->x[r * FEATURES + cuts[next].feature] >= cuts[next].value)
                t->leaf[r] = t->leaves;
        cuts[next] = best_cut(t, next);
        cuts[t->leaves] = best_cut(t, t->leaves);
    }
}

static double mean(const double *weights, const double *values)
{
    side all = { 0 };

    for (size_t r = 0; r < ROWS; r++)
        add_row(&all, weights[r], values[r]);
    return all.sum / all.weight;
}

/* Boosts the target by the means of the leaves; the result is in fitted. */
static void boost_plain(const sample *s, const double *weights, const double *targets,
                        size_t min_rows, double rate, double *fitted)
{
    double residuals[ROWS];
    plain_tree t = { .s = s, .weights = weights, .residuals = residuals, .min_rows = min_rows };
    const double base = mean(weights, targets);

    for (size_t r = 0; r < ROWS; r++)
        fitted[r] = base;
    for (size_t round = 0; round < ROUNDS; round++) {
        side leaves[LEAVES] = { { 0 } };

        for (size_t r = 0; r < ROWS; r++)
            residuals[r] = targets[r] - fitted[r];
        grow_plain(&t);
        assert_true(t.leaves > 2);
        for (size_t r = 0; r < ROWS; r++)
            add_row(&leaves[t.leaf[r]], weights[r], residuals[r]);
        for (size_t r = 0; r < ROWS; r++)
            fitted[r] += rate * leaves[t.leaf[r]].sum / leaves[t.leaf[r]].weight;
    }
}

static double absolute(double y, double k)
{
    return fabs(y - k);
}

static double squared(double y, double k)
{
    return (y - k) * (y - k);
}

static double oerr(double y, double k)
{
    return (exp2(y) - exp2(k)) * (exp2(y) - exp2(k));
}

typedef struct named_cost {
    const char *name;
    double (*of)(double y, double k);
} named_cost;

static void score_plain(const sample *s, const named_cost *cost, size_t min_rows, double rate,
                        double *scores)
{
    double weights[ROWS], targets[ROWS], fitted[ROWS];

    memset(scores, 0, ROWS * sizeof *scores);
    for (int k = 1; k < GRADES; k++) {
        for (size_t r = 0; r < ROWS; r++) {
            const double y = (double)s->labels[r];

            targets[r] = y >= k;
            weights[r] = (double)s->weights[r] * fabs(cost->of(y, k) - cost->of(y, k - 1));
        }
        boost_plain(s, weights, targets, min_rows, rate, fitted);
        for (size_t r = 0; r < ROWS; r++)
            scores[r] += fitted[r];
    }
}

static void check_status(gradus_status status, const gradus_error *err)
{
    if (status != GRADUS_OK)
        print_error("%s\n", err->message);
    assert_int_equal(status, GRADUS_OK);
}

static void score_cocr(const sample *s, const char *cost, const char *min_rows, const char *rate,
                       double *scores)
{
    const gradus_arrays arrays = { .rows = ROWS,
                                   .features = FEATURES,
                                   .values = s->x,
                                   .stride = FEATURES,
                                   .labels = s->labels,
                                   .row_weights = s->weights };
    const char *const pairs[][2] = {
        { "method", "cocr" }, { "cost", cost },           { "leaves", "12" },
        { "rounds", "3" },    { "min-rows", min_rows },   { "learning-rate", rate },
        { "l2", "0" },        { "train-eval-every", "0" }
    };
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, &err);
    gradus_options *options = gradus_options_new("train", &err);
    const gradus_training_input input = { .train = data };
    gradus_training *training;
    gradus_model *model;
    bool done = false;

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check_status(gradus_options_set(options, pairs[i][0], pairs[i][1], &err), &err);
    training = gradus_training_new(NULL, &input, options, &err);
    assert_non_null(training);
    while (!done)
        check_status(gradus_training_step(training, &done, &err), &err);
    model = gradus_training_finish(training, &err);
    assert_non_null(model);
    check_status(gradus_model_score(NULL, model, data, scores, &err), &err);
    gradus_model_free(model);
    gradus_training_free(training);
    gradus_options_free(options);
    gradus_dataset_free(data);
}

/* Some row weights are 0: such rows count, but no side consists of them alone. */
static void test_cocr_is_weighted_regression_trees(void **state)
{
    static const named_cost costs[] = { { "absolute", absolute },
                                        { "squared", squared },
                                        { "oerr", oerr } };
    static const char *const min_rows[] = { "1", "15", "60" };
    double found[ROWS], expected[ROWS];
    sample *s = malloc(sizeof *s);

    (void)state;
    for (int zeros = 0; zeros < 2; zeros++) {
        draw_sample(s, 11, zeros);
        for (size_t c = 0; c < 3; c++)
            for (size_t m = 0; m < 3; m++) {
                score_cocr(s, costs[c].name, min_rows[m], "0.5", found);
                score_plain(s, &costs[c], strtoul(min_rows[m], NULL, 10), 0.5, expected);
                for (size_t r = 0; r < ROWS; r++)
                    CHECK_NEAR(found[r], expected[r], 1e-7);
            }
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cocr_is_weighted_regression_trees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
