/* SPDX-License-Identifier: Apache-2.0 */
/* Byte input. Compression is detected from the first bytes; concatenated gzip members and zstd
 * frames are read as one stream. */
#include "base/source.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { INPUT = 1 << 18, PEEK = 64 };

typedef enum packing { PLAIN, GZIP, ZSTD } packing;

struct gr_source {
    const char *path; /* as given */
    char *kept_path;
    int descriptor; /* -1: the bytes come from memory */
    bool borrowed;  /* standard input: do not close it */
    const unsigned char *memory;
    size_t memory_left;
    const unsigned char *more; /* memory that follows */
    size_t more_left;
    uint64_t size, consumed; /* bytes of the file: total, and read so far */
    packing packing;
    bool input_ended;
    bool in_frame; /* inside a compressed frame */
    unsigned char *input;
    size_t input_at, input_end;
    unsigned char front[PEEK]; /* first bytes, buffered for peeking */
    size_t front_at, front_end;
    bool peeked;
    z_stream gzip;
    bool gzip_ready;
    ZSTD_DStream *zstd;
};

const char *gr_source_name(const gr_source *source)
{
    return source->path;
}

double gr_source_share(const gr_source *source)
{
    if (source->size == 0)
        return 0.0;
    return source->consumed < source->size ? (double)source->consumed / (double)source->size : 1.0;
}

uint64_t gr_source_size(const gr_source *source)
{
    return source->packing == PLAIN ? source->size : 0;
}

static void read_memory(gr_source *source, void *bytes, size_t size, size_t *got)
{
    if (source->memory_left == 0) {
        source->memory = source->more;
        source->memory_left = source->more_left;
        source->more_left = 0;
    }
    *got = source->memory_left < size ? source->memory_left : size;
    if (*got == 0)
        return;
    memcpy(bytes, source->memory, *got);
    source->memory += *got;
    source->memory_left -= *got;
}

static gradus_status read_raw(gr_source *source, void *bytes, size_t size, size_t *got,
                              gradus_error *err)
{
    ssize_t count;

    if (source->descriptor < 0) {
        read_memory(source, bytes, size, got);
        return GRADUS_OK;
    }
    do
        count = read(source->descriptor, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return gr_fail_errno(err, "read", source->path, errno);
    *got = (size_t)count;
    source->consumed += *got;
    return GRADUS_OK;
}

static gradus_status fill_input(gr_source *source, gradus_error *err)
{
    size_t got = 0;

    if (source->input_at < source->input_end || source->input_ended)
        return GRADUS_OK;
    GR_TRY(read_raw(source, source->input, INPUT, &got, err));
    source->input_at = 0;
    source->input_end = got;
    source->input_ended = got == 0;
    return GRADUS_OK;
}

static gradus_status damaged(const gr_source *source, const char *what, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: %s", source->path, what);
}

static gradus_status read_plain(gr_source *source, void *bytes, size_t size, size_t *got,
                                gradus_error *err)
{
    const size_t kept = source->input_end - source->input_at;

    if (kept == 0)
        return read_raw(source, bytes, size, got, err);
    *got = kept < size ? kept : size;
    memcpy(bytes, source->input + source->input_at, *got);
    source->input_at += *got;
    return GRADUS_OK;
}

/* Calls inflate once; starts a new gzip member if the last one has ended. */
static gradus_status inflate_some(gr_source *source, void *bytes, size_t size, size_t *got,
                                  gradus_error *err)
{
    z_stream *z = &source->gzip;
    int code;

    if (!source->in_frame) {
        inflateReset(z);
        source->in_frame = true;
    }
    z->next_in = source->input + source->input_at;
    z->avail_in = (uInt)(source->input_end - source->input_at);
    z->next_out = bytes;
    z->avail_out = (uInt)(size < INT32_MAX ? size : INT32_MAX);
    const uInt room = z->avail_out;
    code = inflate(z, Z_NO_FLUSH);
    source->input_at = source->input_end - z->avail_in;
    *got = room - z->avail_out;
    if (code == Z_STREAM_END)
        source->in_frame = false;
    else if (code == Z_MEM_ERROR)
        return gr_fail_memory(err, "gzip");
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return damaged(source, "damaged gzip data", err);
    return GRADUS_OK;
}

static gradus_status unzstd_some(gr_source *source, void *bytes, size_t size, size_t *got,
                                 gradus_error *err)
{
    ZSTD_inBuffer in = { source->input, source->input_end, source->input_at };
    ZSTD_outBuffer out = { bytes, size, 0 };
    const size_t code = ZSTD_decompressStream(source->zstd, &out, &in);

    if (ZSTD_isError(code) && ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        return gr_fail_memory(err, "zstd");
    if (ZSTD_isError(code)) /* also windows above 128 MB (--ultra --long=31) */
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: damaged zstd data (%s)", source->path,
                       ZSTD_getErrorName(code));
    source->input_at = in.pos;
    source->in_frame = code != 0;
    *got = out.pos;
    return GRADUS_OK;
}

static gradus_status read_packed(gr_source *source, void *bytes, size_t size, size_t *got,
                                 gradus_error *err)
{
    *got = 0;
    while (*got == 0) {
        GR_TRY(fill_input(source, err));
        if (source->input_at == source->input_end && !source->in_frame)
            return GRADUS_OK;
        const bool no_input = source->input_at == source->input_end;
        GR_TRY(source->packing == GZIP ? inflate_some(source, bytes, size, got, err)
                                       : unzstd_some(source, bytes, size, got, err));
        if (*got == 0 && no_input && source->in_frame)
            return damaged(source, "compressed data is truncated", err);
    }
    return GRADUS_OK;
}

static gradus_status read_content(gr_source *source, void *bytes, size_t size, size_t *got,
                                  gradus_error *err)
{
    return source->packing == PLAIN ? read_plain(source, bytes, size, got, err)
                                    : read_packed(source, bytes, size, got, err);
}

static gradus_status find_packing(gr_source *source, gradus_error *err)
{
    const unsigned char *at = source->input;

    GR_TRY(fill_input(source, err));
    /* a pipe may return fewer than four bytes at first */
    while (source->input_end < 4 && !source->input_ended) {
        size_t got = 0;

        GR_TRY(read_raw(source, source->input + source->input_end, 16, &got, err));
        source->input_end += got;
        source->input_ended = got == 0;
    }
    if (source->input_end >= 3 && at[0] == 0x1f && at[1] == 0x8b && at[2] == 8)
        source->packing = GZIP;
    else if (source->input_end >= 4 && memcmp(at, "\x28\xb5\x2f\xfd", 4) == 0)
        source->packing = ZSTD;
    if (source->packing == GZIP && inflateInit2(&source->gzip, 15 + 16) != Z_OK)
        return gr_fail_memory(err, "gzip");
    source->gzip_ready = source->packing == GZIP;
    if (source->packing == ZSTD && !(source->zstd = ZSTD_createDStream()))
        return gr_fail_memory(err, "zstd");
    return GRADUS_OK;
}

static gradus_status keep_name(gr_source *source, const char *name, gradus_error *err)
{
    source->kept_path = strdup(name);
    if (!source->kept_path)
        return gr_fail_memory(err, "a path");
    source->path = source->kept_path;
    return GRADUS_OK;
}

static gradus_status open_descriptor(gr_source *source, const char *path, gradus_error *err)
{
    struct stat about;

    if (strcmp(path, "-") == 0) {
        source->path = "standard input";
        source->descriptor = STDIN_FILENO;
        source->borrowed = true;
        return GRADUS_OK;
    }
    GR_TRY(keep_name(source, path, err));
    source->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (source->descriptor < 0 || fstat(source->descriptor, &about) != 0)
        return gr_fail_errno(err, "open", path, errno);
    if (S_ISDIR(about.st_mode))
        return gr_fail_errno(err, "read", path, EISDIR);
    if (S_ISREG(about.st_mode))
        source->size = (uint64_t)about.st_size;
    return GRADUS_OK;
}

static gr_source *new_source(gradus_error *err)
{
    gr_source *source = calloc(1, sizeof *source);

    if (source)
        source->input = malloc(INPUT);
    if (!source || !source->input) {
        free(source);
        gr_fail_memory(err, "a file");
        return NULL;
    }
    source->descriptor = -1;
    return source;
}

gr_source *gr_source_open(const char *path, gradus_error *err)
{
    gr_source *source = new_source(err);

    if (!source)
        return NULL;
    if (open_descriptor(source, path, err) == GRADUS_OK && find_packing(source, err) == GRADUS_OK)
        return source;
    gr_source_close(source);
    return NULL;
}

void gr_source_append(gr_source *source, const void *bytes, size_t size)
{
    source->more = bytes;
    source->more_left = size;
    source->size += size;
}

gr_source *gr_source_from_memory(const void *bytes, size_t size, const char *name,
                                 gradus_error *err)
{
    gr_source *source = new_source(err);

    if (!source)
        return NULL;
    source->memory = bytes;
    source->memory_left = size;
    source->size = size;
    if (keep_name(source, name, err) == GRADUS_OK && find_packing(source, err) == GRADUS_OK)
        return source;
    gr_source_close(source);
    return NULL;
}

void gr_source_close(gr_source *source)
{
    if (!source)
        return;
    if (source->descriptor >= 0 && !source->borrowed)
        close(source->descriptor);
    if (source->gzip_ready)
        inflateEnd(&source->gzip);
    ZSTD_freeDStream(source->zstd);
    free(source->input);
    free(source->kept_path);
    free(source);
}

gradus_status gr_source_peek(gr_source *source, const unsigned char **bytes, size_t *count,
                             gradus_error *err)
{
    while (!source->peeked && source->front_end < PEEK) {
        size_t got = 0;

        GR_TRY(read_content(source, source->front + source->front_end, PEEK - source->front_end,
                            &got, err));
        source->front_end += got;
        if (got == 0)
            break;
    }
    source->peeked = true;
    *bytes = source->front;
    *count = source->front_end;
    return GRADUS_OK;
}

gradus_status gr_source_read(gr_source *source, void *bytes, size_t size, size_t *got,
                             gradus_error *err)
{
    const size_t kept = source->front_end - source->front_at;

    if (kept == 0)
        return read_content(source, bytes, size, got, err);
    *got = kept < size ? kept : size;
    memcpy(bytes, source->front + source->front_at, *got);
    source->front_at += *got;
    return GRADUS_OK;
}

gradus_status gr_source_read_rest(gr_source *source, size_t most, gr_array *content, size_t *size,
                                  gradus_error *err)
{
    for (size_t got = 1; got > 0; *size += got) {
        if (!gr_array_reserve(content, *size + INPUT + 1))
            return gr_fail_memory(err, "a file");
        GR_TRY(gr_source_read(source, (char *)content->at + *size, INPUT, &got, err));
        if (*size + got > most)
            return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: larger than %zu bytes", source->path,
                           most);
    }
    return GRADUS_OK;
}

gradus_status gr_source_read_all(const char *path, size_t most, char **bytes, size_t *size,
                                 gradus_error *err)
{
    gr_array content = { NULL, 0, false };
    gradus_error found;
    gr_source *source = gr_source_open(path, &found);
    gradus_status status;

    *size = 0;
    *bytes = NULL;
    if (!source)
        return gr_fail(err, found.status, "%s", found.message);
    status = gr_source_read_rest(source, most, &content, size, err);
    gr_source_close(source);
    if (status == GRADUS_OK && !(*bytes = malloc(*size + 1)))
        status = gr_fail_memory(err, "a file");
    if (status == GRADUS_OK) {
        memcpy(*bytes, content.at, *size);
        (*bytes)[*size] = '\0';
    }
    gr_array_free(&content);
    return status;
}
