/* SPDX-License-Identifier: Apache-2.0 */
/* Joining datasets, folds read from folders, and results of experiments. */
#include "small_trials.h"

#include "data/join.h"
#include "data/synth/synth.h"
#include "experiments/experiment.h"
#include "experiments/findings.h"

#include <sys/stat.h>

static char folder[64];

static void check_rows(const gradus_dataset *whole, size_t first, const gradus_dataset *part)
{
    gradus_error err;
    gradus_arrays a, b;

    assert_int_equal(gradus_dataset_arrays(NULL, whole, &a, &err), GRADUS_OK);
    assert_int_equal(gradus_dataset_arrays(NULL, part, &b, &err), GRADUS_OK);
    assert_int_equal(a.features, b.features);
    for (size_t r = 0; r < b.rows; r++) {
        CHECK_NEAR((double)a.labels[first + r], (double)b.labels[r], 0.0);
        assert_memory_equal(a.values + (first + r) * a.stride, b.values + r * b.stride,
                            b.features * sizeof(float));
    }
}

static void test_join(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *a = queries_from("1", "3"), *b = queries_from("4", "2");
    const gradus_dataset *both[] = { a, b }, *twice[] = { a, a };
    gradus_dataset *joined = gr_dataset_join(NULL, both, 2, &err);

    (void)state;
    assert_non_null(joined);
    assert_int_equal(gradus_dataset_rows(joined), 40);
    assert_int_equal(gradus_dataset_queries(joined), 5);
    assert_string_equal(gradus_dataset_query_name(joined, 3), gradus_dataset_query_name(b, 0));
    check_rows(joined, 0, a);
    check_rows(joined, 24, b);
    gradus_dataset_free(joined);
    /* queries with the same id are merged */
    joined = gr_dataset_join(NULL, twice, 2, &err);
    assert_non_null(joined);
    assert_int_equal(gradus_dataset_rows(joined), 48);
    assert_int_equal(gradus_dataset_queries(joined), 3);
    gradus_dataset_free(joined);
    joined = gr_dataset_join(NULL, both, 1, &err);
    assert_int_equal(gradus_dataset_queries(joined), 3);
    gradus_dataset_free(joined);
    gradus_dataset_free(a);
    gradus_dataset_free(b);
}

static void test_join_sparse_and_named(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    char path[96];
    gradus_dataset *sets[2];

    (void)state;
    snprintf(path, sizeof path, "%s/one.txt", folder);
    write_whole(path, "2 qid:7 1:0.5 900:3 # docid = a\n0 qid:7 2:1 # docid = b\n");
    sets[0] = gradus_dataset_read(NULL, path, NULL, &err);
    write_whole(path, "1 qid:8 1:0.25 # docid = c\n");
    sets[1] = gradus_dataset_read(NULL, path, NULL, &err);
    unlink(path);
    gradus_dataset *joined = gr_dataset_join(NULL, (const gradus_dataset *const *)sets, 2, &err);

    assert_non_null(joined);
    assert_int_equal(gradus_dataset_rows(joined), 3);
    assert_int_equal(gradus_dataset_features(joined), 900);
    assert_string_equal(gradus_dataset_document_name(joined, 2), "c");
    assert_string_equal(gradus_dataset_query_name(joined, 1), "8");
    for (size_t i = 0; i < 2; i++)
        gradus_dataset_free(sets[i]);
    gradus_dataset_free(joined);
}

static void put_part(const char *name, const char *first)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data = queries_from(first, "2");
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(gradus_dataset_write(NULL, data, path, NULL, &err), GRADUS_OK);
    gradus_dataset_free(data);
}

static void make_set_folder(const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void test_folds_of_parts(void **state)
{
    const gr_run run = { .data = folder };
    gradus_error err = { GRADUS_OK, "" };
    gr_folds folds;

    (void)state;
    make_set_folder("parts");
    assert_false(gr_folds_are_there(&run, "parts"));
    for (int p = 1; p <= 5; p++) {
        char name[32], first[8];

        snprintf(name, sizeof name, "parts/S%d.%s", p, p % 2 ? "txt.gz" : "gradus");
        snprintf(first, sizeof first, "%d", 10 * p);
        put_part(name, first);
    }
    assert_true(gr_folds_are_there(&run, "parts"));
    assert_int_equal(gr_folds_read(&run, "parts", &folds, &err), GRADUS_OK);
    assert_int_equal(folds.count, 5);
    for (size_t f = 0; f < 5; f++) {
        const gr_fold *fold = &folds.folds[f];

        assert_int_equal(gradus_dataset_queries(fold->train), 6);
        assert_int_equal(gradus_dataset_queries(fold->valid), 2);
        check_rows(fold->train, 0, folds.folds[(f + 2) % 5].valid); /* S_f */
        check_rows(fold->train, 32, folds.folds[(f + 3) % 5].test); /* S_f+2 */
        check_rows(folds.folds[(f + 1) % 5].valid, 0, fold->test);  /* S_f+4 */
    }
    assert_string_equal(folds.folds[1].name, "parts fold 2, 48 rows");
    gr_folds_free(&folds);
}

static void test_folds_of_folders(void **state)
{
    static const char *const parts[] = { "train", "vali", "test" };
    const gr_run run = { .data = folder }, none = { .data = "" };
    gradus_error err = { GRADUS_OK, "" };
    gr_folds folds;

    (void)state;
    make_set_folder("letor");
    for (int f = 1; f <= 5; f++) {
        char name[64], first[8];

        snprintf(name, sizeof name, "letor/Fold%d", f);
        make_set_folder(name);
        for (int p = 0; p < 3; p++) {
            snprintf(name, sizeof name, "letor/Fold%d/%s.txt", f, parts[p]);
            snprintf(first, sizeof first, "%d", 100 * f + 10 * p);
            put_part(name, first);
        }
    }
    assert_int_equal(gr_folds_read(&run, "letor", &folds, &err), GRADUS_OK);
    assert_int_equal(folds.count, 5);
    assert_string_equal(gradus_dataset_query_name(folds.folds[2].test, 0), "320");
    gr_folds_free(&folds);
    assert_int_equal(gr_folds_read(&run, "letor/Fold4", &folds, &err),
                     GRADUS_OK); /* a single fold */
    assert_int_equal(folds.count, 1);
    assert_string_equal(gradus_dataset_query_name(folds.folds[0].valid, 0), "410");
    gr_folds_free(&folds);
    assert_int_equal(gr_folds_read(&run, "nowhere", &folds, &err), GRADUS_NO_FILE);
    assert_non_null(strstr(err.message, "nowhere"));
    assert_int_equal(gr_folds_read(&none, "letor", &folds, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "'data'"));
}

static void test_folds_of_synth(void **state)
{
    const gr_run run = { .data = "", .scale = 0.1 };
    const size_t queries[3] = { 4, 2, 3 };
    gradus_error err = { GRADUS_OK, "" };
    gr_folds folds;

    (void)state;
    assert_int_equal(
        gr_folds_synth(&run, "synth mcrank", "documents=3 features=2", queries, &folds, &err),
        GRADUS_OK);
    assert_int_equal(gradus_dataset_queries(folds.folds[0].train), 4);
    assert_string_equal(gradus_dataset_query_name(folds.folds[0].valid, 0), "5");
    assert_string_equal(gradus_dataset_query_name(folds.folds[0].test, 0), "7");
    gr_folds_free(&folds);
    assert_int_equal(gr_folds_synth(&run, "synth mcrank", "no-such=3", queries, &folds, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_int_equal(gr_scaled(&run, 1000, 20), 100);
    assert_int_equal(gr_scaled(&run, 100, 20), 20);
}

static void test_results(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_results *results = gr_results_new(&err);
    gr_table *higher = gr_results_table(results, "higher", GR_WANT_HIGHER, "letor_baselines", 3);
    gr_table *lower = gr_results_table(results, "lower", GR_WANT_LOWER, "letor_baselines", 3);
    const double x[] = { 1, 2 }, y[] = { 3, (double)NAN };
    gr_json_writer writer = { 0 };

    (void)state;
    gr_table_put(higher, "r", "within", (gr_found){ .ours = 0.505, .paper = 0.5 });
    gr_table_put(higher, "r", "errors", (gr_found){ .ours = 0.55, .error = 0.03, .paper = 0.5 });
    gr_table_put(higher, "r", "shown", (gr_found){ .ours = 0.5, .paper = 0.5, .no_verdict = true });
    gr_table_put(higher, "r", "better", (gr_found){ .ours = 0.55, .error = 0.01, .paper = 0.5 });
    gr_table_put(higher, "r", "worse", (gr_found){ .ours = 0.45, .error = 0.01, .paper = 0.5 });
    gr_table_put(higher, "r", "alone", (gr_found){ .ours = 0.45, .p = 0.25 });
    gr_table_put(higher, "r", "absent", (gr_found){ .ours = (double)NAN, .paper = 0.5 });
    gr_table_put(lower, "r", "better", (gr_found){ .ours = 0.45, .paper = 0.5 });
    static const char *const verdicts[] = { "agrees", "better", "", "better", "differs", "", "" };

    for (size_t c = 0; c < 7; c++)
        assert_string_equal(higher->cells[c].verdict, verdicts[c]);
    assert_string_equal(lower->cells[0].verdict, "better");
    CHECK_NEAR(higher->cells[5].p, 0.25, 0.0);
    assert_true(isnan(higher->cells[5].paper) && isnan(higher->cells[5].error));
    gr_figure_add(gr_results_figure(results, "f", "x", "y"), "s", true, x, y, 2);
    gr_results_claim(results, true, "it holds", "by %d", 3);
    gr_results_note(results, "note %s", "a");
    assert_int_equal(gr_results_done(results, &err), GRADUS_OK);
    gr_json_open(&writer, NULL, '{');
    gr_results_write(results, &writer);
    gr_json_close(&writer, '}');
    gr_json *root = gr_json_parse(writer.bytes.at, writer.used, &err);
    const char *found;

    assert_non_null(root);
    assert_int_equal(gr_json_find(root, "tables")->count, 2);
    const gr_json *claim = gr_json_first(gr_json_find(root, "claims"));

    assert_true(gr_json_text(gr_json_find(claim, "found"), &found));
    assert_string_equal(found, "by 3");
    gr_json_free(root);
    gr_json_writer_free(&writer);
    gr_results_free(results);
    gr_results_free(NULL);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/test_folds_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[96];

    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join),           cmocka_unit_test(test_join_sparse_and_named),
        cmocka_unit_test(test_folds_of_parts), cmocka_unit_test(test_folds_of_folders),
        cmocka_unit_test(test_folds_of_synth), cmocka_unit_test(test_results),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
