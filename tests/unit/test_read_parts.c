/* SPDX-License-Identifier: Apache-2.0 */
/* Data read by several ranks, which are threads here: each keeps the values of its rows, and the rest
 * is that of one process. What cannot be divided is read by all. */
#include "rank_team.h"
#include "synthetic_sets.h"
#include "train_model.h"

#include "base/error.h"
#include "data/row_writer.h"
#include "data/share_rows.h"

enum { MAX_RANKS = 5, MAX_FILES = 7 };

typedef struct shared_reading {
    const char *const *paths;
    size_t count;
    const gradus_dataset *expected; /* read by one process */
    const gradus_model *model;      /* NULL: rows are not scored */
    const char *weights;            /* a file of row weights, or "" */
    uint64_t fingerprint;
    int divided; /* whether values must be divided, 1, or must not, 0; -1: either */
    char failures[MAX_RANKS][600];
} shared_reading;

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return !a == !b && (!a || memcmp(a, b, size) == 0);
}

static bool same_names(const gr_names *a, const gr_names *b)
{
    return a->count == b->count &&
           (a->count == 0 || (same_bytes(a->starts, b->starts, (a->count + 1) * 8) &&
                              same_bytes(a->bytes, b->bytes, (size_t)a->starts[a->count])));
}

/* Everything but values is that of one process, and so are the rank's values. */
static const char *difference(const gradus_dataset *data, const shared_reading *s)
{
    const gradus_arrays *a = &data->arrays, *b = &s->expected->arrays;
    const gradus_dataset *own = gr_dataset_share(data, data->part->with, NULL);
    const size_t first = gr_share_first_row(own->share);
    const char *found = NULL;

    if (a->rows != b->rows || a->queries != b->queries || a->features != b->features)
        found = "counts";
    else if (!same_bytes(a->labels, b->labels, a->rows * 4) ||
             !same_bytes(a->query_starts, b->query_starts, (a->queries + 1) * 8) ||
             !same_bytes(a->row_weights, b->row_weights, a->rows * 4) ||
             !same_bytes(a->query_weights, b->query_weights, a->queries * 4))
        found = "labels, queries or weights";
    else if (!same_names(&data->query_names, &s->expected->query_names) ||
             !same_names(&data->document_names, &s->expected->document_names) ||
             !same_names(&data->feature_names, &s->expected->feature_names) ||
             data->first_id != s->expected->first_id)
        found = "names";
    else if (own->arrays.rows == 0 || own->arrays.rows == a->rows)
        found = "rows of the rank";
    else if (!a->row_starts && !same_bytes(own->arrays.values, b->values + first * b->stride,
                                           own->arrays.rows * a->features * 4))
        found = "values";
    gradus_dataset_free((gradus_dataset *)(uintptr_t)own);
    return found;
}

static const char *score_difference(gradus_context *context, const gradus_dataset *data,
                                    const shared_reading *s)
{
    const size_t rows = s->expected->arrays.rows;
    double *found = calloc(rows, sizeof *found), *wanted = calloc(rows, sizeof *wanted);
    const bool same = gradus_model_score(NULL, s->model, s->expected, wanted, NULL) == GRADUS_OK &&
                      gradus_model_score(context, s->model, data, found, NULL) == GRADUS_OK &&
                      memcmp(found, wanted, rows * sizeof *found) == 0;

    free(found);
    free(wanted);
    return same ? NULL : "scores";
}

static bool read_rank(const gradus_collectives *with, void *user)
{
    shared_reading *s = user;
    gradus_context *context = gradus_context_new(1 + with->rank % 2, NULL);
    gradus_options *read = gradus_options_new("read", NULL);
    gradus_error err = { GRADUS_OK, "" };
    uint64_t fingerprint = 0;

    gradus_context_set_collectives(context, with);
    gradus_options_set(read, "row-weights", s->weights, NULL);
    gradus_dataset *data = gradus_dataset_read_shared(context, s->paths, s->count, read, &err);
    const char *wrong = !data ? err.message : NULL;

    if (!wrong && s->divided >= 0 && gr_dataset_is_divided(data) != s->divided)
        wrong = s->divided ? "not divided" : "divided";
    if (!wrong)
        wrong = difference(data, s);
    if (!wrong && (gradus_dataset_fingerprint(context, data, &fingerprint, &err) != GRADUS_OK ||
                   fingerprint != s->fingerprint))
        wrong = "fingerprint";
    if (!wrong && s->model)
        wrong = score_difference(context, data, s);
    snprintf(s->failures[with->rank], sizeof s->failures[0], "%s", wrong ? wrong : "");
    gradus_dataset_free(data);
    gradus_options_free(read);
    gradus_context_free(context);
    return !wrong;
}

static void check_read(const char *const *paths, size_t count, const char *weights, int divided,
                       const char *const *method)
{
    gradus_options *read = gradus_options_new("read", NULL);
    gradus_error err;

    gradus_options_set(read, "row-weights", weights, NULL);
    gradus_dataset *expected = gradus_dataset_read_files(NULL, paths, count, read, &err);

    assert_non_null(expected);
    gradus_model *model = method ? train_model(1, expected, NULL, method) : NULL;
    shared_reading s = { paths, count, expected, model, weights, 0, divided, { "" } };

    assert_int_equal(gradus_dataset_fingerprint(NULL, expected, &s.fingerprint, &err), GRADUS_OK);
    for (size_t ranks = 2; ranks <= MAX_RANKS; ranks = 2 * ranks - 1)
        if (rank_team_run(ranks, ranks == 3 ? 5 : 0, read_rank, &s, NULL, NULL) > 0)
            for (size_t i = 0; i < ranks; i++)
                fail_msg("rank %zu of %zu, %s: %s", i, ranks, paths[0], s.failures[i]);
    gradus_model_free(model);
    gradus_dataset_free(expected);
    gradus_options_free(read);
}

/* ---- Files ---- */

static void write_set(const gradus_dataset *data, const char *path)
{
    gradus_error err;

    assert_int_equal(gradus_dataset_write(NULL, data, path, NULL, &err), GRADUS_OK);
}

static const char *const method[] = { "method", "mcrank", "rounds", "3", "leaves", "4", NULL };

static void test_one_file(void **state)
{
    static const char *const names[] = { "web.txt", "web.csv", "web.tsv", "web.bin", "web.txt.gz" };
    gradus_dataset *data = make_synth(2, "web", PAIRS("queries", "14"));
    char path[128], weights[128];
    FILE *out = fopen(in_folder(weights, test_folder, "weights"), "w");

    (void)state;
    for (size_t r = 0; r < gradus_dataset_rows(data); r++)
        fprintf(out, "%zu\n", 1 + r % 3);
    fclose(out);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const paths[] = { in_folder(path, test_folder, names[i]) };

        write_set(data, path);
        check_read(paths, 1, "", i < 3, method);
        check_read(paths, 1, weights, i < 3, NULL);
        unlink(path);
    }
    unlink(weights);
    gradus_dataset_free(data);
}

/* More than one chunk of a fingerprint, with cuts inside chunks and chunks of one rank. */
static void test_large_values(void **state)
{
    const set_kind kind = { 30000, 90, 300, .first_id = 1, .documents = true };
    gradus_dataset *data = random_set(&kind, 3);
    char path[128];
    const char *const paths[] = { in_folder(path, test_folder, "large.txt") };
    float *values = data->owned[GR_VALUES].at;

    (void)state;
    for (size_t i = 0; i < kind.rows * kind.features; i++)
        values[i] = (float)(i % 977);
    for (size_t q = 0; q < kind.queries; q++)
        ((uint64_t *)data->owned[GR_QUERY_STARTS].at)[q] = q * kind.rows / kind.queries;
    write_set(data, path);
    check_read(paths, 1, "", true, NULL);
    unlink(path);
    gradus_dataset_free(data);
}

static void test_lists_of_files(void **state)
{
    static const char *const endings[] = { ".txt", ".bin", ".csv" };
    gradus_dataset *data = make_synth(2, "web", PAIRS("queries", "29"));
    uint64_t starts[40];

    (void)state;
    for (size_t e = 0; e < 3; e++) {
        char paths[MAX_FILES][128], name[32];
        const char *list[MAX_FILES];

        for (size_t i = 0; i < MAX_FILES; i++) {
            gradus_dataset *block =
                block_of(data, i * 29 / MAX_FILES, (i + 1) * 29 / MAX_FILES, starts);
            char text[8192] = "";
            uint64_t ends[40] = { 0 };

            for (size_t q = 0; q < block->arrays.queries; q++)
                ends[q + 1] = ends[q] + (uint64_t)sprintf(text + ends[q], "q%zu-%zu", i, q) + 1;
            block->query_names = (gr_names){ text, ends, block->arrays.queries };
            snprintf(name, sizeof name, "part%zu%s", i, endings[e]);
            list[i] = in_folder(paths[i], test_folder, name);
            write_set(block, list[i]);
            gradus_dataset_free(block);
        }
        check_read(list, MAX_FILES, "", true, method);
        for (size_t i = 0; i < MAX_FILES; i++)
            unlink(list[i]);
    }
    gradus_dataset_free(data);
}

/* Files that every rank reads as a whole. */
static void test_undivided(void **state)
{
    static const char *const texts[] = {
        /* one query is scattered */
        "1 qid:1 1:1\n0 qid:1 1:2\n1 qid:2 1:3\n0 qid:3 1:4\n1 qid:4 1:2\n0 qid:5 1:2\n1 qid:1 1:9\n"
        "0 qid:6 1:3\n1 qid:7 1:3\n",
        /* ids that only one part has: of the first and of the last feature */
        "1 qid:1 1:1\n0 qid:2 1:2\n1 qid:3 1:3\n0 qid:4 1:4\n1 qid:5 1:2\n0 qid:6 0:2 1:3\n",
        "1 qid:1 1:1\n0 qid:2 1:2\n1 qid:3 1:3\n0 qid:4 1:4\n1 qid:5 1:2\n0 qid:6 1:2 2:3\n",
        /* sparse */
        "1 qid:1 50:1\n0 qid:2 50:2\n1 qid:3 50:3\n0 qid:4 50:4\n1 qid:5 50:2\n0 qid:6 50:2\n",
        /* quoted fields */
        "label,qid,f\n1,1,3\n0,2,\"4\"\n1,3,2\n0,4,5\n1,5,5\n0,6,6\n",
        /* one long query and comments: divided between some ranks only */
        "1 qid:1 1:1\n0 qid:1 1:1\n0 qid:1 1:1\n0 qid:1 1:1\n0 qid:1 1:1\n0 qid:1 1:1\n0 qid:1 1:1\n"
        "# x\n0 qid:2 1:2\n1 qid:3 1:3\n0 qid:4 1:4\n1 qid:5 1:2\n",
    };
    char path[128];
    const char *const paths[] = { in_folder(path, test_folder, "small") };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_whole(path, texts[i]);
        check_read(paths, 1, "", i + 1 < sizeof texts / sizeof *texts ? 0 : -1, NULL);
    }
    unlink(path);
}

static bool fail_rank(const gradus_collectives *with, void *user)
{
    shared_reading *s = user;
    gradus_context *context = gradus_context_new(1, NULL);
    gradus_error err = { GRADUS_OK, "" };

    gradus_context_set_collectives(context, with);
    gradus_dataset *data = gradus_dataset_read_shared(context, s->paths, 1, NULL, &err);

    snprintf(s->failures[with->rank], sizeof s->failures[0], "%s", err.message);
    gradus_dataset_free(data);
    gradus_context_free(context);
    return data == NULL;
}

/* An error in one part is reported by all, with the line of the file. */
static void test_errors(void **state)
{
    char path[128];
    const char *const paths[] = { in_folder(path, test_folder, "wrong") };
    shared_reading s = { .paths = paths };

    (void)state;
    write_whole(path,
                "1 qid:1 1:1\n0 qid:2 1:2\n1 qid:3 1:3\n0 qid:4 1:4\n1 qid:5 1:x\n0 qid:6 1:2\n");
    assert_int_equal(rank_team_run(3, 0, fail_rank, &s, NULL, NULL), 0);
    for (size_t i = 0; i < 3; i++)
        assert_non_null(strstr(s.failures[i], "wrong:5:"));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_file),       cmocka_unit_test(test_large_values),
        cmocka_unit_test(test_lists_of_files), cmocka_unit_test(test_undivided),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, set_up_folder, tear_down_folder);
}
