#include "check.h"
#include "sample_model.h"
#include "sets.h"

#include "model/file.h"

static char folder[64], path[128], other_path[128];

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    in_folder(path, folder, "a.model");
    in_folder(other_path, folder, "b.model");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    unlink(other_path);
    return rmdir(folder);
}

static char *bytes_of_model(const gradus_model *model, size_t *size)
{
    gradus_error err = { GRADUS_OK, "" };

    if (gr_model_write(model, path, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return file_bytes(path, size);
}

static gradus_model *read_model(const char *from)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = gr_model_read(from, &err);

    if (!model)
        fail_msg("%s", err.message);
    return model;
}

static void test_written_and_read_twice_is_the_same(void **state)
{
    (void)state;
    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        gradus_model *model = sample_model(&sample_kinds[k]);
        size_t sizes[3];
        char *first = bytes_of_model(model, &sizes[0]);
        char *second = bytes_of_model(model, &sizes[1]);
        gradus_model *back = read_model(path);
        char *third = bytes_of_model(back, &sizes[2]);

        assert_int_equal(sizes[0], sizes[1]);
        assert_int_equal(sizes[0], sizes[2]);
        assert_memory_equal(first, second, sizes[0]);
        assert_memory_equal(first, third, sizes[0]);
        free(first);
        free(second);
        free(third);
        gr_model_free(model);
        gr_model_free(back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_and_read_twice_is_the_same),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
