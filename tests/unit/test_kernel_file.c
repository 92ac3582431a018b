/* SPDX-License-Identifier: Apache-2.0 */
/* Files of kernel machines: read back as written, and rejected or harmless when modified. */
#include "checks.h"

#include "model/model.h"
#include "seal.h"
#include "random_sets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 11, FEATURES = 3 };

static const float values[ROWS * FEATURES] = { 1, 0, 2, 0, 3,  0, -1, 0, 0, 0, 0, 0, 2, 2, 0, 0, 1,
                                               1, 0, 4, 0, -2, 0, 1,  0, 1, 0, 5, 0, 0, 0, 3, 1 };

static gradus_dataset *make_data(bool sparse)
{
    static const float labels[ROWS];
    gradus_arrays arrays = { .rows = ROWS, .features = FEATURES, .labels = labels };
    static uint64_t starts[ROWS + 1];
    static uint32_t columns[ROWS * FEATURES];
    static float entries[ROWS * FEATURES];
    uint64_t count = 0;

    for (size_t i = 0; i < ROWS * FEATURES; i++) {
        if (values[i] != 0.0f) {
            columns[count] = (uint32_t)(i % FEATURES);
            entries[count++] = values[i];
        }
        starts[i / FEATURES + 1] = count;
    }
    if (sparse) {
        arrays.row_starts = starts;
        arrays.columns = columns;
        arrays.entries = entries;
    } else {
        arrays.values = values;
        arrays.stride = FEATURES;
    }
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);

    assert_non_null(data);
    return data;
}

static gradus_model *make_model(const gradus_dataset *data)
{
    gradus_model *model = gr_model_new(NULL);
    gr_machine machine = { .kernel = { GR_KERNEL_GAUSSIAN, 1.25, 3, 0.5 }, .outputs = 1 };
    gr_spread spreads[FEATURES];
    gr_node node;

    gr_spread_all(data, spreads, NULL, NULL);
    assert_int_equal(gr_kernel_rows_of(data, NULL, ROWS, spreads, &machine.rows, NULL), GRADUS_OK);
    machine.bases = calloc(1, sizeof(double));
    machine.coefficients = calloc(ROWS, sizeof(double));
    for (size_t r = 0; r < ROWS; r++)
        machine.coefficients[r] = 0.5 - 0.1 * (double)r;
    assert_int_equal(gr_kernel_node_new(&machine, &node, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
    gr_model_add_result(model, "duality gap", 0.25, NULL);
    model->features = FEATURES;
    model->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    return model;
}

static char *bytes_of(const gradus_model *model, size_t *size)
{
    char path[64], *bytes;

    snprintf(path, sizeof path, "/tmp/test_kernel_file_%d", (int)getpid());
    assert_int_equal(gr_model_write(model, path, NULL), GRADUS_OK);
    bytes = file_bytes(path, size);
    unlink(path);
    return bytes;
}

/* Reads bytes as a model, from a block of their own; NULL: rejected, with a reason. */
static gradus_model *parse(const char *bytes, size_t size, void **block)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model;

    assert_int_equal(posix_memalign(block, 64, size), 0);
    memcpy(*block, bytes, size);
    model = gr_model_parse(*block, size, "x.model", &err);
    assert_true(model || (err.status == GRADUS_BAD_FORMAT && strstr(err.message, "'x.model'")));
    return model;
}

static void test_a_file_gives_the_same_machine(void **state)
{
    (void)state;
    for (size_t sparse = 0; sparse < 2; sparse++) {
        gradus_dataset *data = make_data(sparse);
        gradus_model *model = make_model(data), *again;
        double scores[2][ROWS];
        size_t size, twice;
        char *bytes = bytes_of(model, &size), *second;
        gradus_kernel_facts facts;
        const char *name;
        double value;
        void *block;

        again = parse(bytes, size, &block);
        assert_non_null(again);
        second = bytes_of(again, &twice);
        assert_int_equal(size, twice);
        assert_memory_equal(bytes, second, size);
        gr_model_run(model, data, NULL, scores[0], NULL, NULL);
        gr_model_run(again, data, NULL, scores[1], NULL, NULL);
        assert_memory_equal(scores[0], scores[1], sizeof scores[0]);
        assert_true(gradus_model_kernel(again, &facts) && facts.sparse == sparse);
        assert_int_equal(facts.rows, ROWS);
        CHECK_NEAR(facts.bandwidth, 1.25, 0.0);
        assert_true(gradus_model_result_at(again, 0, &name, &value));
        assert_string_equal(name, "duality gap");
        CHECK_NEAR(value, 0.25, 0.0);
        assert_false(gradus_model_result_at(again, 1, &name, &value));
        gr_model_free(again);
        gr_model_free(model);
        gradus_dataset_free(data);
        free(bytes);
        free(second);
        free(block);
    }
}

/* Every row gets a number, or an error gives the reason. */
static void check_scores(const gradus_model *model, const gradus_dataset *data)
{
    gradus_error err = { GRADUS_OK, "" };
    double scores[ROWS];

    if (gr_model_run(model, data, NULL, scores, NULL, &err) != GRADUS_OK) {
        assert_true(err.message[0] != '\0');
        return;
    }
    for (size_t r = 0; r < ROWS; r++)
        assert_true(isfinite(scores[r]));
}

/* Every byte except those of the file structure, modified in several ways and sealed again. */
static void test_changed_files_are_refused_or_harmless(void **state)
{
    static const char changes[] = { '0', '9', '-', '"', (char)0xff, 0 };
    size_t refused = 0;

    (void)state;
    for (size_t sparse = 0; sparse < 2; sparse++) {
        gradus_dataset *data = make_data(sparse);
        gradus_model *model = make_model(data);
        size_t size;
        char *bytes = bytes_of(model, &size);

        for (size_t at = SEAL_FRONT; at < size; at++)
            for (size_t c = 0; c < sizeof changes; c++) {
                const char before = bytes[at];
                gradus_model *found;
                void *block;

                bytes[at] = changes[c];
                seal_model(bytes, size);
                found = parse(bytes, size, &block);
                refused += !found;
                if (found) /* an output may still overflow */
                    check_scores(found, data);
                gr_model_free(found);
                free(block);
                bytes[at] = before;
            }
        free(bytes);
        gr_model_free(model);
        gradus_dataset_free(data);
    }
    assert_true(refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_gives_the_same_machine),
        cmocka_unit_test(test_changed_files_are_refused_or_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
