/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in model files that later become lengths and sizes, behind valid checksums: gains of
 * splits are checked on reading, and memory use does not depend on the number of features that a
 * file claims. */
#include "checks.h"
#include "seal.h"
#include "random_sets.h"

#include "model/model.h"

#include <string.h>

/* The message with which a file of the fuzz corpus is rejected after a number is changed; "" if it
 * is accepted. */
static void parse_changed(const char *file, const char *section, size_t at, const void *number,
                          size_t number_size, char message[512])
{
    gradus_error err = { GRADUS_OK, "" };
    char path[256];
    size_t size;
    void *copy = NULL;

    snprintf(path, sizeof path, "tests/fuzz/corpus/model/%s", file);
    char *bytes = file_bytes(path, &size);

    if (number_size)
        memcpy(bytes + seal_section(bytes, section) + at, number, number_size);
    seal_model(bytes, size);
    assert_int_equal(posix_memalign(&copy, 64, size), 0);
    memcpy(copy, bytes, size);
    gr_model_free(gr_model_parse(copy, size, "x.model", &err));
    snprintf(message, 512, "%s", err.message);
    free(copy);
    free(bytes);
}

static void test_gains_are_finite_and_not_negative(void **state)
{
    static const char *const files[] = { "trained-forest.model", "trained-m5.model",
                                         "trained-votes.model", "trained-products.model" };
    const float bad[] = { -1.0f, -1e-30f, NAN, INFINITY, -INFINITY }, good = 3.4e38f;
    char message[512];

    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        parse_changed(files[f], "splits", 16, &good, sizeof good, message);
        assert_string_equal(message, "");
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            parse_changed(files[f], "splits", 16, &bad[i], sizeof bad[i], message);
            if (!strstr(message, "negative or not finite"))
                fail_msg("%s, gain %g: '%s'", files[f], (double)bad[i], message);
        }
    }
}

static void test_gains_of_gaussians_are_not_negative(void **state)
{
    const double bad = -1.0;
    char message[512];

    (void)state;
    parse_changed("trained-gaussians.model", "kernels", 0, NULL, 0, message);
    assert_string_equal(message, "");
    parse_changed("trained-gaussians.model", "kernels", 32, &bad, sizeof bad, message);
    assert_non_null(strstr(message, "negative"));
}

static gradus_model *read_corpus(const char *file)
{
    gradus_error err = { GRADUS_OK, "" };
    char path[256];
    gradus_model *model;

    snprintf(path, sizeof path, "tests/fuzz/corpus/model/%s", file);
    model = gr_model_read(path, &err);
    if (!model)
        fail_msg("%s: %s", path, err.message);
    return model;
}

static void test_uses_are_as_many_as_the_file_has(void **state)
{
    static const char *const files[] = { "many-features-forest.model", "many-features-votes.model",
                                         "many-features-hash.model", "many-features-mix.model" };

    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_model *model = read_corpus(files[f]);
        gradus_feature_use uses[64];
        size_t count = 99;

        assert_int_equal(model->features, UINT32_MAX);
        assert_in_range(gradus_model_max_uses(model), 0, 64);
        assert_int_equal(gradus_model_uses(model, uses, &count, &err), GRADUS_OK);
        assert_in_range(count, 0, 4);
        gr_model_free(model);
    }
}

/* The list agrees with the arrays of all features. */
static void check_uses(const char *file)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = read_corpus(file);
    gradus_feature_use *uses = calloc(gradus_model_max_uses(model) + 1, sizeof *uses);
    double *gains = calloc(model->features, sizeof *gains);
    uint64_t *splits = calloc(model->features, sizeof *splits);
    size_t count = 0, at = 0;

    assert_int_equal(gradus_model_importance(model, gains, splits, &err), GRADUS_OK);
    assert_int_equal(gradus_model_uses(model, uses, &count, &err), GRADUS_OK);
    for (size_t f = 0; f < model->features; f++) {
        if (splits[f] == 0)
            continue;
        assert_true(at < count);
        assert_int_equal(uses[at].feature, f);
        assert_int_equal(uses[at].splits, splits[f]);
        assert_true(uses[at].gain == gains[f]);
        at++;
    }
    assert_int_equal(at, count);
    free(uses);
    free(gains);
    free(splits);
    gr_model_free(model);
}

static void test_uses_are_those_of_importance(void **state)
{
    static const char *const files[] = {
        "trained-forest.model", "trained-m5.model",     "trained-votes.model",
        "trained-hash.model",   "trained-linear.model", "trained-gaussians.model",
        "trained-net.model",    "trained-kernel.model", "trained-mix.model",
    };

    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        check_uses(files[f]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gains_are_finite_and_not_negative),
        cmocka_unit_test(test_gains_of_gaussians_are_not_negative),
        cmocka_unit_test(test_uses_are_as_many_as_the_file_has),
        cmocka_unit_test(test_uses_are_those_of_importance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
