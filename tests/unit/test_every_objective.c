/* SPDX-License-Identifier: Apache-2.0 */
/* Every objective of objectives.def, for every choice of the objectives' options: gradients are the
 * slopes of the loss. Objectives without a loss move pairs of documents against each other: the
 * gradients of a query sum to 0, the better of two documents is moved up, and exchanging two
 * documents exchanges their gradients. Bits do not depend on the number of threads. */
#include "checks.h"

#include "base/rng.h"
#include "objectives/objective.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 28,
    QUERIES = 4,
    LARGE = 12000,
    LARGE_QUERIES = 1000,
    MAX_LEVELS = 5,
    MAX_CHOICES = 8,
    MAX_VARIANTS = 256
};

/* Rows of random grades, row weights and scores. */
typedef struct sample {
    gr_problem problem;
    uint64_t *starts;
    float *labels, *row_weights;
    uint8_t *level_of;
    double level_labels[MAX_LEVELS], costs[MAX_LEVELS * MAX_LEVELS];
    double targets[MAX_LEVELS * MAX_LEVELS], weights[MAX_LEVELS * MAX_LEVELS];
    double *scores;
    float *gradients, *hessians;
} sample;

static sample make_sample(size_t rows, size_t queries, size_t levels)
{
    gr_rng rng = gr_rng_for(levels, "objectives", rows);
    sample s = { .starts = calloc(queries + 1, sizeof(uint64_t)),
                 .labels = calloc(rows, sizeof(float)),
                 .row_weights = calloc(rows, sizeof(float)),
                 .level_of = calloc(rows, 1),
                 .scores = calloc(MAX_LEVELS * rows, sizeof(double)),
                 .gradients = calloc(MAX_LEVELS * rows, sizeof(float)),
                 .hessians = calloc(MAX_LEVELS * rows, sizeof(float)) };

    for (size_t l = 0; l < levels; l++) {
        s.level_labels[l] = (double)l;
        for (size_t m = 0; m < l; m++)
            s.costs[m * levels + l] = (double)(l - m); /* pairrank: m ranked above l */
    }
    for (size_t q = 0; q <= queries; q++)
        s.starts[q] = q * rows / queries;
    for (size_t r = 0; r < rows; r++) {
        s.level_of[r] = (uint8_t)gr_rng_below(&rng, levels);
        s.labels[r] = (float)s.level_of[r];
        s.row_weights[r] = 0.5f + (float)gr_rng_below(&rng, 4);
    }
    for (size_t i = 0; i < MAX_LEVELS * rows; i++)
        s.scores[i] = 1.3 * gr_rng_normal(&rng);
    s.problem = (gr_problem){ .rows = rows,
                              .queries = queries,
                              .query_starts = s.starts,
                              .labels = s.labels,
                              .levels = levels,
                              .level_of = s.level_of };
    return s;
}

static void free_sample(sample *s)
{
    free(s->starts);
    free(s->labels);
    free(s->row_weights);
    free(s->level_of);
    free(s->scores);
    free(s->gradients);
    free(s->hessians);
}

/* The kinds of problem that reductions pose. */
typedef enum shape { SHAPE_LABELS, SHAPE_ABOVE, SHAPE_CLASSES, SHAPES } shape;
typedef enum weighing { WEIGHS_NOTHING, WEIGHS_ROWS, WEIGHS_LEVELS, WEIGHINGS } weighing;

static void pose(sample *s, shape form, weighing by)
{
    const size_t levels = s->problem.levels;

    s->problem.level_labels = s->level_labels;
    s->problem.outputs = form == SHAPE_LABELS ? 1 : form == SHAPE_ABOVE ? levels - 1 : levels;
    for (size_t k = 0; k < s->problem.outputs; k++)
        for (size_t l = 0; l < levels; l++) {
            s->targets[k * levels + l] = form == SHAPE_ABOVE ? l > k : l == k;
            /* classes share a loss, and therefore the weight of a row */
            s->weights[k * levels + l] =
                0.3 + 0.7 * (double)((form == SHAPE_CLASSES ? l : k * levels + l) % 5);
        }
    s->problem.targets = form == SHAPE_LABELS ? NULL : s->targets;
    s->problem.row_weights = by == WEIGHS_NOTHING ? NULL : s->row_weights;
    s->problem.weights = by == WEIGHS_LEVELS ? s->weights : NULL;
}

/* Every combination of flags and choices; numbers keep their defaults. */
static const gr_operation operation = { .name = "objective",
                                        .summary = "",
                                        .params = gr_objective_params,
                                        .size = sizeof(gr_objective_options) };

static size_t values_of(const gr_param *param)
{
    size_t count = 0;

    if (param->about.kind == GRADUS_FLAG)
        return 2;
    while (param->about.kind == GRADUS_CHOICE && param->about.choices[count])
        count++;
    return count ? count : 1;
}

/* False past the last combination. */
static bool variant(size_t number, const sample *s, gr_objective_options *options)
{
    gr_param param;

    memset(options, 0, sizeof *options); /* what is not a parameter */
    assert_int_equal(gr_options_get(NULL, &operation, options, NULL), GRADUS_OK);
    for (size_t i = 0; gr_param_number(&operation, i, &param); i++) {
        const size_t values = values_of(&param), value = number % values;
        char *field = (char *)options + param.offset;

        number /= values;
        if (param.about.kind == GRADUS_FLAG)
            memcpy(field, &(bool){ value == 1 }, sizeof(bool));
        else if (param.about.kind == GRADUS_CHOICE)
            memcpy(field, &(int){ (int)value }, sizeof(int));
    }
    options->max_grade = 4.0;
    options->pair_costs = s->costs;
    return number == 0;
}

/* NULL state and false if the objective rejects the problem. */
static bool begin(const gr_objective *objective, const sample *s,
                  const gr_objective_options *options, gr_pool *pool, void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    bool separated;

    *state = NULL;
    if (objective->begin(&s->problem, options, pool, state, &err) != GRADUS_OK) {
        assert_true(err.message[0] && !*state);
        return false;
    }
    if (objective->fit_thresholds)
        assert_int_equal(
            objective->fit_thresholds(*state, &s->problem, s->scores, pool, &separated, &err),
            GRADUS_OK);
    return true;
}

static void end(const gr_objective *objective, void *state)
{
    if (objective->end)
        objective->end(state);
}

static void compute(const gr_objective *objective, void *state, sample *s, gr_pool *pool)
{
    gradus_error err = { GRADUS_OK, "" };

    if (objective->gradients(state, &s->problem, s->scores, s->gradients, s->hessians, pool,
                             &err) != GRADUS_OK)
        fail_msg("%s: %s", objective->about.name, err.message);
}

/* Of a dozen scores: each takes two evaluations of the loss. */
static void check_slopes(const gr_objective *objective, void *state, sample *s)
{
    const double d = 1e-5, rows = (double)s->problem.rows;
    const size_t count = s->problem.outputs * s->problem.rows;

    compute(objective, state, s, NULL);
    for (size_t i = 0; i < count; i += 1 + count / 12) {
        const double kept = s->scores[i], h = (double)s->hessians[i];

        s->scores[i] = kept + d;
        const double up = objective->loss(state, &s->problem, s->scores);
        s->scores[i] = kept - d;
        const double down = objective->loss(state, &s->problem, s->scores);
        s->scores[i] = kept;
        if (!(fabs((double)s->gradients[i] - (up - down) / (2.0 * d) * rows) <= 1e-4 + 1e-5 * h) ||
            !(h >= 0.0) || !isfinite(h))
            fail_msg("%s, %zu grades, %zu outputs: gradient %g, slope %g, hessian %g",
                     objective->about.name, s->problem.levels, s->problem.outputs,
                     (double)s->gradients[i], (up - down) / (2.0 * d) * rows, h);
    }
}

/* Within each query: gradients sum to 0. */
static void check_sums(const gr_objective *objective, void *state, sample *s)
{
    double all = 0.0;

    compute(objective, state, s, NULL);
    for (size_t q = 0; q < s->problem.queries; q++) {
        double sum = 0.0, size = 0.0;

        for (uint64_t r = s->starts[q]; r < s->starts[q + 1]; r++) {
            sum += (double)s->gradients[r];
            size += fabs((double)s->gradients[r]);
            assert_true(s->hessians[r] >= 0.0f);
        }
        CHECK_NEAR(sum, 0.0, 1e-6 * (1e-6 + size));
        all += size;
    }
    assert_true(all > 0.0);
}

/* A query of two documents. */
static void check_two(const gr_objective *objective, const gr_objective_options *options)
{
    sample s = make_sample(2, 1, 2);
    float first[2];
    void *state;

    pose(&s, SHAPE_LABELS, WEIGHS_NOTHING);
    s.labels[0] = 1.0f;
    s.labels[1] = 0.0f;
    s.level_of[0] = 1;
    s.level_of[1] = 0;
    assert_true(begin(objective, &s, options, NULL, &state));
    compute(objective, state, &s, NULL);
    end(objective, state);
    memcpy(first, s.gradients, sizeof first);
    if (!(first[0] < 0.0f) || first[0] != -first[1])
        fail_msg("%s: gradients %g and %g", objective->about.name, (double)first[0],
                 (double)first[1]);
    const double kept = s.scores[0];

    s.scores[0] = s.scores[1];
    s.scores[1] = kept;
    s.labels[0] = 0.0f;
    s.labels[1] = 1.0f;
    s.level_of[0] = 0;
    s.level_of[1] = 1;
    assert_true(begin(objective, &s, options, NULL, &state));
    compute(objective, state, &s, NULL);
    end(objective, state);
    assert_true(s.gradients[0] == first[1] && s.gradients[1] == first[0]);
    free_sample(&s);
}

/* Variants that give the gradients of an earlier one are not checked again. */
typedef struct seen {
    float *gradients[MAX_VARIANTS];
    size_t count;
} seen;

static bool is_new(seen *known, const sample *s)
{
    const size_t size = s->problem.outputs * s->problem.rows * sizeof(float);

    for (size_t i = 0; i < known->count; i++)
        if (memcmp(known->gradients[i], s->gradients, size) == 0)
            return false;
    assert_true(known->count < MAX_VARIANTS);
    known->gradients[known->count] = malloc(size);
    memcpy(known->gradients[known->count++], s->gradients, size);
    return true;
}

static void forget(seen *known)
{
    while (known->count > 0)
        free(known->gradients[--known->count]);
}

/* Returns whether the objective takes the problem. The options in all combinations for three
 * grades, with their first values for others. */
static bool check_problem(const gr_objective *objective, sample *s)
{
    gr_objective_options options;
    seen known = { .count = 0 };
    bool taken = false;

    for (size_t v = 0; variant(v, s, &options) && (v == 0 || s->problem.levels == 3); v++) {
        void *state;

        if (!begin(objective, s, &options, NULL, &state))
            continue;
        taken = true;
        compute(objective, state, s, NULL);
        if (is_new(&known, s)) {
            if (objective->loss)
                check_slopes(objective, state, s);
            else if (!s->problem.row_weights && !s->problem.weights)
                check_sums(objective, state, s);
            if (!objective->loss)
                check_two(objective, &options);
        }
        end(objective, state);
    }
    forget(&known);
    return taken;
}

static void test_gradients_are_slopes_or_opposed(void **state)
{
    (void)state;
    for (size_t o = 0; gr_objectives_at(o); o++)
        for (size_t levels = 2; levels <= MAX_LEVELS; levels++) {
            const gr_objective *objective = gr_objective_find(gr_objectives_at(o)->name);
            sample s = make_sample(SMALL, QUERIES, levels);
            bool taken = false;

            for (shape form = 0; form < SHAPES; form++)
                for (weighing by = 0; by < (levels == 3 ? WEIGHINGS : WEIGHS_LEVELS); by++) {
                    pose(&s, form, by);
                    taken |= check_problem(objective, &s);
                }
            if (!taken)
                fail_msg("'%s' takes no problem of %zu grades", objective->about.name, levels);
            free_sample(&s);
        }
}

static void check_threads(const gr_objective *objective, sample *s,
                          const gr_objective_options *options)
{
    static const size_t threads[] = { 2, 3, 8 };
    const size_t count = s->problem.outputs * s->problem.rows;
    float *wanted = calloc(2 * count, sizeof *wanted);
    void *state;

    for (size_t t = 0; t < 3; t++) {
        gr_pool *pool = gr_pool_new(threads[t], NULL);

        assert_non_null(pool);
        assert_true(begin(objective, s, options, pool, &state));
        if (t == 0) {
            void *alone;

            assert_true(begin(objective, s, options, NULL, &alone));
            compute(objective, alone, s, NULL);
            end(objective, alone);
            memcpy(wanted, s->gradients, count * sizeof *wanted);
            memcpy(wanted + count, s->hessians, count * sizeof *wanted);
        }
        compute(objective, state, s, pool);
        if (memcmp(wanted, s->gradients, count * sizeof *wanted) != 0 ||
            memcmp(wanted + count, s->hessians, count * sizeof *wanted) != 0)
            fail_msg("%s: %zu threads give other bits", objective->about.name, threads[t]);
        end(objective, state);
        gr_pool_free(pool);
    }
    free(wanted);
}

/* Which variants differ is found with few rows. */
static void test_threads_give_the_same_bits(void **state)
{
    sample s = make_sample(LARGE, LARGE_QUERIES, 4), few = make_sample(SMALL, QUERIES, 4);

    (void)state;
    for (size_t o = 0; gr_objectives_at(o); o++)
        for (shape form = 0; form < SHAPES; form++) {
            const gr_objective *objective = gr_objective_find(gr_objectives_at(o)->name);
            gr_objective_options options;
            seen known = { .count = 0 };

            pose(&s, form, WEIGHS_ROWS);
            pose(&few, form, WEIGHS_ROWS);
            for (size_t v = 0; variant(v, &few, &options); v++) {
                void *own;

                if (!begin(objective, &few, &options, NULL, &own))
                    continue;
                compute(objective, own, &few, NULL);
                end(objective, own);
                if (is_new(&known, &few))
                    check_threads(objective, &s, &options);
            }
            forget(&known);
        }
    free_sample(&few);
    free_sample(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_are_slopes_or_opposed),
        cmocka_unit_test(test_threads_give_the_same_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
