/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of node of kinds.def: a model with it is written as it was read, is refused when cut
 * or damaged, and gives rows in memory the scores that it gives a dataset, dense or sparse. The
 * models are those of the fuzz corpus. A new kind needs one: tests/fuzz/make_models.sh. */
#include "checks.h"
#include "model_bytes.h"
#include "seal.h"
#include "temporary_files.h"

#include "base/rng.h"
#include "model/model_open.h"
#include "model/model_read.h"
#include "model/predict.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const gr_node_kind *const kinds[] = {
#define GR_NODE_KIND(name) &gr_node_##name,
#include "model/kinds.def"
#undef GR_NODE_KIND
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const char corpus[] = "tests/fuzz/corpus/model";

/* Calls `check` for the trained models of the corpus, and the others that are valid. */
static void check_models(void (*check)(const gradus_model *model, const char *path))
{
    DIR *folder = opendir(corpus);

    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        gradus_error err = { GRADUS_OK, "" };
        char path[512];
        gradus_model *model;

        snprintf(path, sizeof path, "%s/%s", corpus, entry->d_name);
        model = strstr(entry->d_name, ".model") ? gr_model_read(path, &err) : NULL;
        if (strncmp(entry->d_name, "trained-", 8) == 0 && !model)
            fail_msg("%s: %s", path, err.message);
        if (model)
            check(model, path);
        gr_model_free(model);
    }
    closedir(folder);
}

/* The smallest model with a node of each kind. */
static struct {
    char path[512];
    size_t size;
} smallest[KINDS];

static void note_kinds(const gradus_model *model, const char *path)
{
    size_t size;

    free(file_bytes(path, &size));
    for (size_t n = 0; n < model->node_count; n++)
        for (size_t k = 0; k < KINDS; k++)
            if (model->nodes[n].kind == kinds[k] &&
                (!smallest[k].size || size < smallest[k].size)) {
                snprintf(smallest[k].path, sizeof smallest[k].path, "%s", path);
                smallest[k].size = size;
            }
}

static int find_kinds(void **state)
{
    (void)state;
    check_models(note_kinds);
    for (size_t k = 0; k < KINDS; k++)
        if (!smallest[k].size)
            fail_msg("%s has no valid model with a node of kind '%s'", corpus,
                     kinds[k]->about.name);
    return 0;
}

static void test_every_kind_is_written_as_it_was_read(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_model *model = gr_model_read(smallest[k].path, &err), *again;
        size_t size, again_size;
        char *bytes = model_bytes(model, &size), *again_bytes;

        again = gr_model_parse(bytes, size, "x.model", &err);
        if (!again)
            fail_msg("%s: %s", smallest[k].path, err.message);
        again_bytes = model_bytes(again, &again_size);
        assert_int_equal(size, again_size);
        assert_memory_equal(bytes, again_bytes, size);
        gr_model_free(again);
        gr_model_free(model);
        free(bytes);
        free(again_bytes);
    }
}

static void test_every_kind_cut_or_damaged_is_refused(void **state)
{
    gradus_error err;

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        size_t size;
        char *bytes = file_bytes(smallest[k].path, &size);

        for (size_t at = 0; at < size; at++) {
            const char flip = (char)(1 << at % 8);

            if (model_accepted(bytes, at, &err))
                fail_msg("%s cut to %zu bytes", smallest[k].path, at);
            bytes[at] = (char)(bytes[at] ^ flip);
            if (model_accepted(bytes, size, &err))
                fail_msg("%s with a damaged byte %zu", smallest[k].path, at);
            bytes[at] = (char)(bytes[at] ^ flip);
        }
        assert_true(model_accepted(bytes, size, &err));
        free(bytes);
    }
}

enum { ROWS = 7, MAX_FEATURES = 100 };

/* One query of random rows, some values 0. */
static void fill_rows(float *values, size_t cells)
{
    gr_rng rng = gr_rng_for(1, "corpus rows", 0);

    for (size_t i = 0; i < cells; i++)
        values[i] = gr_rng_uniform(&rng) < 0.3 ? 0.0F : (float)(4 * gr_rng_uniform(&rng) - 1);
}

static void check_scores(const gradus_model *model, const char *path)
{
    const uint64_t query_starts[] = { 0, ROWS };
    const size_t features = model->features;
    float *values = calloc(ROWS * features + 1, sizeof *values);
    uint64_t row_starts[ROWS + 1];
    uint32_t *columns = calloc(ROWS * features + 1, sizeof *columns);
    float *entries = calloc(ROWS * features + 1, sizeof *entries);
    const float labels[ROWS] = { 0 };
    double by_rows[ROWS], by_data[ROWS], by_entries[ROWS];
    gradus_error err = { GRADUS_OK, "" };
    size_t used = 0;

    assert_non_null(values);
    assert_non_null(columns);
    assert_non_null(entries);
    fill_rows(values, ROWS * features);
    for (size_t r = 0; r < ROWS; r++) {
        row_starts[r] = used;
        for (size_t f = 0; f < features; f++)
            if (values[r * features + f] != 0.0F) {
                columns[used] = (uint32_t)f;
                entries[used++] = values[r * features + f];
            }
    }
    row_starts[ROWS] = used;
    const gradus_arrays dense = { .rows = ROWS,
                                  .queries = 1,
                                  .features = features,
                                  .query_starts = query_starts,
                                  .values = values,
                                  .labels = labels,
                                  .stride = features };
    const gradus_arrays sparse = { .rows = ROWS,
                                   .queries = 1,
                                   .features = features,
                                   .query_starts = query_starts,
                                   .entries = entries,
                                   .labels = labels,
                                   .columns = columns,
                                   .row_starts = row_starts };
    gradus_dataset *data = gradus_dataset_borrow(&dense, &err);
    gradus_dataset *same = gradus_dataset_borrow(&sparse, &err);
    gradus_status status = data && same ? GRADUS_OK : err.status;

    if (status == GRADUS_OK)
        status =
            gradus_model_score_rows(model, values, ROWS, features, features, by_rows, NULL, &err);
    if (status == GRADUS_OK)
        status = gradus_model_score(NULL, model, data, by_data, &err);
    if (status == GRADUS_OK)
        status = gradus_model_score(NULL, model, same, by_entries, &err);
    if (status != GRADUS_OK)
        fail_msg("%s: %s", path, err.message);
    for (size_t r = 0; r < ROWS; r++) {
        if (memcmp(&by_rows[r], &by_data[r], sizeof by_rows[r]) != 0)
            fail_msg("%s: row %zu: %.17g and %.17g", path, r, by_rows[r], by_data[r]);
        CHECK_NEAR(by_entries[r], by_data[r], 1e-12 * (1 + fabs(by_data[r])));
    }
    gradus_dataset_free(data);
    gradus_dataset_free(same);
    free(values);
    free(columns);
    free(entries);
}

static size_t checked;

static void check_finished(const gradus_model *model, const char *path)
{
    if (strstr(path, "trained-") && model->finished && model->features <= MAX_FEATURES) {
        check_scores(model, path);
        checked++;
    }
}

static void test_rows_and_datasets_get_the_same_scores(void **state)
{
    (void)state;
    checked = 0;
    check_models(check_finished);
    assert_true(checked > 20);
}

/* With valid checksums: a number that cannot be is refused, or the model still gives scores or
 * reports why not. */
static void score_any(const char *bytes, size_t size)
{
    float values[2 * MAX_FEATURES] = { 0.5f, -1.0f, 2.0f };
    double scores[2];
    gradus_error err = { GRADUS_OK, "" };
    void *copy = NULL;
    gradus_model *model;

    assert_int_equal(posix_memalign(&copy, 64, size), 0);
    memcpy(copy, bytes, size);
    model = gr_model_parse(copy, size, "x.model", &err);
    if (model && model->features <= MAX_FEATURES) {
        const gradus_status status = gradus_model_score_rows(model, values, 2, MAX_FEATURES,
                                                             model->features, scores, NULL, &err);

        assert_true(status == GRADUS_OK || err.message[0]);
    }
    assert_true(model || (err.status == GRADUS_BAD_FORMAT && err.message[0]));
    gr_model_free(model);
    free(copy);
}

static void test_every_kind_survives_any_number(void **state)
{
    static const uint32_t numbers[] = { 0xffffffff, 0x7f800000, 0x80000000, 0x00000100 };

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        size_t size;
        char *bytes = file_bytes(smallest[k].path, &size);

        for (size_t at = seal_align(SEAL_FRONT + seal_get(bytes, 16, 8)); at + 4 <= size; at += 4)
            for (size_t n = 0; n < 4; n++) {
                const uint64_t kept = seal_get(bytes, at, 4);

                seal_put(bytes, at, numbers[n], 4);
                seal_model(bytes, size);
                score_any(bytes, size);
                seal_put(bytes, at, kept, 4);
            }
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_is_written_as_it_was_read),
        cmocka_unit_test(test_every_kind_cut_or_damaged_is_refused),
        cmocka_unit_test(test_every_kind_survives_any_number),
        cmocka_unit_test(test_rows_and_datasets_get_the_same_scores),
    };

    return cmocka_run_group_tests(tests, find_kinds, NULL);
}
