/* SPDX-License-Identifier: Apache-2.0 */
/* Model files for the tests: a temporary sample_folder, and the bytes of sample models. */
#include "sample_files.h"

#include "model/model_write.h"

char sample_folder[64], sample_path[128];

int set_up_samples(void **state)
{
    (void)state;
    make_folder(sample_folder);
    in_folder(sample_path, sample_folder, "a.model");
    return 0;
}

int tear_down_samples(void **state)
{
    (void)state;
    unlink(sample_path);
    return rmdir(sample_folder);
}

char *sample_bytes(const gradus_model *model, size_t *size)
{
    gradus_error err = { GRADUS_OK, "" };

    if (gr_model_write(model, sample_path, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return file_bytes(sample_path, size);
}

char *sample_kind_bytes(size_t kind, size_t *size)
{
    gradus_model *model = sample_model(&sample_kinds[kind]);
    char *bytes = sample_bytes(model, size);

    gr_model_free(model);
    return bytes;
}
