/* SPDX-License-Identifier: Apache-2.0 */
/* The corpus of the model fuzz target has a valid file for every kind of node, so that mutations
 * reach all of them. A new kind needs one: tests/fuzz/make_models.sh. Every valid model gives rows
 * in memory the scores that it gives a dataset, dense or sparse. */
#include "check.h"

#include "model/model.h"

#include "base/rng.h"

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

static void mark_kinds(const gradus_model *model, bool seen[KINDS])
{
    for (size_t n = 0; n < model->node_count; n++)
        for (size_t k = 0; k < KINDS; k++)
            seen[k] = seen[k] || model->nodes[n].kind == kinds[k];
}

static void test_every_kind_of_node_has_a_valid_model(void **state)
{
    DIR *folder = opendir(corpus);
    bool seen[KINDS] = { false };

    (void)state;
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
            mark_kinds(model, seen);
        gr_model_free(model);
    }
    closedir(folder);
    for (size_t k = 0; k < KINDS; k++)
        if (!seen[k])
            fail_msg("%s has no valid model with a node of kind '%s'", corpus,
                     kinds[k]->about.name);
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

static void test_rows_and_datasets_get_the_same_scores(void **state)
{
    DIR *folder = opendir(corpus);
    size_t checked = 0;

    (void)state;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        gradus_error err = { GRADUS_OK, "" };
        char path[512];
        gradus_model *model = NULL;

        snprintf(path, sizeof path, "%s/%s", corpus, entry->d_name);
        if (strncmp(entry->d_name, "trained-", 8) == 0)
            model = gr_model_read(path, &err);
        if (model && model->finished && model->features <= MAX_FEATURES) {
            check_scores(model, path);
            checked++;
        }
        gr_model_free(model);
    }
    closedir(folder);
    assert_true(checked > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_and_datasets_get_the_same_scores),
        cmocka_unit_test(test_every_kind_of_node_has_a_valid_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
