/* Numbers of model files that later become lengths and sizes, behind right checksums: gains of
 * splits are checked when a model is read. */
#include "check.h"
#include "seal_model.h"
#include "sets.h"

#include "model/model.h"

#include <string.h>

/* The message that a file of the fuzz corpus is refused with once a number is changed; "" if it is
 * taken. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gains_are_finite_and_not_negative),
        cmocka_unit_test(test_gains_of_gaussians_are_not_negative),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
