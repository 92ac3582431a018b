/* SPDX-License-Identifier: Apache-2.0 */
/* Every public function rejects NULL for a required argument and names the argument. */
#include "checks.h"

#include "gradus_experiments.h"

#include <math.h>
#include <string.h>

typedef struct row {
    const char *name;
    size_t pointers;
    /* Calls the function with only argument `which` NULL; returns whether it was rejected. */
    bool (*is_refused)(size_t which, gradus_error *err);
    bool has_error;
} row;

/* A non-NULL pointer that must never be dereferenced. */
static char anything[4096];

static bool is_empty(const char *text)
{
    return text && *text == '\0';
}

#define N(i) (which == (i) ? NULL : (void *)anything)
#define DEFINE(name, refused)                                                                      \
    static bool call_##name(size_t which, gradus_error *err)                                       \
    {                                                                                              \
        (void)err;                                                                                 \
        return refused;                                                                            \
    }
#define STATUS(name, pointers, call) DEFINE(name, name call == GRADUS_BAD_ARGUMENT)
#define POINTER(name, pointers, call) DEFINE(name, name call == NULL)
#define FALSE(name, pointers, call) DEFINE(name, !name call)
#define EMPTY(name, pointers, call) DEFINE(name, is_empty(name call))
#define NOT_A_NUMBER(name, pointers, call) DEFINE(name, isnan(name call))
#define NOTHING(name, pointers, call) DEFINE(name, (name call, true))
#include "null_rows.def"
#undef STATUS
#undef POINTER
#undef FALSE
#undef EMPTY
#undef NOT_A_NUMBER
#undef NOTHING

static const row rows[] = {
#define STATUS(name, pointers, call) { #name, pointers, call_##name, true },
#define POINTER(name, pointers, call) { #name, pointers, call_##name, true },
#define FALSE(name, pointers, call) { #name, pointers, call_##name, false },
#define EMPTY(name, pointers, call) { #name, pointers, call_##name, false },
#define NOT_A_NUMBER(name, pointers, call) { #name, pointers, call_##name, false },
#define NOTHING(name, pointers, call) { #name, pointers, call_##name, false },
#include "null_rows.def"
};

static void test_every_function_refuses_null(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t which = 0; which < rows[r].pointers; which++) {
            gradus_error err = { GRADUS_OK, "" };

            if (!rows[r].is_refused(which, &err))
                fail_msg("%s takes NULL for pointer %zu", rows[r].name, which);
            if (rows[r].has_error &&
                (err.status != GRADUS_BAD_ARGUMENT || !strstr(err.message, rows[r].name)))
                fail_msg("%s, pointer %zu: %s", rows[r].name, which, err.message);
            if (rows[r].has_error)
                assert_true(rows[r].is_refused(which, NULL));
        }
}

static void test_the_argument_is_named(void **state)
{
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_model_write((const gradus_model *)anything, NULL, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "the argument 'path' of gradus_model_write is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function_refuses_null),
        cmocka_unit_test(test_the_argument_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
