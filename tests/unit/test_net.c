/* SPDX-License-Identifier: Apache-2.0 */
/* Neural networks: losses and gradients, kernels against plain loops, training from rows to a file.
 */
#include "query_sets.h"
#include "seal.h"

#include "learners/net/net.h"
#include "model/model.h"

enum { LIST = 13 };

/* Labels ascending by row, as required by the pairwise losses. */
static const float list_labels[LIST] = { 2, 0, 1, 0, 0, 3, 1, 0, 2, 0, 1, 0, 0 };
static const uint32_t list_rows[LIST] = { 1, 3, 4, 7, 9, 11, 12, 2, 6, 10, 0, 8, 5 };
static const float list_weights[LIST] = { 1, .5f, 2, 1, 0, 1, 3, 1, 1, .25f, 1, 1, 1 };

static gr_list make_list(double *scores, const float *weights)
{
    gr_rng rng = gr_rng_for(7, "scores", 0);

    for (size_t r = 0; r < LIST; r++)
        scores[r] = 1.7 * gr_rng_normal(&rng);
    return (gr_list){ .count = LIST,
                      .scores = scores,
                      .labels = list_labels,
                      .weights = weights,
                      .rows = list_rows,
                      .sigma = 1.3 };
}

static void test_slopes_are_those_of_the_losses(void **state)
{
    static const gr_list_loss losses[] = { GR_LOSS_RANKNET, GR_LOSS_LISTNET, GR_LOSS_LISTMLE,
                                           GR_LOSS_NET_SQUARED };
    double scores[LIST], scratch[GR_LIST_SCRATCH(LIST)];
    const double h = 1e-5;

    (void)state;
    for (size_t w = 0; w < 2; w++)
        for (size_t l = 0; l < 4; l++) {
            const gr_list list = make_list(scores, w ? list_weights : NULL);
            float slopes[LIST], unused[LIST];

            gr_list_slopes(losses[l], &list, slopes, scratch);
            for (size_t r = 0; r < LIST; r++) {
                const double kept = scores[r];

                scores[r] = kept + h;
                const double up = gr_list_slopes(losses[l], &list, unused, scratch);
                scores[r] = kept - h;
                const double down = gr_list_slopes(losses[l], &list, unused, scratch);
                scores[r] = kept;
                CHECK_NEAR((double)slopes[r], (up - down) / (2.0 * h), 2e-7);
            }
        }
}

/* log(1 + e^-x), pair by pair, as in the paper. */
static void test_ranknet_is_the_sum_over_pairs(void **state)
{
    double scores[LIST], scratch[GR_LIST_SCRATCH(LIST)], wanted[LIST] = { 0 }, loss = 0.0;
    const gr_list list = make_list(scores, NULL);
    float slopes[LIST];
    size_t pairs = 0;

    (void)state;
    for (size_t i = 0; i < LIST; i++)
        for (size_t j = 0; j < LIST; j++)
            if (list_labels[i] > list_labels[j]) {
                const double x = list.sigma * (scores[i] - scores[j]);

                loss += log1p(exp(-x));
                wanted[i] -= list.sigma / (1.0 + exp(x));
                wanted[j] += list.sigma / (1.0 + exp(x));
                pairs++;
            }
    CHECK_NEAR(gr_list_slopes(GR_LOSS_RANKNET, &list, slopes, scratch), loss / (double)pairs,
               1e-10);
    for (size_t r = 0; r < LIST; r++)
        CHECK_NEAR((double)slopes[r], wanted[r] / (double)pairs, 1e-8);
}

/* Three rows of grades 2, 1, 0 with scores 0, ln 2, ln 3: probabilities 1/6, then 2/5 of the rest.
 */
static void test_losses_worked_by_hand(void **state)
{
    const float labels[] = { 2, 1, 0 };
    const double scores[] = { 0.0, log(2.0), log(3.0) };
    const uint32_t rows[] = { 2, 1, 0 };
    const gr_list list = {
        .count = 3, .scores = scores, .labels = labels, .rows = rows, .sigma = 1.0
    };
    const double all = exp(2.0) + exp(1.0) + 1.0;
    double scratch[GR_LIST_SCRATCH(3)];
    float slopes[3];

    (void)state;
    CHECK_NEAR(gr_list_slopes(GR_LOSS_LISTMLE, &list, slopes, scratch),
               (log(6.0) + log(5.0 / 2.0)) / 3.0, 1e-14);
    CHECK_NEAR((double)slopes[0], (1.0 / 6.0 - 1.0) / 3.0, 1e-7);
    CHECK_NEAR((double)slopes[1], (2.0 / 6.0 + 2.0 / 5.0 - 1.0) / 3.0, 1e-7);
    CHECK_NEAR((double)slopes[2], (3.0 / 6.0 + 3.0 / 5.0) / 3.0, 1e-7);
    CHECK_NEAR(gr_list_slopes(GR_LOSS_LISTNET, &list, slopes, scratch),
               (exp(2.0) * log(6.0) + exp(1.0) * log(3.0) + log(2.0)) / all, 1e-14);
    CHECK_NEAR((double)slopes[0], 1.0 / 6.0 - exp(2.0) / all, 1e-7);
    CHECK_NEAR(gr_list_slopes(GR_LOSS_RANKNET, &list, slopes, scratch),
               (log(3.0) + log(4.0) + log(2.5)) / 3.0, 1e-11);
}

typedef struct net_case {
    float *weights, *values, *units, *scores, *slopes, *sums;
    gr_layer layer;
    gr_layer_sums back;
    size_t rows;
} net_case;

static net_case make_case(size_t rows, size_t features, size_t units, gr_activation activation)
{
    const size_t pitch = gr_net_pitch(units), count = gr_net_count(features, units);
    gr_rng rng = gr_rng_for(rows + features, "case", units);
    net_case made = { .weights = calloc(count, sizeof(float)),
                      .values = calloc(rows * features, sizeof(float)),
                      .units = calloc(rows * pitch, sizeof(float)),
                      .scores = calloc(rows, sizeof(float)),
                      .slopes = calloc(rows, sizeof(float)),
                      .sums = calloc(count, sizeof(float)),
                      .rows = rows };

    for (size_t i = 0; i + 1 < count; i++)
        made.weights[i] = i % pitch < units ? (float)gr_rng_normal(&rng) * 0.5f : 0.0f;
    for (size_t i = 0; i < rows * features; i++)
        made.values[i] = (float)gr_rng_normal(&rng);
    for (size_t r = 0; r < rows; r++)
        made.slopes[r] = (float)gr_rng_normal(&rng);
    made.layer = (gr_layer){ .features = features,
                             .pitch = pitch,
                             .activation = activation,
                             .weights = made.weights,
                             .biases = made.weights + features * pitch,
                             .output = made.weights + (features + 1) * pitch };
    made.back = (gr_layer_sums){ made.sums, made.sums + features * pitch,
                                 made.sums + (features + 1) * pitch };
    return made;
}

static void end_case(net_case *made)
{
    free(made->weights);
    free(made->values);
    free(made->units);
    free(made->scores);
    free(made->slopes);
    free(made->sums);
}

static void run_case(net_case *made, const gr_net_kernels *kernels)
{
    kernels->forward(&made->layer, made->values, made->rows, made->layer.features, made->units,
                     made->scores);
    kernels->backward(&made->layer, made->values, made->rows, made->layer.features, made->units,
                      made->slopes, &made->back);
}

static void test_kernels_are_alike(void **state)
{
    static const size_t shapes[][3] = { { 1, 1, 1 }, { 7, 5, 3 }, { 50, 46, 10 }, { 19, 33, 40 } };

    (void)state;
    for (size_t s = 0; s < 4; s++)
        for (int activation = 0; activation < 2; activation++) {
            const size_t rows = shapes[s][0], features = shapes[s][1], units = shapes[s][2];
            const size_t count = gr_net_count(features, units);
            net_case plain = make_case(rows, features, units, (gr_activation)activation);
            net_case first = make_case(rows, features, units, (gr_activation)activation);

            run_case(&plain, &gr_net_plain);
            run_case(&first, gr_net_layers_here());
            for (size_t r = 0; r < rows; r++)
                CHECK_NEAR((double)first.scores[r], (double)plain.scores[r], 2e-5);
            for (size_t i = 0; i < count; i++)
                CHECK_NEAR((double)first.sums[i], (double)plain.sums[i], 2e-4);
            end_case(&plain);
            end_case(&first);
        }
}

/* Through the network: the gradient against finite differences of each weight. */
static void test_slopes_of_weights_are_differences(void **state)
{
    net_case made = make_case(9, 4, 3, GR_TANH);
    const size_t count = gr_net_count(4, 3);

    (void)state;
    run_case(&made, gr_net_layers_here());
    for (size_t i = 0; i + 1 < count; i++) {
        const float kept = made.weights[i], h = 0.01f;
        double change = 0.0;

        if (i % 16 >= 3) {
            CHECK_NEAR((double)made.sums[i], 0.0, 0.0);
            continue;
        }
        for (int side = -1; side < 2; side += 2) {
            made.weights[i] = kept + (float)side * h;
            gr_net_plain.forward(&made.layer, made.values, 9, 4, made.units, made.scores);
            for (size_t r = 0; r < 9; r++)
                change += side * (double)made.slopes[r] * (double)made.scores[r];
        }
        made.weights[i] = kept;
        CHECK_NEAR((double)made.sums[i], change / (2.0 * (double)h), 2e-3);
    }
    end_case(&made);
}

static const char *const methods[] = { "ranknet", "lambdarank", "listnet", "listmle", "netreg" };

static void test_units_learn_what_lines_cannot(void **state)
{
    query_set train = make_query_set(150, 1, false), test = make_query_set(100, 2, false);

    (void)state;
    for (size_t m = 0; m < 5; m++) {
        gradus_model *line =
            train_on(0, &train, NULL, methods[m],
                     "rounds=25 hidden=0 net-rate=0.02 transform=standardise", NULL);
        gradus_model *net =
            train_on(0, &train, NULL, methods[m],
                     "rounds=25 hidden=16 net-rate=0.02 transform=standardise", NULL);
        const double a = fraction_in_order(&test, line), b = fraction_in_order(&test, net);

        if (!(a > 0.7) || !(b > a + 0.04)) {
            print_error("%s: line %g, net %g\n", methods[m], a, b);
            fail();
        }
        gradus_model_free(line);
        gradus_model_free(net);
    }
    end_query_set(&train);
    end_query_set(&test);
}

static void test_steps_that_are_too_long_end_in_an_error(void **state)
{
    query_set s = make_query_set(40, 8, false);
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t m = 0; m < 5; m++) {
        assert_null(train_on(1, &s, NULL, methods[m],
                             "rounds=50 net-rate=1e6 activation=relu hidden=10", &err));
        assert_int_equal(err.status, GRADUS_BAD_NUMBER);
        assert_non_null(strstr(err.message, "training diverged"));
    }
    end_query_set(&s);
}

static void test_queries_of_one_grade_are_counted(void **state)
{
    query_set s = make_query_set(12, 9, false);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = train_on(1, &s, NULL, "ranknet", "rounds=1", NULL);

    (void)state;
    assert_int_equal(model->result_count, 2);
    assert_string_equal(model->results[1].name, "queries skipped");
    assert_true(model->results[1].value >= 2.0); /* one of one row, one of a single grade */
    gradus_model_free(model);
    for (size_t r = 0; r < s.rows; r++)
        s.labels[r] = 1.0f;
    assert_null(train_on(1, &s, NULL, "listnet", "rounds=1", &err));
    assert_non_null(strstr(err.message, "nothing to learn from"));
    end_query_set(&s);
}

static void test_numbers_that_no_net_has_are_refused(void **state)
{
    float weights[(2 + 2) * 16 + 1] = { 0 };
    gr_net net = { .features = 2, .units = 3, .weights = weights };

    (void)state;
    assert_int_equal(gr_net_check(&net, NULL), GRADUS_OK);
    weights[3] = 1.0f; /* of a fourth unit */
    assert_int_equal(gr_net_check(&net, NULL), GRADUS_BAD_FORMAT);
    weights[3] = 0.0f;
    weights[16] = NAN;
    assert_int_equal(gr_net_check(&net, NULL), GRADUS_BAD_FORMAT);
    weights[16] = INFINITY;
    assert_int_equal(gr_net_check(&net, NULL), GRADUS_BAD_FORMAT);
    weights[16] = -2.5f;
    weights[64] = 1.0f; /* the bias, after the units */
    assert_int_equal(gr_net_check(&net, NULL), GRADUS_OK);
}

/* A checkpoint, so that all sections are present. */
static char *checkpoint_bytes(size_t *size)
{
    query_set s = make_query_set(12, 9, false);
    gradus_options *options = training_options("ranknet", "rounds=4 hidden=3");
    const gradus_training_input input = { .train = s.data, .valid = s.data };
    gradus_training *training = gradus_training_new(NULL, &input, options, NULL);
    gradus_model *model;
    char *bytes;
    bool done;

    gradus_training_step(training, &done, NULL);
    model = gradus_training_checkpoint(training, NULL);
    bytes = model_bytes(model, size);
    gradus_model_free(model);
    gradus_training_free(training);
    gradus_options_free(options);
    end_query_set(&s);
    return bytes;
}

static void refuses(char *bytes, size_t size, const char *why)
{
    char *aligned = aligned_alloc(64, (size + 63) / 64 * 64);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model;

    memcpy(aligned, bytes, size);
    model = gr_model_parse(aligned, size, "it", &err);
    if (model || !strstr(err.message, why)) {
        print_error("expected '%s', found '%s'\n", why, err.message);
        fail();
    }
    free(aligned);
}

static void test_damaged_nets_are_refused(void **state)
{
    static const struct {
        const char *from, *to, *why;
    } edits[] = {
        { "\"units\":3", "\"units\":4097", "too many units" },
        { "\"units\":3", "\"units\":17", "weights" },
        { "\"units\":3", "\"units\":2", "a weight past the last unit is not 0" },
        { "\"units\":3", "\"units\":0", "weights" },
        { "\"units\":3", "\"units\":-3", "units" },
        { "\"units\":3", "\"unit\":3", "units" },
        { "\"tanh\",\"rounds\":", "\"sinh\",\"rounds\":", "unknown activation 'sinh'" },
        { "\"activation\":\"tanh\",\"rounds\"", "\"activity\":\"tanh\",\"rounds\"",
          "its activation is missing" },
    };
    size_t size, new_size = 0;
    char *bytes = checkpoint_bytes(&size);

    (void)state;
    for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
        char *edited = seal_edited(bytes, size, edits[e].from, edits[e].to, &new_size);

        assert_non_null(edited);
        refuses(edited, new_size, edits[e].why);
        free(edited);
    }
    memset(bytes + seal_section(bytes, "weights"), 0xff, 8); /* NAN */
    seal_model(bytes, size);
    refuses(bytes, size, "a weight is not a finite number");
    free(bytes);
}

/* A checkpoint whose numbers cannot result from training is rejected. */
static void test_damaged_states_are_refused(void **state)
{
    query_set s = make_query_set(12, 9, false);
    const size_t count = gr_net_count(s.data->arrays.features, 3);
    const struct {
        size_t at;
        double number;
        const char *why;
    } edits[] = { { 0, -1.0, "a moment is not a number" },
                  { 1, (double)NAN, "a moment is not a number" },
                  { count + 1, -1.0, "a moment is not a number" },
                  { 2 * count + 1, 2.0, "belongs to a different training" },
                  { 2 * count + 2, 1e30, "a weight is not a finite number" } };
    gradus_options *options = training_options("ranknet", "rounds=4 hidden=3");
    size_t size;
    char *bytes = checkpoint_bytes(&size);

    (void)state;
    for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
        char *copy = aligned_alloc(64, (size + 63) / 64 * 64);
        gradus_training_input input = { .train = s.data, .valid = s.data, .resume = true };
        gradus_error err = { GRADUS_OK, "" };
        gradus_model *half;

        memcpy(copy, bytes, size);
        memcpy(copy + seal_section(copy, "numbers") + 8 * edits[e].at, &edits[e].number, 8);
        seal_model(copy, size);
        half = gr_model_parse(copy, size, "it", NULL);
        assert_non_null(half);
        input.start = half;
        assert_null(gradus_training_new(NULL, &input, options, &err));
        if (!strstr(err.message, edits[e].why))
            print_error("expected '%s', found '%s'\n", edits[e].why, err.message);
        assert_non_null(strstr(err.message, edits[e].why));
        gradus_model_free(half);
        free(copy);
    }
    free(bytes);
    gradus_options_free(options);
    end_query_set(&s);
}

/* Interrupted after 4 of 9 rounds: the state of the other optimiser, without hidden units. */
static void test_resumed_training_is_the_same(void **state)
{
    query_set train = make_query_set(40, 5, true), valid = make_query_set(30, 6, false);

    (void)state;
    check_resumed(&train, &valid, 4, "lambdarank", "rounds=9 net-rate=0.05 optimiser=sgd hidden=0");
    end_query_set(&train);
    end_query_set(&valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes_are_those_of_the_losses),
        cmocka_unit_test(test_ranknet_is_the_sum_over_pairs),
        cmocka_unit_test(test_losses_worked_by_hand),
        cmocka_unit_test(test_kernels_are_alike),
        cmocka_unit_test(test_slopes_of_weights_are_differences),
        cmocka_unit_test(test_units_learn_what_lines_cannot),
        cmocka_unit_test(test_resumed_training_is_the_same),
        cmocka_unit_test(test_steps_that_are_too_long_end_in_an_error),
        cmocka_unit_test(test_queries_of_one_grade_are_counted),
        cmocka_unit_test(test_numbers_that_no_net_has_are_refused),
        cmocka_unit_test(test_damaged_nets_are_refused),
        cmocka_unit_test(test_damaged_states_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
