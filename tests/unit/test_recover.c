/* SPDX-License-Identifier: Apache-2.0 */
/* Probabilities recovered from COCR's outputs: they minimise their quadratic program, and beat a
 * constant on held-out rows with every cost. */
#include "synthetic_sets.h"

#include "base/rng.h"
#include "gradus.h"
#include "scoring/recover.h"

enum { MAX_LEVELS = 12, CASES = 3000 };

typedef struct problem {
    size_t levels;
    double weights[MAX_LEVELS * MAX_LEVELS], shares[MAX_LEVELS], outputs[MAX_LEVELS];
} problem;

static problem draw_problem(gr_rng *rng)
{
    problem p = { .levels = 2 + (size_t)gr_rng_below(rng, MAX_LEVELS - 1) };
    double sum = 0.0;

    for (size_t l = 0; l < p.levels; l++)
        sum += p.shares[l] = 0.001 + gr_rng_uniform(rng) * gr_rng_uniform(rng);
    for (size_t l = 0; l < p.levels; l++)
        p.shares[l] /= sum;
    for (size_t k = 0; k + 1 < p.levels; k++) {
        p.outputs[k] = 1.4 * gr_rng_uniform(rng) - 0.2; /* some outside [0, 1] */
        for (size_t l = 0; l < p.levels; l++)
            p.weights[k * p.levels + l] = gr_rng_below(rng, 5) ? exp2(8 * gr_rng_uniform(rng)) : 0;
    }
    return p;
}

/* The derivative of the objective by each probability, from the formula in recover.h. */
static void derivatives(const problem *p, const double *probabilities, double *d)
{
    for (size_t l = 0; l < p->levels; l++)
        d[l] = 2 * GR_PRIOR_WEIGHT * (probabilities[l] - p->shares[l]) / p->shares[l];
    for (size_t k = 0; k + 1 < p->levels; k++) {
        const double *w = p->weights + k * p->levels;
        const double g = fmin(1.0, fmax(0.0, p->outputs[k]));
        double mean = 0.0, a = 0.0;

        for (size_t l = 0; l < p->levels; l++) {
            mean += w[l] * p->shares[l];
            a += w[l] * ((l > k) - g) * probabilities[l];
        }
        for (size_t l = 0; mean > 0.0 && l < p->levels; l++)
            d[l] += 2 * a * w[l] * ((l > k) - g) / mean / mean;
    }
}

/* At the minimum, moving probability from one grade to another does not reduce the objective. */
static void test_minimum(void **state)
{
    gr_rng rng = gr_rng_for(3, "recovered probabilities", 0);
    size_t zeros = 0;

    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const problem p = draw_problem(&rng);
        double found[MAX_LEVELS], d[MAX_LEVELS], sum = 0.0, size = 1.0;

        gr_recover_probabilities(p.levels, p.weights, p.shares, p.outputs, 1, found);
        derivatives(&p, found, d);
        for (size_t l = 0; l < p.levels; l++) {
            assert_true(found[l] >= 0.0);
            zeros += found[l] <= 0.0;
            sum += found[l];
            size = fmax(size, fabs(d[l]));
        }
        CHECK_NEAR(sum, 1.0, 1e-12);
        for (size_t from = 0; from < p.levels; from++)
            for (size_t to = 0; found[from] > 0.0 && to < p.levels; to++)
                assert_true(d[from] <= d[to] + 1e-9 * size);
    }
    assert_true(zeros > CASES / 10);
}

/* Outputs of average rows give the grade frequencies of the training data. */
static void test_prior_is_kept(void **state)
{
    gr_rng rng = gr_rng_for(4, "recovered probabilities", 0);

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        problem p = draw_problem(&rng);
        double found[MAX_LEVELS];

        for (size_t k = 0; k + 1 < p.levels; k++) {
            double above = 0.0, all = 0.0;

            for (size_t l = 0; l < p.levels; l++) {
                all += p.weights[k * p.levels + l] * p.shares[l];
                above += l > k ? p.weights[k * p.levels + l] * p.shares[l] : 0.0;
            }
            p.outputs[k] = all > 0.0 ? above / all : 0.5;
        }
        gr_recover_probabilities(p.levels, p.weights, p.shares, p.outputs, 1, found);
        for (size_t l = 0; l < p.levels; l++)
            CHECK_NEAR(found[l], p.shares[l], 1e-9);
    }
}

/* Zero weights, or a grade of frequency 0, still give a distribution. */
static void test_degenerate_costs(void **state)
{
    static const double weights[] = { 0, 0, 0, 1, 0, 1 }, outputs[] = { 0.9, 0.25 };
    static const double shares[] = { 0.5, 0.5, 0 };
    double p[3];

    (void)state;
    gr_recover_probabilities(3, weights, shares, outputs, 1, p);
    CHECK_NEAR(p[0] + p[1] + p[2], 1.0, 1e-12);
    for (size_t l = 0; l < 3; l++)
        assert_true(p[l] >= 0.0 && p[l] <= 1.0);
}

static gradus_model *train_cocr(const gradus_dataset *train, const char *cost)
{
    const gradus_training_input input = { .train = train };
    const char *const pairs[] = { "method", "cocr", "cost", cost, "rounds", "20", NULL };
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);
    gradus_training *training;
    gradus_model *model;
    bool done = false;

    for (size_t i = 0; pairs[i]; i += 2)
        assert_int_equal(gradus_options_set(options, pairs[i], pairs[i + 1], &err), GRADUS_OK);
    training = gradus_training_new(NULL, &input, options, &err);
    assert_non_null(training);
    while (!done)
        assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_OK);
    model = gradus_training_finish(training, &err);
    assert_non_null(model);
    gradus_training_free(training);
    gradus_options_free(options);
    return model;
}

/* Sum over grades of (P - [y = k])^2; stride 0: the same P for all rows. */
static double brier(const gradus_dataset *data, const double *p, size_t levels, size_t stride)
{
    const size_t rows = gradus_dataset_rows(data);
    const float *labels = data->arrays.labels;
    double sum = 0.0;

    for (size_t r = 0; r < rows; r++)
        for (size_t l = 0; l < levels; l++) {
            const double miss = p[r * stride + l] - ((double)labels[r] == (double)l ? 1.0 : 0.0);

            sum += miss * miss;
        }
    return sum / (double)rows;
}

static void test_better_than_constant(void **state)
{
    static const char *const costs[] = { "absolute", "squared", "oerr" };
    enum { LEVELS = 5 };
    gradus_dataset *train = make_synth(1, "web", PAIRS("queries", "120"));
    gradus_dataset *test = make_synth(1, "web", PAIRS("queries", "60", "first-query", "1001"));
    const size_t rows = gradus_dataset_rows(test);
    double *p = malloc(rows * LEVELS * sizeof *p), shares[LEVELS] = { 0.0 }, constant;
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t r = 0; r < gradus_dataset_rows(train); r++)
        shares[(size_t)train->arrays.labels[r]] += 1.0 / (double)gradus_dataset_rows(train);
    constant = brier(test, shares, LEVELS, 0);
    for (size_t c = 0; c < 3; c++) {
        gradus_model *model = train_cocr(train, costs[c]);
        double found;

        assert_int_equal(gradus_model_probabilities(NULL, model, test, p, &err), GRADUS_OK);
        found = brier(test, p, LEVELS, LEVELS);
        print_message("%s: %.4f, a constant: %.4f\n", costs[c], found, constant);
        assert_true(found < constant);
        gradus_model_free(model);
    }
    free(p);
    gradus_dataset_free(train);
    gradus_dataset_free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimum),
        cmocka_unit_test(test_prior_is_kept),
        cmocka_unit_test(test_degenerate_costs),
        cmocka_unit_test(test_better_than_constant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
