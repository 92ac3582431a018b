/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files that disappear with the process. */
#include "data/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gr_scratch {
    int descriptor;
    char path[]; /* of the other file */
};

/* Opens a temporary file and unlinks it at once. */
static int open_unnamed(const char *beside)
{
    static const char letters[] = ".XXXXXX";
    const size_t length = strlen(beside);
    char *path = malloc(length + sizeof letters);
    int descriptor;

    if (!path) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(path, beside, length);
    memcpy(path + length, letters, sizeof letters);
    descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0)
        unlink(path);
    free(path);
    return descriptor;
}

gr_scratch *gr_scratch_new(const char *beside, gradus_error *err)
{
    gr_scratch *scratch = malloc(sizeof *scratch + strlen(beside) + 1);

    if (!scratch) {
        gr_fail_memory(err, "a scratch file");
        return NULL;
    }
    memcpy(scratch->path, beside, strlen(beside) + 1);
    scratch->descriptor = open_unnamed(beside);
    if (scratch->descriptor < 0) {
        gr_fail_errno(err, "write a temporary file next to", beside, errno);
        free(scratch);
        return NULL;
    }
    return scratch;
}

void gr_scratch_free(gr_scratch *scratch)
{
    if (!scratch)
        return;
    close(scratch->descriptor);
    free(scratch);
}

gradus_status gr_scratch_write(gr_scratch *scratch, const void *bytes, size_t size,
                               gradus_error *err)
{
    const char *from = bytes;

    while (size > 0) {
        const ssize_t count = write(scratch->descriptor, from, size);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return gr_fail_errno(err, "write a temporary file next to", scratch->path, errno);
        from += count;
        size -= (size_t)count;
    }
    return GRADUS_OK;
}

gradus_status gr_scratch_rewind(gr_scratch *scratch, gradus_error *err)
{
    if (lseek(scratch->descriptor, 0, SEEK_SET) != 0)
        return gr_fail_errno(err, "read a temporary file next to", scratch->path, errno);
    return GRADUS_OK;
}

gradus_status gr_scratch_read(gr_scratch *scratch, void *bytes, size_t size, size_t *got,
                              gradus_error *err)
{
    ssize_t count;

    do
        count = read(scratch->descriptor, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return gr_fail_errno(err, "read a temporary file next to", scratch->path, errno);
    *got = (size_t)count;
    return GRADUS_OK;
}
