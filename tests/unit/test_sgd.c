/* Stochastic gradients: what they come to, against minimisers found otherwise; and that models of a
 * grid, labels, shards and threads do not get in each other's way. */
#include "check.h"

#include "base/context.h"
#include "base/math.h"
#include "learners/sgd/hashed.h"
#include "learners/sgd/random.h"
#include "learners/sgd/sgd.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 48, QUERIES = 5, FEATURES = 4, WEIGHTS = FEATURES + 1 };

static float values[ROWS * FEATURES], labels[ROWS];
static const uint64_t starts[QUERIES + 1] = { 0, 6, 17, 19, 30, ROWS };
static const double level_labels[] = { 0, 1, 2 };
static uint8_t level_of[ROWS];
static char last_note[400];

static void keep_note(void *user, const char *note)
{
    (void)user;
    snprintf(last_note, sizeof last_note, "%s", note);
}

static double uniform(uint64_t stream, uint64_t place)
{
    return (double)(gr_sgd_random(stream, place) >> 11) * 0x1p-53;
}

/* Grades 0 to 2 that depend on the features, with noise. */
static void make_rows(void)
{
    for (size_t r = 0; r < ROWS; r++) {
        double score = 2.0 * uniform(9, r) - 0.5;

        for (size_t f = 0; f < FEATURES; f++) {
            values[r * FEATURES + f] = (float)(2.0 * uniform(f, r) - 1.0);
            score += ((double)f - 1.2) * (double)values[r * FEATURES + f];
        }
        labels[r] = score < 0.0 ? 0.0f : score < 1.3 ? 1.0f : 2.0f;
        level_of[r] = (uint8_t)labels[r];
    }
}

static gradus_dataset dense(void)
{
    make_rows();
    return (gradus_dataset){ .arrays = { .rows = ROWS,
                                         .features = FEATURES,
                                         .values = values,
                                         .stride = FEATURES,
                                         .labels = labels,
                                         .queries = QUERIES,
                                         .query_starts = starts } };
}

static gr_problem problem_of(const gradus_dataset *data)
{
    return (gr_problem){ .rows = data->arrays.rows,
                         .queries = data->arrays.queries,
                         .query_starts = data->arrays.query_starts,
                         .labels = data->arrays.labels,
                         .levels = 3,
                         .level_labels = level_labels,
                         .level_of = level_of,
                         .outputs = 1,
                         .row_weights = data->arrays.row_weights };
}

static gr_sgd_options options_of(const char *alpha, const char *lambda, uint64_t steps)
{
    return (gr_sgd_options){ .alpha = alpha,
                             .lambda = lambda,
                             .steps = steps,
                             .step_size = 0.1,
                             .precision = GR_SGD_DOUBLE,
                             .shards = 1 };
}

static gr_sgd *walked(const gradus_dataset *data, const gr_problem *problem,
                      const gr_sgd_options *options, gr_sgd_loss loss, size_t threads)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_pool *pool = gr_pool_new(threads, NULL);
    const gradus_context context = { .pool = pool, .note = keep_note };
    const gr_sgd_task task = { .context = &context,
                               .data = data,
                               .problem = problem,
                               .options = options,
                               .loss = loss,
                               .seed = 7,
                               .rounds = 10 };
    gr_sgd *sgd = gr_sgd_new(&task, &err);

    for (size_t i = 0; sgd && i < 10; i++)
        if (gr_sgd_round(sgd, &err) != GRADUS_OK) {
            gr_sgd_free(sgd);
            sgd = NULL;
        }
    if (!sgd)
        print_error("%s\n", err.message);
    assert_non_null(sgd);
    gr_pool_free(pool);
    return sgd;
}

static void weights_of(const gr_sgd *sgd, size_t model, size_t output, double *w)
{
    gr_linear linear;

    assert_int_equal(gr_sgd_linear(sgd, model, &linear, NULL), GRADUS_OK);
    memcpy(w, linear.coefficients + output * linear.features, linear.features * sizeof *w);
    w[linear.features] = linear.bases[output];
    gr_linear_free(&linear);
}

static void train(const gradus_dataset *data, const gr_sgd_options *options, gr_sgd_loss loss,
                  double *w)
{
    const gr_problem problem = problem_of(data);
    gr_sgd *sgd = walked(data, &problem, options, loss, 1);

    weights_of(sgd, 0, 0, w);
    gr_sgd_free(sgd);
}

/* Feature f of row r, or of a minus b; the last is the constant. */
static double feature(size_t a, size_t b, size_t f)
{
    const double x = f < FEATURES ? (double)values[a * FEATURES + f] : 1.0;

    return b == SIZE_MAX ? x : x - (f < FEATURES ? (double)values[b * FEATURES + f] : 1.0);
}

/* Calls take for all rows and pairs with their shares of the loss. */
typedef void taker(void *to, size_t a, size_t b, double share);
static void go_over(double alpha, taker *take, void *to)
{
    double pairs = 0.0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t q = 0; q < QUERIES; q++)
            for (size_t a = starts[q]; a < starts[q + 1]; a++)
                for (size_t b = starts[q]; b < a; b++)
                    if (labels[a] != labels[b]) {
                        if (pass == 0)
                            pairs += 1.0;
                        else
                            take(to, a, b, (1.0 - alpha) / pairs);
                    }
    for (size_t r = 0; r < ROWS; r++)
        take(to, r, SIZE_MAX, alpha / ROWS);
}

typedef struct normal_equations {
    double products[WEIGHTS][WEIGHTS], with_target[WEIGHTS];
} normal_equations;

static void add_products(void *to, size_t a, size_t b, double share)
{
    normal_equations *s = to;
    const double target = (double)labels[a] - (b == SIZE_MAX ? 0.0 : (double)labels[b]);

    for (size_t i = 0; i < WEIGHTS; i++) {
        for (size_t j = 0; j < WEIGHTS; j++)
            s->products[i][j] += share * feature(a, b, i) * feature(a, b, j);
        s->with_target[i] += share * target * feature(a, b, i);
    }
}

/* The minimiser for the squared loss: Gauss-Jordan on symmetric positive equations. */
static void solve_squared(double alpha, double lambda, double *w)
{
    normal_equations s = { .products = { { 0 } } };

    go_over(alpha, add_products, &s);
    for (size_t i = 0; i < WEIGHTS; i++)
        s.products[i][i] += lambda;
    for (size_t i = 0; i < WEIGHTS; i++)
        for (size_t r = 0; r < WEIGHTS; r++) {
            const double factor = s.products[r][i] / s.products[i][i];

            for (size_t j = 0; r != i && j < WEIGHTS; j++)
                s.products[r][j] -= factor * s.products[i][j];
            s.with_target[r] -= r == i ? 0.0 : factor * s.with_target[i];
        }
    for (size_t i = 0; i < WEIGHTS; i++)
        w[i] = s.with_target[i] / s.products[i][i];
}

/* Descent on the whole objective, for losses without a closed form. */
typedef struct descent {
    gr_sgd_loss loss;
    double w[WEIGHTS], gradient[WEIGHTS];
} descent;

static void add_gradient(void *to, size_t a, size_t b, double share)
{
    descent *d = to;
    const double y = (double)labels[a] - (b == SIZE_MAX ? 0.0 : (double)labels[b]);
    double z = 0.0, pull;

    for (size_t f = 0; f < WEIGHTS; f++)
        z += d->w[f] * feature(a, b, f);
    if (d->loss == GR_SGD_SQUARED)
        pull = y - z;
    else
        pull = (b == SIZE_MAX ? 0.5 * y : 0.5 * (1.0 + 0.5 * y)) - 1.0 / (1.0 + exp(-z));
    for (size_t f = 0; f < WEIGHTS; f++)
        d->gradient[f] += share * pull * feature(a, b, f);
}

/* Queries whose rows all have one label are no lists. */
static bool is_list(size_t q)
{
    for (size_t r = starts[q]; r < starts[q + 1]; r++)
        if (labels[r] != labels[starts[q]])
            return true;
    return false;
}

static void add_lists(descent *d, double beta)
{
    size_t lists = 0;

    for (size_t q = 0; q < QUERIES; q++)
        lists += is_list(q);
    for (size_t q = 0; q < QUERIES; q++) {
        double z[ROWS], sum = 0.0, targets = 0.0;

        if (!is_list(q))
            continue;

        for (size_t r = starts[q]; r < starts[q + 1]; r++) {
            z[r] = 0.0;
            for (size_t f = 0; f < FEATURES; f++)
                z[r] += d->w[f] * feature(r, SIZE_MAX, f);
            sum += exp(z[r]);
            targets += exp((double)labels[r]);
        }
        for (size_t r = starts[q]; r < starts[q + 1]; r++)
            for (size_t f = 0; f < FEATURES; f++)
                d->gradient[f] += beta / (double)lists * feature(r, SIZE_MAX, f) *
                                  (exp((double)labels[r]) / targets - exp(z[r]) / sum);
    }
}

static void descend(gr_sgd_loss loss, double alpha, double lambda, double beta, double l1,
                    double *w)
{
    const double length = 0.3;
    descent d = { .loss = loss };

    for (int i = 0; i < 1500; i++) {
        memset(d.gradient, 0, sizeof d.gradient);
        go_over(alpha, add_gradient, &d);
        if (beta > 0.0)
            add_lists(&d, beta);
        for (size_t f = 0; f < WEIGHTS; f++) {
            const double next = d.w[f] + length * (d.gradient[f] - lambda * d.w[f]);
            const double pull = f < FEATURES ? length * l1 : 0.0;

            d.w[f] = next > pull ? next - pull : next < -pull ? next + pull : 0.0;
        }
    }
    memcpy(w, d.w, sizeof d.w);
}

static double distance(const double *a, const double *b)
{
    double sum = 0.0;

    for (size_t f = 0; f < WEIGHTS; f++)
        sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sqrt(sum);
}

/* As steps grow, the distance to the minimiser falls about as the square root of their number. */
static void check_comes_to(const gradus_dataset *data, gr_sgd_options options, gr_sgd_loss loss,
                           const double *wanted)
{
    const double zero[WEIGHTS] = { 0 };
    double few[WEIGHTS], many[WEIGHTS];

    options.steps = 1000;
    train(data, &options, loss, few);
    options.steps = 128000;
    train(data, &options, loss, many);
    if (!(distance(many, wanted) < 0.35 * distance(few, wanted)) ||
        !(distance(many, wanted) < 0.03 * distance(wanted, zero))) {
        print_error("alpha %s, rule %d: off by %g after 1000 steps, %g after 128000, of %g\n",
                    options.alpha, options.rule, distance(few, wanted), distance(many, wanted),
                    distance(wanted, zero));
        fail();
    }
}

static void test_squared_loss_comes_to_the_closed_form(void **state)
{
    static const char *const alphas[] = { "0", "0.5", "1" };
    const gradus_dataset data = dense();

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        gr_sgd_options options = options_of(alphas[i], "0.05", 0);
        double wanted[WEIGHTS];

        solve_squared(0.5 * (double)i, 0.05, wanted);
        options.average = true;
        check_comes_to(&data, options, GR_SGD_SQUARED, wanted);
        options.precision = GR_SGD_FLOAT;
        check_comes_to(&data, options, GR_SGD_SQUARED, wanted);
    }
}

static void test_other_step_rules_come_to_the_same(void **state)
{
    const gradus_dataset data = dense();
    double wanted[WEIGHTS];

    (void)state;
    solve_squared(0.5, 0.05, wanted);
    for (int rule = GR_STEPS_CONSTANT; rule <= GR_STEPS_ADAGRAD; rule++) {
        gr_sgd_options options = options_of("0.5", "0.05", 0);

        options.average = true;
        options.rule = rule;
        options.step_size = rule == GR_STEPS_CONSTANT ? 0.005 : rule == GR_STEPS_SQRT ? 0.5 : 0.3;
        check_comes_to(&data, options, GR_SGD_SQUARED, wanted);
    }
}

static void test_logistic_loss_comes_to_its_minimum(void **state)
{
    static const char *const alphas[] = { "0", "0.5", "1" };
    const gradus_dataset data = dense();

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        gr_sgd_options options = options_of(alphas[i], "0.05", 0);
        double wanted[WEIGHTS];

        descend(GR_SGD_LOGISTIC, 0.5 * (double)i, 0.05, 0.0, 0.0, wanted);
        options.average = true;
        check_comes_to(&data, options, GR_SGD_LOGISTIC, wanted);
        assert_non_null(strstr(last_note, "labels from 0 to 2 become targets from 0 to 1"));
    }
}

static void test_lists_are_a_third_term(void **state)
{
    const gradus_dataset data = dense();
    gr_sgd_options options = options_of("0.3", "0.1", 0);
    double wanted[WEIGHTS];

    (void)state;
    descend(GR_SGD_SQUARED, 0.3, 0.1, 1.5, 0.0, wanted);
    options.average = true;
    options.listwise = 1.5;
    check_comes_to(&data, options, GR_SGD_SQUARED, wanted);
}

static void test_l1_makes_zeros(void **state)
{
    const gradus_dataset data = dense();
    gr_sgd_options options = options_of("0.5", "0.1", 200000);
    double wanted[WEIGHTS], found[WEIGHTS];

    (void)state;
    options.l1 = 0.2;
    descend(GR_SGD_SQUARED, 0.5, 0.1, 0.0, 0.2, wanted);
    for (int rule = GR_STEPS_PEGASOS; rule <= GR_STEPS_ADAGRAD; rule += GR_STEPS_ADAGRAD) {
        size_t zeros = 0;

        options.rule = rule;
        train(&data, &options, GR_SGD_SQUARED, found);
        for (size_t f = 0; f < FEATURES; f++) {
            zeros += wanted[f] == 0.0;
            CHECK_NEAR(found[f], wanted[f], 0.03);
            if (wanted[f] == 0.0 && rule == GR_STEPS_PEGASOS)
                CHECK_NEAR(found[f], 0.0, 0.0);
        }
        assert_true(zeros > 0 && zeros < FEATURES);
    }
}

/* One step worked by hand: step 1 has length 1 / lambda and begins at 0. */
static void test_a_first_step_by_hand(void **state)
{
    float x[] = { 0.25f, -0.5f }, y[] = { 3.0f };
    const uint64_t ends[] = { 0, 1 };
    const gradus_dataset data = { .arrays = { .rows = 1,
                                              .features = 2,
                                              .values = x,
                                              .stride = 2,
                                              .labels = y,
                                              .queries = 1,
                                              .query_starts = ends } };
    const gr_problem problem = problem_of(&data);
    gr_sgd_options options = options_of("1", "2", 1);
    double w[3];
    gr_sgd *sgd;

    (void)state;
    options.no_projection = true;
    sgd = walked(&data, &problem, &options, GR_SGD_SQUARED, 1);
    weights_of(sgd, 0, 0, w);
    CHECK_NEAR(w[0], 0.5 * 3.0 * 0.25, 1e-15);
    CHECK_NEAR(w[1], 0.5 * 3.0 * -0.5, 1e-15);
    CHECK_NEAR(w[2], 0.5 * 3.0, 1e-15);
    gr_sgd_free(sgd);
    /* the bound is sqrt(max(1, 9 / 4) / 2) */
    options.no_projection = false;
    sgd = walked(&data, &problem, &options, GR_SGD_SQUARED, 1);
    weights_of(sgd, 0, 0, w);
    CHECK_NEAR(sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), sqrt(2.25 / 2.0), 1e-12);
    CHECK_NEAR(w[0] / w[2], 0.25, 1e-12);
    gr_sgd_free(sgd);
}

/* One row, so that every step is known: dense weights are regularised after each of them. */
static void test_adagrad_regularises_every_step(void **state)
{
    enum { STEPS = 50 };
    float x[] = { 0.5f, -2.0f }, y[] = { 3.0f };
    const uint64_t ends[] = { 0, 1 };
    const gradus_dataset data = { .arrays = { .rows = 1,
                                              .features = 2,
                                              .values = x,
                                              .stride = 2,
                                              .labels = y,
                                              .queries = 1,
                                              .query_starts = ends } };
    const gr_problem problem = problem_of(&data);
    gr_sgd_options options = options_of("1", "2", STEPS);
    const double all[] = { 0.5, -2.0, 1.0 };
    double wanted[3] = { 0 }, squares[3] = { 0 }, w[3];
    gr_sgd *sgd;

    (void)state;
    options.rule = GR_STEPS_ADAGRAD;
    for (size_t i = 0; i < STEPS; i++) {
        const double pull = 3.0 - (0.5 * wanted[0] - 2.0 * wanted[1] + wanted[2]);

        for (size_t f = 0; f < 3; f++) {
            squares[f] += pull * pull * all[f] * all[f];
            wanted[f] += 0.1 * pull * all[f] / sqrt(squares[f]);
            wanted[f] /= 1.0 + 2.0 * 0.1 / sqrt(squares[f]);
        }
    }
    sgd = walked(&data, &problem, &options, GR_SGD_SQUARED, 1);
    weights_of(sgd, 0, 0, w);
    for (size_t f = 0; f < 3; f++)
        CHECK_NEAR(w[f], wanted[f], 1e-12);
    assert_int_equal(gr_sgd_steps(sgd), STEPS);
    gr_sgd_free(sgd);
}

static void test_a_grid_is_models_apart(void **state)
{
    const gradus_dataset data = dense();
    const gr_problem problem = problem_of(&data);
    const gr_sgd_options grid = options_of("0,0.5", "0.1,0.01,0.5", 3000);
    gr_sgd *all = walked(&data, &problem, &grid, GR_SGD_LOGISTIC, 3);

    (void)state;
    assert_int_equal(gr_sgd_models(all), 6);
    for (size_t m = 0; m < 6; m++) {
        static const char *const alphas[] = { "0", "0.5" }, *const lambdas[] = { "0.1", "0.01",
                                                                                 "0.5" };
        const gr_sgd_options one = options_of(alphas[m % 2], lambdas[m / 2], 3000);
        double wanted[WEIGHTS], found[WEIGHTS], alpha, lambda;

        train(&data, &one, GR_SGD_LOGISTIC, wanted);
        weights_of(all, m, 0, found);
        assert_memory_equal(found, wanted, sizeof wanted);
        gr_sgd_model(all, m, &alpha, &lambda);
        CHECK_NEAR(alpha, atof(alphas[m % 2]), 0.0);
        CHECK_NEAR(lambda, atof(lambdas[m / 2]), 0.0);
    }
    gr_sgd_free(all);
}

/* Each label against the rest is the minimiser of a problem with two labels. */
static void test_one_against_all(void **state)
{
    const gradus_dataset data = dense();
    gr_problem problem = problem_of(&data);
    gr_sgd_options options = options_of("0.5", "0.05", 128000);
    float kept[ROWS];
    gr_sgd *sgd;

    (void)state;
    problem.outputs = 3;
    options.one_vs_all = options.average = true;
    sgd = walked(&data, &problem, &options, GR_SGD_SQUARED, 2);
    memcpy(kept, labels, sizeof kept);
    for (size_t k = 0; k < 3; k++) {
        double wanted[WEIGHTS], found[WEIGHTS];

        for (size_t r = 0; r < ROWS; r++)
            labels[r] = kept[r] == (float)k ? 1.0f : 0.0f;
        solve_squared(0.5, 0.05, wanted);
        weights_of(sgd, 0, k, found);
        assert_true(distance(found, wanted) < 0.02);
    }
    memcpy(labels, kept, sizeof kept);
    gr_sgd_free(sgd);
}

static void test_threads_change_nothing(void **state)
{
    const gradus_dataset data = dense();
    const gr_problem problem = problem_of(&data);
    gr_sgd_options options = options_of("0.5", "0.1,0.02", 20000);
    double found[4][WEIGHTS];

    (void)state;
    options.average = true;
    options.shards = 5;
    for (size_t threads = 1; threads <= 4; threads++) {
        gr_sgd *sgd = walked(&data, &problem, &options, GR_SGD_HINGE, threads);

        weights_of(sgd, 1, 0, found[threads - 1]);
        assert_memory_equal(found[threads - 1], found[0], sizeof found[0]);
        gr_sgd_free(sgd);
    }
}

/* Sparse rows, hashed ones without collisions, and rows with missing values that are 0 elsewhere.
 */
static void test_forms_of_rows_come_to_the_same(void **state)
{
    enum { BITS = 12 };
    gradus_dataset data = dense();
    uint64_t row_starts[ROWS + 1];
    uint32_t columns[ROWS * FEATURES];
    float entries[ROWS * FEATURES];
    gr_sgd_options options = options_of("0.5", "0.1", 5000);
    double wanted[WEIGHTS], found[WEIGHTS], *wide = calloc((1 << BITS) + 1, sizeof *wide);

    (void)state;
    for (size_t i = 0; i < ROWS * FEATURES; i += 3)
        values[i] = 0.0f;
    row_starts[0] = 0;
    for (size_t r = 0, at = 0; r < ROWS; r++) {
        for (size_t f = 0; f < FEATURES; f++)
            if (values[r * FEATURES + f] != 0.0f) {
                columns[at] = (uint32_t)f;
                entries[at++] = values[r * FEATURES + f];
            }
        row_starts[r + 1] = at;
    }
    const gradus_dataset sparse = { .arrays = { .rows = ROWS,
                                                .features = FEATURES,
                                                .row_starts = row_starts,
                                                .columns = columns,
                                                .entries = entries,
                                                .labels = labels,
                                                .queries = QUERIES,
                                                .query_starts = starts } };
    const gr_problem problem = problem_of(&sparse);

    for (int rule = GR_STEPS_PEGASOS; rule <= GR_STEPS_ADAGRAD; rule += GR_STEPS_ADAGRAD) {
        gr_sgd *sgd;

        options.rule = rule;
        train(&data, &options, GR_SGD_SQUARED, wanted);
        train(&sparse, &options, GR_SGD_SQUARED, found);
        assert_true(distance(found, wanted) < 1e-9);
        for (size_t i = 0; i < ROWS * FEATURES; i += 3)
            values[i] = i % 2 ? NAN : INFINITY;
        train(&data, &options, GR_SGD_SQUARED, found);
        assert_true(distance(found, wanted) < 1e-9);
        for (size_t i = 0; i < ROWS * FEATURES; i += 3)
            values[i] = 0.0f;
        options.hash_bits = BITS;
        sgd = walked(&sparse, &problem, &options, GR_SGD_SQUARED, 1);
        weights_of(sgd, 0, 0, wide);
        for (size_t f = 0; f < FEATURES; f++) {
            float sign;
            const size_t bucket = gr_hash_bucket(f, BITS, &sign);

            /* AdaGrad regularises less often where there are more weights */
            CHECK_NEAR((double)sign * wide[bucket], wanted[f],
                       rule == GR_STEPS_ADAGRAD ? 0.1 : 1e-9);
        }
        gr_sgd_free(sgd);
        options.hash_bits = 0;
    }
    free(wide);
}

/* A row of weight 2 counts as two rows. */
static void test_weights_of_rows(void **state)
{
    gradus_dataset data = dense();
    float weights[ROWS];
    gr_sgd_options options = options_of("1", "0.1", 200000);
    normal_equations s = { .products = { { 0 } } };
    double found[WEIGHTS], all = 0.0, unweighted[WEIGHTS];

    (void)state;
    for (size_t r = 0; r < ROWS; r++)
        all += (double)(weights[r] = r % 3 ? 0.5f : 4.0f);
    for (size_t r = 0; r < ROWS; r++)
        add_products(&s, r, SIZE_MAX, (double)weights[r] / all);
    data.arrays.row_weights = weights;
    options.average = true;
    train(&data, &options, GR_SGD_SQUARED, found);
    solve_squared(1.0, 0.1, unweighted);
    for (size_t i = 0; i < WEIGHTS; i++) { /* the gradient is 0 there */
        double gradient = 0.1 * found[i] - s.with_target[i];

        for (size_t j = 0; j < WEIGHTS; j++)
            gradient += s.products[i][j] * found[j];
        CHECK_NEAR(gradient, 0.0, 0.01);
    }
    assert_true(distance(found, unweighted) > 0.03);
}

static void check_refused(const gradus_dataset *data, const gr_sgd_options *options,
                          const char *part)
{
    const gr_problem problem = problem_of(data);
    const gr_sgd_task task = {
        .data = data, .problem = &problem, .options = options, .loss = GR_SGD_SQUARED, .rounds = 3
    };
    gradus_error err = { GRADUS_OK, "" };
    gr_sgd *sgd = gr_sgd_new(&task, &err);
    gradus_status status = sgd ? GRADUS_OK : err.status;

    for (int i = 0; status == GRADUS_OK && i < 3; i++)
        status = gr_sgd_round(sgd, &err);
    gr_sgd_free(sgd);
    assert_int_not_equal(status, GRADUS_OK);
    if (!strstr(err.message, part))
        print_error("'%s' does not say '%s'\n", err.message, part);
    assert_non_null(strstr(err.message, part));
}

static void test_bad_input_is_refused(void **state)
{
    gradus_dataset data = dense();
    float same[ROWS] = { 0 };
    gr_sgd_options options = options_of("0.5", "0", 1000);

    (void)state;
    check_refused(&data, &options, "a lambda above 0");
    options = options_of("0.5,", "0.1", 1000);
    check_refused(&data, &options, "--alpha takes a number from 0 to 1");
    options = options_of("1.5", "0.1", 1000);
    check_refused(&data, &options, "--alpha takes a number from 0 to 1");
    options = options_of("0.5", "x", 1000);
    check_refused(&data, &options, "--lambda takes a number");
    options = options_of("0.5", "0.1", 1000);
    data.arrays.labels = same;
    check_refused(&data, &options, "no query has rows with different labels");
    data.arrays.labels = labels;
    options.rule = GR_STEPS_CONSTANT;
    options.step_size = 1e6;
    options.no_projection = true;
    check_refused(&data, &options, "the weights ran away");
    options.precision = GR_SGD_FLOAT;
    check_refused(&data, &options, "the weights ran away");
}

static void test_scales_are_noted(void **state)
{
    const gradus_dataset data = dense();
    const gr_sgd_options options = options_of("0.5", "0.1", 10);
    double w[WEIGHTS];

    (void)state;
    last_note[0] = '\0';
    train(&data, &options, GR_SGD_SQUARED, w);
    assert_string_equal(last_note, "");
    for (size_t r = 0; r < ROWS; r++)
        values[r * FEATURES] *= 1e5f;
    train(&data, &options, GR_SGD_SQUARED, w);
    assert_non_null(strstr(last_note, "--transform standardise"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squared_loss_comes_to_the_closed_form),
        cmocka_unit_test(test_other_step_rules_come_to_the_same),
        cmocka_unit_test(test_logistic_loss_comes_to_its_minimum),
        cmocka_unit_test(test_lists_are_a_third_term),
        cmocka_unit_test(test_l1_makes_zeros),
        cmocka_unit_test(test_a_first_step_by_hand),
        cmocka_unit_test(test_adagrad_regularises_every_step),
        cmocka_unit_test(test_a_grid_is_models_apart),
        cmocka_unit_test(test_one_against_all),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_forms_of_rows_come_to_the_same),
        cmocka_unit_test(test_weights_of_rows),
        cmocka_unit_test(test_bad_input_is_refused),
        cmocka_unit_test(test_scales_are_noted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
