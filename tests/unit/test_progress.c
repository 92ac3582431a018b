/* SPDX-License-Identifier: Apache-2.0 */
/* Progress is reported in order, from 0 to 1, and cancelled work leaves nothing behind. */
#include "checks.h"
#include "temporary_files.h"

#include "gradus.h"

#include <string.h>
#include <unistd.h>

typedef struct told {
    size_t calls, ends, last_call; /* cancels at last_call */
    double before;
    bool in_order;
    char what[16];
} told;

static bool listen(void *user, const char *what, double done)
{
    told *t = user;

    t->calls++;
    t->ends += done == 1.0;
    t->in_order = t->in_order && done >= t->before && done <= 1.0;
    t->before = done;
    strncpy(t->what, what, sizeof t->what - 1);
    return t->calls != t->last_call;
}

static gradus_context *listening(told *t, size_t last_call)
{
    gradus_context *context = gradus_context_new(2, NULL);

    *t = (told){ .in_order = true, .last_call = last_call };
    gradus_context_on_progress(context, listen, t);
    return context;
}

static gradus_status make(gradus_context *context, const char *path, gradus_error *err)
{
    gradus_options *options = gradus_options_new("synth web", err);

    assert_int_equal(gradus_options_set(options, "queries", "600", err), GRADUS_OK);
    const gradus_status status = gradus_synth_write(context, options, path, NULL, err);
    gradus_options_free(options);
    return status;
}

static void test_progress_goes_from_0_to_1(void **state)
{
    told t;
    gradus_error err;
    gradus_context *context = listening(&t, 0);

    (void)state;
    assert_int_equal(make(context, temporary_path(".txt"), &err), GRADUS_OK);
    assert_true(t.in_order && t.calls > 2);
    assert_int_equal(t.ends, 1);
    assert_string_equal(t.what, "generating");
    for (int pass = 0; pass < 2; pass++) {
        const char *path = temporary_path(pass ? ".csv" : ".txt");

        t = (told){ .in_order = true };
        gradus_dataset *data = gradus_dataset_read(context, path, NULL, &err);
        assert_non_null(data);
        assert_true(t.in_order && t.calls > 2);
        assert_int_equal(t.ends, 1);
        assert_string_equal(t.what, "reading");
        t = (told){ .in_order = true };
        assert_int_equal(gradus_dataset_write(context, data, temporary_path(".csv"), NULL, &err),
                         GRADUS_OK);
        assert_true(t.in_order && t.calls > 2);
        assert_int_equal(t.ends, 1);
        assert_string_equal(t.what, "writing");
        gradus_dataset_free(data);
    }
    gradus_context_free(context);
}

static void test_cancelled_work_leaves_nothing(void **state)
{
    told t;
    gradus_error err;
    gradus_context *context = listening(&t, 2);

    (void)state;
    assert_int_equal(make(context, temporary_path("-cancelled.txt"), &err), GRADUS_CANCELLED);
    assert_string_equal(err.message, "generating was cancelled");
    assert_int_not_equal(access(temporary_path("-cancelled.txt"), F_OK), 0);
    t = (told){ .in_order = true, .last_call = 2 };
    assert_null(gradus_dataset_read(context, temporary_path(".txt"), NULL, &err));
    assert_int_equal(err.status, GRADUS_CANCELLED);
    t = (told){ .in_order = true, .last_call = 1 };
    assert_null(gradus_dataset_read(context, temporary_path(".csv"), NULL, &err));
    assert_int_equal(err.status, GRADUS_CANCELLED);
    gradus_context_free(context);
    unlink(temporary_path(".txt"));
    unlink(temporary_path(".csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress_goes_from_0_to_1),
        cmocka_unit_test(test_cancelled_work_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
