/* SPDX-License-Identifier: Apache-2.0 */
/* The MovieLens ratings and their predictors, on a dataset generated here. */
#include "checks.h"

#include "data/dataset.h"
#include "experiments/papers/movielens.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = { "u.genre", "u.occupation", "u.item", "u.user", "u.data" };

/* Movie 2 has no date; user 13 is one of those left out. */
static const char *const whole[] = {
    "unknown|0\nAction|1\nDrama|2\n\n",
    "artist\nnone\n",
    "1|One (1995)|01-Jan-1995||http://one|0|1|0\n2|unknown||||1|0|0\n"
    "3|Three|14-Feb-1997||http://three|0|0|1\n4|Four|4-Dec-1971|||0|1|1\n",
    "1|24|M|artist|85711\n2|54|F|none|94043\n13|47|M|none|29206\n",
    "1\t1\t5\t881250949\n2\t3\t1\t891717742\n13\t1\t4\t878887116\n1\t2\t3\t880606923\n"
    "2\t4\t2\t886397596\r\n1\t3\t3\t1\n",
};

enum { FILES = 5, ROWS = 4, FEATURES = 9 };

static char folder[] = "/tmp/gradus_movielens_XXXXXX";

static void write_files(const char *const *texts)
{
    for (size_t i = 0; i < FILES; i++) {
        char path[sizeof folder + 32];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!texts[i]) {
            unlink(path);
            continue;
        }
        file = fopen(path, "w");
        assert_non_null(file);
        fputs(texts[i], file);
        fclose(file);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    static const char *const nothing[FILES] = { NULL };

    (void)state;
    write_files(nothing);
    return rmdir(folder);
}

static gradus_dataset *read_whole(void)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data;

    write_files(whole);
    data = gr_movielens_read(NULL, folder, &err);
    if (!data)
        print_error("%s\n", err.message);
    assert_non_null(data);
    return data;
}

static void test_rows_are_ratings_of_known_movies_and_usual_users(void **state)
{
    static const float labels[ROWS] = { 5, 1, 2, 3 };
    gradus_dataset *data = read_whole();

    (void)state;
    assert_int_equal(data->arrays.rows, ROWS);
    assert_int_equal(data->arrays.features, FEATURES);
    assert_int_equal(data->arrays.queries, 1);
    for (size_t r = 0; r < ROWS; r++)
        assert_true(data->arrays.labels[r] == labels[r]);
    gradus_dataset_free(data);
}

static void test_predictors_are_standardised(void **state)
{
    /* day, month, year, Action, Drama, age, male, artist, none */
    static const double plain[ROWS][FEATURES] = {
        { 1, 1, 1995, 1, 0, 24, 1, 1, 0 },
        { 14, 2, 1997, 0, 1, 54, 0, 0, 1 },
        { 4, 12, 1971, 1, 1, 54, 0, 0, 1 },
        { 14, 2, 1997, 0, 1, 24, 1, 1, 0 },
    };
    gradus_dataset *data = read_whole();

    (void)state;
    for (size_t f = 0; f < FEATURES; f++) {
        double mean = 0.0, square = 0.0;

        for (size_t r = 0; r < ROWS; r++)
            mean += plain[r][f] / ROWS;
        for (size_t r = 0; r < ROWS; r++)
            square += (plain[r][f] - mean) * (plain[r][f] - mean) / ROWS;
        for (size_t r = 0; r < ROWS; r++)
            CHECK_NEAR((double)gr_dataset_value(data, r, f), (plain[r][f] - mean) / sqrt(square),
                       1e-6);
    }
    gradus_dataset_free(data);
}

static void check_fails(size_t file, const char *text, gradus_status status, const char *says)
{
    const char *texts[FILES];
    gradus_error err = { GRADUS_OK, "" };

    memcpy(texts, whole, sizeof texts);
    texts[file] = text;
    write_files(texts);
    assert_null(gr_movielens_read(NULL, folder, &err));
    if (err.status != status || !strstr(err.message, says))
        fail_msg("status %d, '%s', not '%s'", (int)err.status, err.message, says);
}

static void test_bad_files_are_refused(void **state)
{
    (void)state;
    check_fails(4, NULL, GRADUS_NO_FILE, "u.data, not found");
    check_fails(2, NULL, GRADUS_NO_FILE, "u.item, not found");
    check_fails(0, "unknown|0\n", GRADUS_BAD_FORMAT, "u.genre");
    check_fails(2, "1|One|01-Jan-1995||x|0|1\n", GRADUS_BAD_FORMAT, "u.item:1: expected");
    check_fails(2, "1|One|01-Jan-1995||x|0|1|0\n2|Two|01-Foo-1995||x|0|1|0\n", GRADUS_BAD_FORMAT,
                "u.item:2: expected a date");
    check_fails(2, "1|One|1995||x|0|1|0\n", GRADUS_BAD_FORMAT, "expected a date");
    check_fails(3, "1|24|M|sailor|1\n", GRADUS_BAD_FORMAT, "u.user:1");
    check_fails(3, "1|24|X|artist|1\n", GRADUS_BAD_FORMAT, "u.user:1");
    check_fails(3, "99999999999|24|M|artist|1\n", GRADUS_BAD_FORMAT, "u.user:1");
    check_fails(4, "1\t1\t6\t1\n", GRADUS_BAD_FORMAT, "u.data:1");
    check_fails(4, "1\t1\t0\t1\n", GRADUS_BAD_FORMAT, "u.data:1");
    check_fails(4, "7\t1\t3\t1\n", GRADUS_BAD_FORMAT, "a user of u.user");
    check_fails(4, "1\t2\t3\t1\n", GRADUS_BAD_FORMAT, "no usable ratings");
}

enum { EACH = 20, MADE = EACH * GR_RATINGS };

/* Row r has rating r % 5 + 1, and its number as the only feature. */
static gradus_dataset *numbered(float *values, float *labels)
{
    gradus_error err;

    for (size_t r = 0; r < MADE; r++) {
        values[r] = (float)r;
        labels[r] = (float)(r % GR_RATINGS + 1);
    }
    const gradus_arrays arrays = {
        .rows = MADE, .features = 1, .values = values, .stride = 1, .labels = labels
    };

    return gradus_dataset_borrow(&arrays, &err);
}

static void test_parts_are_drawn_without_putting_back(void **state)
{
    static const size_t counts[2][GR_RATINGS] = { { 3, 4, 5, 6, 7 }, { 17, 16, 15, 0, 1 } };
    static const float grades[GR_RATINGS] = { 1, 1, 1, 2, 3 };
    float values[MADE], labels[MADE];
    gradus_dataset *data = numbered(values, labels), *made[2], *again[2], *other[2];
    gradus_error err;
    bool seen[MADE] = { false };
    size_t same = 0;

    (void)state;
    assert_int_equal(gr_movielens_draw(data, counts[0], 2, grades, 7, 3, made, &err), GRADUS_OK);
    assert_int_equal(gr_movielens_draw(data, counts[0], 2, grades, 7, 3, again, &err), GRADUS_OK);
    assert_int_equal(gr_movielens_draw(data, counts[0], 2, grades, 7, 4, other, &err), GRADUS_OK);
    for (size_t part = 0; part < 2; part++) {
        const gradus_arrays *rows = &made[part]->arrays;
        size_t found[GR_RATINGS] = { 0 };

        for (size_t r = 0; r < rows->rows; r++) {
            const size_t number = (size_t)rows->values[r], rating = number % GR_RATINGS;

            assert_false(seen[number]);
            seen[number] = true;
            found[rating]++;
            assert_true(rows->labels[r] == grades[rating]);
            assert_true(again[part]->arrays.values[r] == rows->values[r]);
            same += other[part]->arrays.values[r] == rows->values[r];
        }
        assert_memory_equal(found, counts[part], sizeof found);
    }
    assert_true(same < 20);
    for (size_t part = 0; part < 2; part++) {
        gradus_dataset_free(made[part]);
        gradus_dataset_free(again[part]);
        gradus_dataset_free(other[part]);
    }
    gradus_dataset_free(data);
}

static void test_more_rows_than_there_are_cannot_be_drawn(void **state)
{
    static const size_t counts[2][GR_RATINGS] = { { 1, 1, 1, 1, 1 }, { 1, 1, EACH, 1, 1 } };
    static const float grades[GR_RATINGS] = { 1, 2, 3, 4, 5 };
    float values[MADE], labels[MADE];
    gradus_dataset *data = numbered(values, labels), *made[2];
    gradus_error err;

    (void)state;
    assert_int_equal(gr_movielens_draw(data, counts[0], 2, grades, 7, 3, made, &err),
                     GRADUS_BAD_NUMBER);
    assert_non_null(strstr(err.message, "20 more rows of rating 3 are needed, but only 19"));
    assert_null(made[0]);
    assert_null(made[1]);
    gradus_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_ratings_of_known_movies_and_usual_users),
        cmocka_unit_test(test_predictors_are_standardised),
        cmocka_unit_test(test_bad_files_are_refused),
        cmocka_unit_test(test_parts_are_drawn_without_putting_back),
        cmocka_unit_test(test_more_rows_than_there_are_cannot_be_drawn),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
