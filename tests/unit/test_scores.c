/* SPDX-License-Identifier: Apache-2.0 */
/* Score files in both formats: writing and reading back. */
#include "checks.h"
#include "built_data.h"

#include "base/rng.h"
#include "data/scores.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/gradus_scores_XXXXXX";
static char written[sizeof folder + sizeof "/x"];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(written, sizeof written, "%s/x", folder);
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    unlink(written);
    return rmdir(folder);
}

/* Rows of b are not contiguous: the dataset has b1 b2 b3 a1 a2. */
static const made_row scattered[] = {
    { "b", "b1", { 0 } }, { "a", "a1", { 0 } }, { "b", "b2", { 0 } },
    { "a", "a2", { 0 } }, { "b", "b3", { 0 } },
};
static const made_row nameless[] = { { NULL, NULL, { 0 } }, { NULL, NULL, { 0 } } };

enum { SCATTERED = 5 };

static gradus_dataset *scattered_data(void)
{
    gradus_error err;
    gradus_dataset *data = make_data(scattered, SCATTERED, &err);

    assert_non_null(data);
    assert_non_null(data->file_rows);
    return data;
}

static gradus_status read_text(const gradus_dataset *data, gradus_context *context,
                               const char *text, size_t size, double *scores, gradus_error *err)
{
    gr_lines lines = { .source = gr_source_from_memory(text, size, "x.scores", err) };

    assert_non_null(lines.source);
    const gradus_status status = gr_scores_read(&lines, data, context, scores, err);

    gr_lines_free(&lines);
    gr_source_close(lines.source);
    return status;
}

static void check_scores(const gradus_dataset *data, const char *text, const double *wanted)
{
    double scores[MADE_ROWS];
    gradus_error err = { GRADUS_OK, "" };

    assert_int_equal(read_text(data, NULL, text, strlen(text), scores, &err), GRADUS_OK);
    for (size_t r = 0; r < data->arrays.rows; r++)
        CHECK_NEAR(scores[r], wanted[r], 0.0);
}

static void check_refused(const gradus_dataset *data, const char *text, size_t size,
                          gradus_status wanted, const char *message)
{
    double scores[MADE_ROWS];
    gradus_error err = { GRADUS_OK, "" };

    assert_int_equal(read_text(data, NULL, text, size, scores, &err), wanted);
    assert_string_equal(err.message, message);
    assert_int_equal(read_text(data, NULL, text, size, scores, NULL), wanted);
}

#define REFUSED(data, text, status, message)                                                       \
    check_refused(data, text, sizeof text - 1, status, message)

static void test_numbers_are_in_the_order_of_the_file(void **state)
{
    static const double wanted[] = { 0.1, -3, 5e-324, 2.25, 1e300 };
    gradus_dataset *data = scattered_data();

    (void)state;
    check_scores(data, "0.1\n2.25\n-3\n1e300\n5e-324\n", wanted);
    check_scores(data, "# by hand\r\n 0.1\r\n+2.25 \r\n-3\r\n1e300\r\n\r\n5e-324\r\n\r\n\n",
                 wanted);
    check_scores(data, "0.1\n2.25\n-3\n1e300\n5e-324", wanted);
    gradus_dataset_free(data);
}

static void test_bad_numbers_are_named(void **state)
{
    gradus_dataset *data = scattered_data();

    (void)state;
    REFUSED(data, "1\n2\n3\n", GRADUS_BAD_FORMAT, "x.scores has 3 scores for 5 rows");
    REFUSED(data, "1\n2\n3\n4\n5\n6\n7\n", GRADUS_BAD_FORMAT, "x.scores has 7 scores for 5 rows");
    REFUSED(data, "\n\n", GRADUS_BAD_FORMAT, "x.scores has 0 scores for 5 rows");
    REFUSED(data, "1\n  nan\n", GRADUS_BAD_NUMBER,
            "x.scores:2:3: expected a finite number, found 'nan'");
    REFUSED(data, "1\n-inf\n", GRADUS_BAD_NUMBER,
            "x.scores:2:1: expected a finite number, found '-inf'");
    REFUSED(data, "1\n0x10\n", GRADUS_BAD_FORMAT, "x.scores:2:1: expected a number, found '0x10'");
    REFUSED(data, "1\n2 3\n", GRADUS_BAD_FORMAT, "x.scores:2:1: expected a number, found '2 3'");
    REFUSED(data, "1\n2\0\n", GRADUS_BAD_FORMAT, "x.scores:2:2: expected text, found a NUL byte");
    REFUSED(data, "a 0 a1 1\n", GRADUS_BAD_FORMAT,
            "x.scores:1:1: expected a number or the six fields of a TREC run, found 'a 0 a1 1'");
    gradus_dataset_free(data);
}

static void remember(void *user, const char *note)
{
    snprintf(user, 200, "%s", note);
}

static void test_a_run_gives_scores_by_name(void **state)
{
    static const char text[] = "a Q0 a2 1 9.5 t\nb Q0 b3 1 3 t\nb Q0 b2 2 2 t\nc Q0 c1 1 7 t\n"
                               "b Q0 b1 3 1.5 t\na Q0 a1 2 -4 t\nb Q0 extra 4 0 t\n";
    static const double wanted[] = { 1.5, 2, 3, -4, 9.5 };
    gradus_dataset *data = scattered_data();
    gradus_context *context = gradus_context_new(1, NULL);
    double scores[SCATTERED];
    char note[200] = "";
    gradus_error err;

    (void)state;
    assert_non_null(context);
    gradus_context_on_note(context, remember, note);
    assert_int_equal(read_text(data, context, text, sizeof text - 1, scores, &err), GRADUS_OK);
    for (size_t r = 0; r < SCATTERED; r++)
        CHECK_NEAR(scores[r], wanted[r], 0.0);
    assert_string_equal(note, "x.scores: 2 of 7 lines are for documents that are not in the data");
    gradus_context_free(context);
    gradus_dataset_free(data);
}

static void test_a_run_without_a_document_is_refused(void **state)
{
    gradus_dataset *data = scattered_data();
    gradus_error err;

    (void)state;
    REFUSED(data, "b Q0 b1 1 1 t\nb Q0 b3 1 1 t\n", GRADUS_BAD_FORMAT,
            "x.scores: no score for document 'b2' of query 'b'");
    REFUSED(data, "b Q0 b1 1 1 t\nb Q0 b3 1 1 t\nb Q0 b2 1 1 t\n", GRADUS_BAD_FORMAT,
            "x.scores: no score for document 'a1' of query 'a'");
    gradus_dataset_free(data);
    data = make_data(nameless, 2, &err);
    REFUSED(
        data, "1 Q0 d 1 1 t\n", GRADUS_BAD_FORMAT,
        "x.scores: no score for document 'row1' of query '1' (the data have no document names)");
    gradus_dataset_free(data);
}

static void check_written(const char *wanted)
{
    char *content;
    size_t size;
    gradus_error err;

    assert_int_equal(gr_source_read_all(written, 1 << 20, &content, &size, &err), GRADUS_OK);
    assert_string_equal(content, wanted);
    free(content);
    unlink(written);
}

static void test_scores_are_written_in_the_order_of_the_file(void **state)
{
    static const double scores[] = { 0.1, -3, 1.0 / 3, 2.25, 1e300 };
    gradus_dataset *data = scattered_data();
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_scores_write(data, scores, written, NULL, &err), GRADUS_OK);
    check_written("0.1\n2.25\n-3\n1e300\n0.3333333333333333\n");
    gradus_dataset_free(data);
}

static void test_a_run_is_written_best_first(void **state)
{
    static const double scores[] = { 2, -3, 2, 2.25, 1e300 };
    gradus_dataset *data = scattered_data();
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_scores_write(data, scores, written, "mine", &err), GRADUS_OK);
    check_written("b Q0 b1 1 2 mine\nb Q0 b3 2 2 mine\nb Q0 b2 3 -3 mine\n"
                  "a Q0 a2 1 1e300 mine\na Q0 a1 2 2.25 mine\n");
    gradus_dataset_free(data);
    data = make_data(nameless, 2, &err);
    assert_int_equal(gradus_scores_write(data, scores + 1, written, "mine", &err), GRADUS_OK);
    check_written("1 Q0 row2 1 2 mine\n1 Q0 row1 2 -3 mine\n");
    gradus_dataset_free(data);
}

static void check_not_written(const gradus_dataset *data, const double *scores, const char *name,
                              gradus_status wanted, const char *message)
{
    gradus_error err;

    assert_int_equal(gradus_scores_write(data, scores, written, name, &err), wanted);
    assert_string_equal(err.message, message);
    assert_int_not_equal(access(written, F_OK), 0);
}

static void test_what_cannot_be_written_leaves_no_file(void **state)
{
    static const double good[] = { 1, 2, 3, 4, 5 }, bad[] = { 1, 2, (double)NAN, 4, 5 };
    static const made_row twice[] = { { "q", "d", { 0 } },
                                      { "q", "e", { 0 } },
                                      { "q", "d", { 0 } } };
    static const made_row blank[] = { { "q", "d", { 0 } }, { "a b", "d", { 0 } } };
    gradus_dataset *data = scattered_data();
    gradus_error err;

    (void)state;
    check_not_written(data, bad, NULL, GRADUS_BAD_NUMBER, "the score of row 5 is nan, not finite");
    check_not_written(data, good, "my run", GRADUS_BAD_ARGUMENT,
                      "a run name must be one word, not 'my run'");
    check_not_written(data, good, "", GRADUS_BAD_ARGUMENT, "a run name must be one word, not ''");
    gradus_dataset_free(data);
    data = make_data(twice, 3, &err);
    check_not_written(data, good, "t", GRADUS_BAD_ARGUMENT,
                      "query 'q' has document 'd' twice, which a TREC run does not allow; write "
                      "one score per line");
    gradus_dataset_free(data);
    data = make_data(blank, 2, &err);
    check_not_written(data, good, "t", GRADUS_BAD_ARGUMENT,
                      "query 'a b' has a blank in its name, which a TREC run does not allow; "
                      "write one score per line");
    gradus_dataset_free(data);
}

/* Written scores are read back to the same bits, in both formats. */
static void test_scores_return_as_they_were(void **state)
{
    made_row rows[MADE_ROWS];
    char names[MADE_ROWS][8], queries[MADE_ROWS][8];
    double scores[MADE_ROWS], back[MADE_ROWS];
    gr_rng rng = gr_rng_for(7, "scores", 0);
    gradus_error err;

    (void)state;
    for (size_t r = 0; r < MADE_ROWS; r++) {
        uint64_t bits;

        snprintf(queries[r], sizeof queries[r], "q%d", (int)gr_rng_below(&rng, 9));
        /* with and without a name, and with one that is invalid in a run */
        snprintf(names[r], sizeof names[r], r % 3 == 1 ? "d %zu" : "d%zu", r);
        if (r % 3 == 0)
            names[r][0] = '\0';
        rows[r] = (made_row){ queries[r], names[r], { 0 } };
        do {
            bits = gr_rng_long(&rng);
            memcpy(&scores[r], &bits, sizeof bits);
        } while (!isfinite(scores[r]));
    }
    gradus_dataset *data = make_data(rows, MADE_ROWS, &err);

    assert_non_null(data);
    for (int form = 0; form < 2; form++) {
        assert_int_equal(gradus_scores_write(data, scores, written, form ? "r" : NULL, &err),
                         GRADUS_OK);
        assert_int_equal(gradus_scores(NULL, data, written, 0, back, &err), GRADUS_OK);
        assert_memory_equal(back, scores, sizeof scores);
        unlink(written);
    }
    gradus_dataset_free(data);
}

static void test_columns_are_written_in_the_order_of_the_file(void **state)
{
    static const double values[] = { 0.5, 0.5, 0, 1, 0.25, 0.75, 1, 0, 0.125, 0.875 };
    static const double bad[] = { 0, 1, 0, 1, 0, 1, 0, 1, 0, (double)INFINITY };
    gradus_dataset *data = scattered_data();
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_columns_write(data, values, 2, "P(0) P(1)", written, &err), GRADUS_OK);
    check_written("# P(0) P(1)\n0.5 0.5\n1 0\n0 1\n0.125 0.875\n0.25 0.75\n");
    assert_int_equal(gradus_columns_write(data, values, 1, NULL, written, &err), GRADUS_OK);
    check_written("0.5\n1\n0.5\n0.25\n0\n");
    assert_int_equal(gradus_columns_write(data, bad, 2, NULL, written, &err), GRADUS_BAD_NUMBER);
    assert_string_equal(err.message, "the score of row 4 is inf, not finite");
    assert_int_not_equal(access(written, F_OK), 0);
    assert_int_equal(gradus_columns_write(data, values, 0, NULL, written, &err),
                     GRADUS_BAD_ARGUMENT);
    gradus_dataset_free(data);
}

static void test_missing_arguments_are_refused(void **state)
{
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_scores(NULL, NULL, "random", 0, NULL, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_scores_write(NULL, NULL, NULL, NULL, &err), GRADUS_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_in_the_order_of_the_file),
        cmocka_unit_test(test_bad_numbers_are_named),
        cmocka_unit_test(test_a_run_gives_scores_by_name),
        cmocka_unit_test(test_a_run_without_a_document_is_refused),
        cmocka_unit_test(test_scores_are_written_in_the_order_of_the_file),
        cmocka_unit_test(test_columns_are_written_in_the_order_of_the_file),
        cmocka_unit_test(test_a_run_is_written_best_first),
        cmocka_unit_test(test_what_cannot_be_written_leaves_no_file),
        cmocka_unit_test(test_scores_return_as_they_were),
        cmocka_unit_test(test_missing_arguments_are_refused),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
