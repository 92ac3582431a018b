/* SPDX-License-Identifier: Apache-2.0 */
/* Model files for the tests: a temporary folder, and the bytes of sample models. */
#ifndef GR_TESTS_MODEL_FILES_H
#define GR_TESTS_MODEL_FILES_H

#include "sample_model.h"
#include "seal_model.h"
#include "sets.h"

#include "model/model_write.h"

static char folder[64], path[128];

static inline int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    in_folder(path, folder, "a.model");
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static inline char *bytes_of_model(const gradus_model *model, size_t *size)
{
    gradus_error err = { GRADUS_OK, "" };

    if (gr_model_write(model, path, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return file_bytes(path, size);
}

static inline char *bytes_of_kind(size_t kind, size_t *size)
{
    gradus_model *model = sample_model(&sample_kinds[kind]);
    char *bytes = bytes_of_model(model, size);

    gr_model_free(model);
    return bytes;
}

#endif
