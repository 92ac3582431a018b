/* SPDX-License-Identifier: Apache-2.0 */
/* A model's file, in memory. */
#include "model_bytes.h"

#include "checks.h"

#include "model/model.h"
#include "model/model_read.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *model_bytes(const gradus_model *model, size_t *size)
{
    char path[] = "/tmp/gradus-test-XXXXXX", *bytes;
    gradus_error err = { GRADUS_OK, "" };
    const int taken = mkstemp(path);
    FILE *file;

    assert_true(taken >= 0);
    close(taken);
    if (gradus_model_write(model, path, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = aligned_alloc(64, (*size + 63) / 64 * 64);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    unlink(path);
    return bytes;
}

bool model_accepted(const char *bytes, size_t size, gradus_error *err)
{
    void *copy = NULL;
    gradus_model *model;

    *err = (gradus_error){ GRADUS_OK, "" };
    assert_int_equal(posix_memalign(&copy, 64, size ? size : 1), 0);
    if (size)
        memcpy(copy, bytes, size);
    model = gr_model_parse(copy, size, "x.model", err);
    assert_int_equal(model == NULL, err->status != GRADUS_OK);
    if (!model && (err->status != GRADUS_BAD_FORMAT || !strstr(err->message, "'x.model'")))
        fail_msg("status %d, '%s'", (int)err->status, err->message);
    gr_model_free(model);
    free(copy);
    return model != NULL;
}
