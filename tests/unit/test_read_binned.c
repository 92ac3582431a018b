/* SPDX-License-Identifier: Apache-2.0 */
/* Training data that are binned while they are read: the same bins, models and scores as from
 * values; values are loaded when something needs them; files that do not suit are read as usual. */
#include "checks.h"
#include "notes.h"
#include "temporary_files.h"
#include "train_model.h"

#include "base/rng.h"
#include "bins/bins.h"
#include "data/binned.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 9000, FEATURES = 14, QUERY_ROWS = 30, SAMPLE = 1000 };

static char path[128];

/* ---- Files ---- */

/* The text of a value of each kind; "": absent. */
static void print_value(char *text, size_t size, size_t feature, size_t row, gr_rng *rng)
{
    const double normal = gr_rng_normal(rng);
    const uint64_t dice = gr_rng_below(rng, 100);

    switch (feature) {
    case 2: /* more values than bins, some of which equal thresholds between sampled ones */
        snprintf(text, size, "%d", (int)gr_rng_below(rng, 4000));
        break;
    case 3:
        snprintf(text, size, "%d", (int)gr_rng_below(rng, 5));
        break;
    case 4: /* constant */
        snprintf(text, size, "7.5");
        break;
    case 5: /* sparse */
        snprintf(text, size, dice < 93 ? "0" : "%.3f", normal);
        break;
    case 6: /* sparse, and absent in text */
        text[0] = '\0';
        if (dice >= 90)
            snprintf(text, size, "%.3f", normal);
        break;
    case 7: /* missing values */
        snprintf(text, size, dice < 30 ? "nan" : "%.4f", normal);
        break;
    case 8: /* mostly missing */
        snprintf(text, size, dice < 95 ? "nan" : "%.4f", normal);
        break;
    case 9: /* one value or missing */
        snprintf(text, size, dice < 50 ? "nan" : "3");
        break;
    case 10: /* always missing */
        snprintf(text, size, "nan");
        break;
    case 11: /* about half of the rows share a default bin */
    case 12:
        snprintf(text, size, row % 2 ? "0" : "%.5f", normal);
        break;
    default:
        snprintf(text, size, "%.6g", exp(3.0 * normal));
    }
}

typedef struct made_file {
    bool csv, crlf, comments, from_zero;
    size_t rows;
    const char *last; /* a further line; NULL: none */
} made_file;

static void write_row(FILE *out, const made_file *file, size_t r, gr_rng *rng)
{
    const int label = (int)gr_rng_below(rng, 4);
    char text[40];

    if (file->comments && r % 100 == 3)
        fputs("# comment\n\n  \n", out);
    fprintf(out, file->csv ? "%d,%zu" : "%d qid:%zu", label, r / QUERY_ROWS);
    for (size_t f = 0; f < FEATURES; f++) {
        print_value(text, sizeof text, f, r, rng);
        if (file->csv)
            fprintf(out, ",%s", strcmp(text, "nan") == 0 || !*text ? "" : text);
        else if (*text)
            fprintf(out, " %zu:%s", f + !file->from_zero, text);
    }
    if (file->comments)
        fprintf(out, " # document %zu", r);
    fputs(file->crlf ? "\r\n" : "\n", out);
}

static void make_file(const made_file *file)
{
    gr_rng rng = gr_rng_for(1, "binned", 0);
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    if (file->comments)
        fputs("\xef\xbb\xbf# first\n", out);
    for (size_t f = 0; file->csv && f < FEATURES; f++)
        fprintf(out, f ? ",f%zu" : "label,qid,f%zu", f);
    fputs(file->csv ? "\n" : "", out);
    for (size_t r = 0; r < file->rows; r++)
        write_row(out, file, r, &rng);
    if (file->last)
        fputs(file->last, out);
    assert_int_equal(fclose(out), 0);
}

/* ---- Comparison with values ---- */

static const char *const settings[] = { "method", "lambdamart", "bin-sample", "1000", "bins", "60",
                                        "rounds", "5",          "leaves",     "12",   NULL };

static gradus_dataset *read_it(size_t threads, const char *const *pairs, gradus_error *err)
{
    gradus_options *train = train_options(pairs);
    gradus_context *context = gradus_context_new(threads, NULL);
    const char *const paths[] = { path };
    gradus_dataset *data = gradus_dataset_read_for_training(context, paths, 1, NULL, train, err);

    gradus_context_free(context);
    gradus_options_free(train);
    return data;
}

static void check_same_bins(const gradus_dataset *a, const gradus_dataset *b)
{
    const gr_bin_options options = { GR_BINS_QUANTILE, 60, SAMPLE, 1 };
    gradus_error err;
    gr_bins first, second;

    assert_int_equal(gr_bins_new(a, &options, NULL, &first, &err), GRADUS_OK);
    assert_int_equal(gr_bins_new(b, &options, NULL, &second, &err), GRADUS_OK);
    assert_true(first.attached || second.attached);
    assert_int_equal(first.groups, second.groups);
    assert_int_equal(first.bundles, second.bundles);
    for (size_t f = 0; f < FEATURES; f++) {
        assert_int_equal(first.cuts.starts[f + 1], second.cuts.starts[f + 1]);
        assert_int_equal(first.cuts.missing[f], second.cuts.missing[f]);
        assert_int_equal(first.place[f], second.place[f]);
        for (size_t r = 0; r < first.rows; r++)
            assert_int_equal(gr_bin_at(&first, f, r), gr_bin_at(&second, f, r));
    }
    assert_memory_equal(first.cuts.thresholds, second.cuts.thresholds,
                        first.cuts.starts[FEATURES] * sizeof(float));
    gr_bins_free(&first);
    gr_bins_free(&second);
}

static void check_same_scores(const gradus_model *model, const gradus_dataset *a,
                              const gradus_dataset *b)
{
    const size_t rows = gradus_dataset_rows(a);
    double *first = malloc(rows * sizeof *first), *second = malloc(rows * sizeof *second);
    gradus_error err;

    assert_int_equal(gradus_model_score(NULL, model, a, first, &err), GRADUS_OK);
    assert_int_equal(gradus_model_score(NULL, model, b, second, &err), GRADUS_OK);
    assert_memory_equal(first, second, rows * sizeof *first);
    free(first);
    free(second);
}

static void check_same_values(const gradus_dataset *a, const gradus_dataset *b)
{
    gradus_arrays first, second;
    gradus_error err;

    assert_int_equal(gradus_dataset_arrays(NULL, a, &first, &err), GRADUS_OK);
    assert_int_equal(gradus_dataset_arrays(NULL, b, &second, &err), GRADUS_OK);
    assert_memory_equal(first.values, second.values,
                        first.rows * first.features * sizeof *first.values);
    assert_memory_equal(first.labels, second.labels, first.rows * sizeof *first.labels);
}

static void check_file(const made_file *file)
{
    uint64_t first = 0, second = 0;
    gradus_error err = { GRADUS_OK, "" };

    make_file(file);
    gradus_dataset *plain = gradus_dataset_read(NULL, path, NULL, &err);
    gradus_model *expected = train_model(1, plain, NULL, settings);

    for (size_t threads = 1; threads <= 3; threads += 2) {
        gradus_dataset *data = read_it(threads, settings, &err);

        assert_non_null(data);
        assert_true(gr_dataset_lacks_values(data));
        check_same_bins(data, plain);
        assert_int_equal(gradus_dataset_fingerprint(NULL, data, &first, &err), GRADUS_OK);
        assert_int_equal(gradus_dataset_fingerprint(NULL, plain, &second, &err), GRADUS_OK);
        assert_int_equal(first, second);
        gradus_model *model = train_model(threads, data, NULL, settings);

        check_same_model(model, expected);
        check_same_scores(model, data, plain);
        assert_true(gr_dataset_lacks_values(data)); /* nothing so far has needed them */
        check_same_values(data, plain);
        assert_false(gr_dataset_lacks_values(data));
        gradus_model_free(model);
        gradus_dataset_free(data);
    }
    gradus_model_free(expected);
    gradus_dataset_free(plain);
    assert_int_equal(unlink(path), 0);
}

static void test_text(void **state)
{
    (void)state;
    check_file(&(made_file){ .rows = ROWS });
    check_file(&(made_file){ .rows = ROWS, .from_zero = true });
    check_file(&(made_file){ .rows = 2 * SAMPLE, .crlf = true, .last = "1 qid:x 1:1" });
    check_file(&(made_file){ .rows = ROWS + 1, .comments = true });
}

static void test_csv(void **state)
{
    (void)state;
    check_file(&(made_file){ .rows = ROWS, .csv = true });
    check_file(&(made_file){ .rows = ROWS, .csv = true, .crlf = true, .last = "\n" });
}

/* ---- Values that are needed ---- */

static void test_other_uses_load_values(void **state)
{
    static const char *const other_bins[] = { "method", "lambdamart", "bin-sample", "1000", "bins",
                                              "31",     "rounds",     "3",          NULL };
    static const char *const linear[] = { "method", "regression", "learner", "linear", NULL };
    gradus_error err;

    (void)state;
    make_file(&(made_file){ .rows = ROWS });
    gradus_dataset *plain = gradus_dataset_read(NULL, path, NULL, &err);

    for (size_t i = 0; i < 2; i++) {
        const char *const *pairs = i ? linear : other_bins;
        gradus_dataset *data = read_it(1, settings, &err);
        gradus_model *expected = train_model(1, plain, NULL, pairs);
        gradus_model *model = train_model(1, data, NULL, pairs);

        assert_false(gr_dataset_lacks_values(data));
        check_same_model(model, expected);
        gradus_model_free(model);
        gradus_model_free(expected);
        gradus_dataset_free(data);
    }
    /* a model with other thresholds cannot be applied to bins */
    gradus_dataset *data = read_it(1, settings, &err);
    gradus_model *other = train_model(1, plain, NULL, other_bins);

    check_same_scores(other, data, plain);
    assert_false(gr_dataset_lacks_values(data));
    gradus_model_free(other);
    gradus_dataset_free(data);
    gradus_dataset_free(plain);
    assert_int_equal(unlink(path), 0);
}

static void test_changed_file_is_refused(void **state)
{
    gradus_error err;
    gradus_arrays arrays;

    (void)state;
    make_file(&(made_file){ .rows = ROWS });
    gradus_dataset *data = read_it(1, settings, &err);

    assert_true(gr_dataset_lacks_values(data));
    char *text = read_whole(path);
    char *digit = strstr(text + strlen(text) / 2, " 4:") + 3; /* a digit from 0 to 4 */

    *digit = (char)('0' + (*digit - '0' + 1) % 5);
    write_whole(path, text);
    assert_int_equal(gradus_dataset_arrays(NULL, data, &arrays, &err), GRADUS_BAD_FORMAT);
    assert_non_null(strstr(err.message, "has changed since it was read"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(gradus_dataset_arrays(NULL, data, &arrays, &err), GRADUS_NO_FILE);
    free(text);
    gradus_dataset_free(data);
}

/* ---- Files that do not suit ---- */

static void check_read_as_usual(const made_file *file, const char *const *pairs)
{
    gradus_error err;
    notes usual, found;

    make_file(file);
    start_notes(&usual);
    start_notes(&found);
    gradus_dataset *plain = gradus_dataset_read(&usual.context, path, NULL, &err);
    gradus_options *train = train_options(pairs);
    const char *const paths[] = { path };
    gradus_dataset *data =
        gradus_dataset_read_for_training(&found.context, paths, 1, NULL, train, &err);

    assert_non_null(plain);
    assert_non_null(data);
    assert_null(data->binned);
    check_same_values(data, plain);
    assert_string_equal(found.text, usual.text);
    gradus_options_free(train);
    gradus_dataset_free(data);
    gradus_dataset_free(plain);
    assert_int_equal(unlink(path), 0);
}

static void test_unsuitable_files_are_read_as_usual(void **state)
{
    static const char *const linear[] = { "method", "regression", "learner", "linear", NULL };
    static const char *const all[] = { "method", "regression", "bin-sample", "0", NULL };

    (void)state;
    check_read_as_usual(&(made_file){ .rows = ROWS }, linear);
    check_read_as_usual(&(made_file){ .rows = ROWS }, all);
    check_read_as_usual(&(made_file){ .rows = 2 * SAMPLE - 1 }, settings);
    check_read_as_usual(&(made_file){ .rows = ROWS, .last = "1 qid:0 1:1\n" }, settings);
    check_read_as_usual(&(made_file){ .rows = ROWS, .last = "1 qid:x 0:1\n" }, settings);
    check_read_as_usual(&(made_file){ .rows = ROWS, .last = "1 qid:x 15:1\n" }, settings);
    check_read_as_usual(&(made_file){ .rows = ROWS, .last = "1 qid:x 5:nan\n" }, settings);
    check_read_as_usual(&(made_file){ .rows = ROWS, .last = "1 qid:x 11:1\n" }, settings);
}

static void test_errors_are_the_usual_ones(void **state)
{
    gradus_error usual, err;

    (void)state;
    make_file(&(made_file){ .rows = ROWS, .last = "1 qid:x 1:one\n" });
    assert_null(gradus_dataset_read(NULL, path, NULL, &usual));
    assert_null(read_it(2, settings, &err));
    assert_int_equal(err.status, usual.status);
    assert_string_equal(err.message, usual.message);
    assert_int_equal(unlink(path), 0);
    assert_null(read_it(1, settings, &err));
    assert_int_equal(err.status, GRADUS_NO_FILE);
    assert_null(
        gradus_dataset_read_for_training(NULL, &(const char *){ path }, 0, NULL, NULL, &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
}

static bool stop_at(void *user, const char *what, double done)
{
    double *last = user;

    (void)what;
    assert_true(done >= last[0]); /* of all passes together */
    last[0] = done;
    return done < last[1];
}

static void test_progress_and_cancelling(void **state)
{
    const char *const paths[] = { path };
    gradus_error err;

    (void)state;
    make_file(&(made_file){ .rows = ROWS });
    for (double stop = 0.05; stop < 1.0; stop += 0.3) {
        gradus_context *context = gradus_context_new(1, NULL);
        gradus_options *train = train_options(settings);
        double last[2] = { 0.0, stop };

        gradus_context_on_progress(context, stop_at, last);
        assert_null(gradus_dataset_read_for_training(context, paths, 1, NULL, train, &err));
        assert_int_equal(err.status, GRADUS_CANCELLED);
        gradus_options_free(train);
        gradus_context_free(context);
    }
    assert_int_equal(unlink(path), 0);
}

static int set_up(void **state)
{
    const int failed = set_up_folder(state);

    in_folder(path, test_folder, "rows.txt");
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_other_uses_load_values),
        cmocka_unit_test(test_changed_file_is_refused),
        cmocka_unit_test(test_unsuitable_files_are_read_as_usual),
        cmocka_unit_test(test_errors_are_the_usual_ones),
        cmocka_unit_test(test_progress_and_cancelling),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down_folder);
}
