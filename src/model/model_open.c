/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a model file: maps it and uses its sections in place. If another program truncates a mapped
 * file, reading it raises SIGBUS; gr_model_write never truncates one. */
#include "model/model_open.h"

#include "base/source.h"
#include "model/model_file.h"
#include "model/model_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The model takes over the mapping; on failure it is unmapped. */
static gradus_model *parse_mapping(void *mapping, size_t size, const char *name, gradus_error *err)
{
    gradus_model *model = gr_model_parse(mapping, size, name, err);

    if (!model) {
        munmap(mapping, size);
        return NULL;
    }
    model->mapping = mapping;
    model->mapping_size = size;
    return model;
}

gradus_model *gr_model_from_bytes(const void *bytes, size_t size, const char *name,
                                  gradus_error *err)
{
    void *copy;

    if (!gr_model_is_magic(bytes, size)) {
        gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is not a gradus model", name);
        return NULL;
    }
    copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) {
        gr_fail_memory(err, "a model");
        return NULL;
    }
    memcpy(copy, bytes, size);
    return parse_mapping(copy, size, name, err);
}

static gradus_status read_rest(gr_source *source, gr_array *content, size_t *size,
                               gradus_error *err)
{
    enum { STEP = 1 << 18 };

    for (size_t got = 1; got > 0; *size += got) {
        if (!gr_array_reserve(content, *size + STEP))
            return gr_fail_memory(err, "a model");
        GR_TRY(gr_source_read(source, (char *)content->at + *size, STEP, &got, err));
    }
    return GRADUS_OK;
}

/* Reads a pipe or a compressed file into page-aligned memory. */
gradus_model *gr_model_read_source(gr_source *source, gradus_error *err)
{
    gr_array content = { NULL, 0, false };
    gradus_model *model = NULL;
    const unsigned char *first;
    size_t size = 0, count;

    if (gr_source_peek(source, &first, &count, err) != GRADUS_OK)
        return NULL;
    if (!gr_model_is_magic(first, count)) {
        gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is not a gradus model", gr_source_name(source));
        return NULL;
    }
    if (read_rest(source, &content, &size, err) == GRADUS_OK)
        model = gr_model_from_bytes(content.at, size, gr_source_name(source), err);
    gr_array_free(&content);
    return model;
}

/* A regular file that starts like a model, open for reading; else -1. Other kinds of file are not
 * opened: opening a pipe has side effects. */
static int open_plain(const char *path, size_t *size)
{
    unsigned char first[GR_MODEL_MAGIC];
    struct stat about;
    int descriptor;

    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return -1;
    descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
        pread(descriptor, first, sizeof first, 0) == (ssize_t)sizeof first &&
        gr_model_is_magic(first, sizeof first)) {
        *size = (size_t)about.st_size;
        return descriptor;
    }
    close(descriptor);
    return -1;
}

static gradus_model *read_plain(int descriptor, size_t size, const char *path, gradus_error *err)
{
    void *mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);

    if (mapping == MAP_FAILED) {
        gr_fail_errno(err, "map", path, errno);
        return NULL;
    }
    return parse_mapping(mapping, size, path, err);
}

gradus_model *gr_model_read(const char *path, gradus_error *err)
{
    gradus_model *model = NULL;
    gr_source *source;
    size_t size = 0;
    const int descriptor = open_plain(path, &size);

    if (descriptor >= 0) {
        model = read_plain(descriptor, size, path, err);
        close(descriptor);
        return model;
    }
    source = gr_source_open(path, err);
    if (source)
        model = gr_model_read_source(source, err);
    gr_source_close(source);
    return model;
}

bool gr_model_is_file(const char *path)
{
    size_t size;
    const int descriptor = open_plain(path, &size);

    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}
