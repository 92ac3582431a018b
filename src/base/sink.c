/* SPDX-License-Identifier: Apache-2.0 */
/* Output files that appear complete or not at all. A regular file is written without a name
 * (O_TMPFILE) where the file system supports it, so that a killed process leaves nothing behind;
 * otherwise under a temporary name in the same folder. A file that replaces another one has a
 * temporary name for a moment; a process killed at that point leaves the complete file under it.
 * The next sink for the same path removes such leftovers. It recognises them because a file under a
 * temporary name is locked while its writer lives. Pipes and devices are written directly. */
#include "base/sink.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER = 1 << 18, ATTEMPTS = 100 };

typedef enum kind { STREAM, NAMELESS, TEMPORARY } kind;

struct gr_sink {
    char *path;      /* the final path, symbolic links resolved; also for messages */
    char *temporary; /* temporary path; its last six letters are random */
    int descriptor;
    bool borrowed; /* standard output: do not close it */
    kind kind;
    bool seekable;
    uint64_t size;
    unsigned char *buffer;
    size_t used;
    gr_packing packing;
    z_stream gzip;
    bool gzip_ready;
    ZSTD_CStream *zstd;
};

gr_packing gr_packing_of_name(const char *path)
{
    const size_t length = strlen(path);

    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        return GR_GZIP;
    return length > 4 && strcmp(path + length - 4, ".zst") == 0 ? GR_ZSTD : GR_PLAIN;
}

static gradus_status write_all(gr_sink *sink, const unsigned char *bytes, size_t size,
                               gradus_error *err)
{
    while (size > 0) {
        const ssize_t count = write(sink->descriptor, bytes, size);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return gr_fail_errno(err, "write", sink->path, errno);
        bytes += count;
        size -= (size_t)count;
    }
    return GRADUS_OK;
}

static gradus_status flush(gr_sink *sink, gradus_error *err)
{
    const size_t used = sink->used;

    sink->used = 0;
    return write_all(sink, sink->buffer, used, err);
}

static gradus_status write_plain(gr_sink *sink, const void *bytes, size_t size, gradus_error *err)
{
    if (size > BUFFER - sink->used)
        GR_TRY(flush(sink, err));
    if (size >= BUFFER)
        return write_all(sink, bytes, size, err);
    memcpy(sink->buffer + sink->used, bytes, size);
    sink->used += size;
    return GRADUS_OK;
}

static gradus_status write_gzip(gr_sink *sink, const void *bytes, size_t size, bool last,
                                gradus_error *err)
{
    z_stream *z = &sink->gzip;
    const unsigned char *at = bytes;
    int code = Z_OK;

    do {
        const size_t part = size < INT32_MAX ? size : INT32_MAX;

        z->next_in = (unsigned char *)(uintptr_t)at;
        z->avail_in = (uInt)part;
        do {
            z->next_out = sink->buffer;
            z->avail_out = BUFFER;
            code = deflate(z, last && part == size ? Z_FINISH : Z_NO_FLUSH);
            sink->used = BUFFER - z->avail_out;
            GR_TRY(flush(sink, err));
        } while (z->avail_in > 0 || (last && part == size && code != Z_STREAM_END));
        at += part;
        size -= part;
    } while (size > 0);
    return GRADUS_OK;
}

static gradus_status write_zstd(gr_sink *sink, const void *bytes, size_t size, bool last,
                                gradus_error *err)
{
    ZSTD_inBuffer in = { bytes, size, 0 };
    size_t left = 1;

    while (in.pos < in.size || (last && left != 0)) {
        ZSTD_outBuffer out = { sink->buffer, BUFFER, 0 };

        left = ZSTD_compressStream2(sink->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return gr_fail(err, GRADUS_NO_MEMORY, "zstd: %s", ZSTD_getErrorName(left));
        sink->used = out.pos;
        GR_TRY(flush(sink, err));
    }
    return GRADUS_OK;
}

gradus_status gr_sink_write(gr_sink *sink, const void *bytes, size_t size, gradus_error *err)
{
    sink->size += size;
    if (sink->packing == GR_GZIP)
        return write_gzip(sink, bytes, size, false, err);
    if (sink->packing == GR_ZSTD)
        return write_zstd(sink, bytes, size, false, err);
    return write_plain(sink, bytes, size, err);
}

uint64_t gr_sink_size(const gr_sink *sink)
{
    return sink->size;
}

bool gr_sink_seekable(const gr_sink *sink)
{
    return sink->seekable && sink->packing == GR_PLAIN;
}

gradus_status gr_sink_rewrite(gr_sink *sink, uint64_t at, const void *bytes, size_t size,
                              gradus_error *err)
{
    const char *from = bytes;

    GR_TRY(flush(sink, err));
    while (size > 0) {
        const ssize_t count = pwrite(sink->descriptor, from, size, (off_t)at);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return gr_fail_errno(err, "write", sink->path, errno);
        from += count;
        at += (uint64_t)count;
        size -= (size_t)count;
    }
    return GRADUS_OK;
}

/* Resolves symbolic links, so that replacing the file keeps the link. */
static char *final_path(const char *path)
{
    char *resolved = realpath(path, NULL);

    return resolved ? resolved : strdup(path);
}

/* Suffix of temporary names. Leftovers with it are deleted, so it must not resemble names that
 * users choose ("web.model.backup"). */
static const char temporary_mark[] = ".gradus-";
enum { LETTERS = 6 };
static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

/* Six random letters, unlikely to be in use already. */
static void choose_name(gr_sink *sink)
{
    char *last = sink->temporary + strlen(sink->temporary);
    struct timespec now;
    uint64_t draw;

    if (getrandom(&draw, sizeof draw, GRND_NONBLOCK) != (ssize_t)sizeof draw) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        draw = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u ^ (uint64_t)getpid() << 32;
    }
    for (int i = 0; i < LETTERS; i++, draw /= 36)
        *--last = letters[draw % 36];
}

/* The folder of the sink's path; false if its path is too long. */
static bool folder_of(const gr_sink *sink, char folder[PATH_MAX])
{
    const char *slash = strrchr(sink->path, '/');
    const size_t length = slash ? (size_t)(slash - sink->path) : 0;

    if (length >= PATH_MAX)
        return false;
    memcpy(folder, sink->path, length);
    folder[length] = '\0';
    if (length == 0)
        gr_text_copy(folder, PATH_MAX, slash ? "/" : ".", "");
    return true;
}

/* Removes a file unless a running process has locked it. */
static void remove_stale(int folder, const char *name)
{
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;

    if (file < 0)
        return;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(file);
}

/* Whether the name is a temporary name for the sink's path. */
static bool is_temporary(const gr_sink *sink, const char *name)
{
    const char *slash = strrchr(sink->temporary, '/'), *own = slash ? slash + 1 : sink->temporary;
    const size_t length = strlen(own) - LETTERS;

    return strncmp(name, own, length) == 0 && strlen(name) == length + LETTERS &&
           strspn(name + length, letters) == LETTERS;
}

/* Removes leftovers of killed writers of the same path. */
static void remove_left(const gr_sink *sink)
{
    char folder[PATH_MAX];
    DIR *entries = folder_of(sink, folder) ? opendir(folder) : NULL;
    const struct dirent *entry;

    while (entries && (entry = readdir(entries)))
        if (is_temporary(sink, entry->d_name))
            remove_stale(dirfd(entries), entry->d_name);
    if (entries)
        closedir(entries);
}

/* Files are created with mode 0666, from which the kernel removes the umask. Reading the umask
 * would require changing it for a moment, for all threads of the host program. */
static bool open_nameless(gr_sink *sink)
{
#ifdef O_TMPFILE
    char folder[PATH_MAX];

    if (access("/proc/self/fd", X_OK) != 0 || !folder_of(sink, folder))
        return false;
    sink->descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    sink->kind = NAMELESS;
    if (sink->descriptor >= 0)
        (void)flock(sink->descriptor, LOCK_EX); /* while it has a temporary name */
    return sink->descriptor >= 0;
#else
    (void)sink;
    return false;
#endif
}

/* False if another process removed the file before it was locked. */
static bool lock(const gr_sink *sink)
{
    struct stat about;

    (void)flock(sink->descriptor, LOCK_EX); /* without lock support no leftovers are removed */
    return fstat(sink->descriptor, &about) != 0 || about.st_nlink > 0;
}

static bool open_temporary(gr_sink *sink)
{
    for (int attempt = 0; attempt < ATTEMPTS && sink->descriptor < 0; attempt++) {
        choose_name(sink);
        sink->descriptor = open(sink->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
        if (sink->descriptor < 0 && errno != EEXIST)
            return false;
        if (sink->descriptor >= 0 && !lock(sink)) {
            close(sink->descriptor);
            sink->descriptor = -1;
        }
    }
    if (sink->descriptor >= 0)
        sink->kind = TEMPORARY;
    return sink->descriptor >= 0;
}

/* about: the existing file, or NULL. Its mode is kept. If it is not writable it is not replaced,
 * even though a writable folder would allow that. */
static gradus_status open_regular(gr_sink *sink, const struct stat *about, gradus_error *err)
{
    const size_t size = strlen(sink->path) + sizeof temporary_mark + LETTERS;

    sink->seekable = true;
    sink->temporary = malloc(size);
    if (!sink->temporary)
        return gr_fail_memory(err, "a path");
    gr_text_copy(sink->temporary, size, sink->path, temporary_mark);
    memset(sink->temporary + strlen(sink->temporary), 'X', LETTERS);
    sink->temporary[size - 1] = '\0';
    if ((about && faccessat(AT_FDCWD, sink->path, W_OK, AT_EACCESS) != 0) ||
        (!open_nameless(sink) && !open_temporary(sink)) ||
        (about && fchmod(sink->descriptor, about->st_mode & 0777) != 0))
        return gr_fail_errno(err, "write", sink->path, errno);
    remove_left(sink);
    return GRADUS_OK;
}

static gradus_status open_descriptor(gr_sink *sink, const char *path, gradus_error *err)
{
    struct stat about;
    bool there;

    sink->path = strcmp(path, "-") == 0 ? strdup("standard output") : final_path(path);
    if (!sink->path)
        return gr_fail_memory(err, "a path");
    if (strcmp(path, "-") == 0) {
        sink->descriptor = STDOUT_FILENO;
        sink->borrowed = true;
        return GRADUS_OK;
    }
    there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode))
        return gr_fail_errno(err, "write", path, EISDIR);
    if (!there || S_ISREG(about.st_mode))
        return open_regular(sink, there ? &about : NULL, err);
    sink->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (sink->descriptor < 0)
        return gr_fail_errno(err, "open", path, errno);
    return GRADUS_OK;
}

static gradus_status open_packing(gr_sink *sink, gradus_error *err)
{
    if (sink->packing == GR_GZIP) {
        if (deflateInit2(&sink->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            return gr_fail_memory(err, "gzip");
        sink->gzip_ready = true;
    }
    if (sink->packing == GR_ZSTD && !(sink->zstd = ZSTD_createCStream()))
        return gr_fail_memory(err, "zstd");
    if (sink->zstd) /* so that damage is detected, as in gzip */
        ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_checksumFlag, 1);
    return GRADUS_OK;
}

gr_sink *gr_sink_open(const char *path, gr_packing packing, gradus_error *err)
{
    gr_sink *sink = calloc(1, sizeof *sink);

    if (!sink) {
        gr_fail_memory(err, "a file");
        return NULL;
    }
    sink->descriptor = -1;
    sink->packing = packing;
    sink->buffer = malloc(BUFFER);
    if (!sink->buffer) {
        gr_fail_memory(err, "a file");
        goto failed;
    }
    if (open_descriptor(sink, path, err) != GRADUS_OK || open_packing(sink, err) != GRADUS_OK)
        goto failed;
    return sink;

failed:
    gr_sink_abandon(sink);
    return NULL;
}

static void sink_free(gr_sink *sink)
{
    if (sink->descriptor >= 0 && !sink->borrowed)
        close(sink->descriptor);
    if (sink->gzip_ready)
        deflateEnd(&sink->gzip);
    ZSTD_freeCStream(sink->zstd);
    free(sink->buffer);
    free(sink->temporary);
    free(sink->path);
    free(sink);
}

void gr_sink_abandon(gr_sink *sink)
{
    if (!sink)
        return;
    if (sink->kind == TEMPORARY && sink->temporary)
        unlink(sink->temporary);
    sink_free(sink);
}

/* Links a nameless file to its final name if no file has that name (kind becomes STREAM), otherwise
 * to a temporary name, from which it is renamed over the existing file. */
static gradus_status name_it(gr_sink *sink, gradus_error *err)
{
    char link_path[64];

    snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", sink->descriptor);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const char *name = attempt == 0 ? sink->path : sink->temporary;

        choose_name(sink);
        if (linkat(AT_FDCWD, link_path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            sink->kind = attempt == 0 ? STREAM : TEMPORARY;
            return GRADUS_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return gr_fail_errno(err, "write", sink->path, errno);
}

static gradus_status finish(gr_sink *sink, gradus_error *err)
{
    if (sink->packing == GR_GZIP)
        GR_TRY(write_gzip(sink, "", 0, true, err));
    if (sink->packing == GR_ZSTD)
        GR_TRY(write_zstd(sink, "", 0, true, err));
    GR_TRY(flush(sink, err));
    if (sink->kind == STREAM)
        return GRADUS_OK;
    if (fsync(sink->descriptor) != 0)
        return gr_fail_errno(err, "write", sink->path, errno);
    if (sink->kind == NAMELESS)
        GR_TRY(name_it(sink, err));
    if (sink->kind == TEMPORARY && rename(sink->temporary, sink->path) != 0)
        return gr_fail_errno(err, "write", sink->path, errno);
    sink->kind = STREAM; /* nothing to unlink any more */
    return GRADUS_OK;
}

gradus_status gr_sink_close(gr_sink *sink, gradus_error *err)
{
    const gradus_status status = finish(sink, err);

    gr_sink_abandon(sink);
    return status;
}
