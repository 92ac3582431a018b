/* SPDX-License-Identifier: Apache-2.0 */
/* Journals of finished work as JSON lines: reading, checking and appending (see journal.h). */
#include "experiments/journal.h"

#include "base/names.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 30 };

struct gr_journal {
    char *path; /* NULL: in memory only */
    int file;   /* -1: in memory only */
    pthread_mutex_t lock;
    gr_name_set keys;
    gr_json **lines; /* per key: the whole line */
    size_t room;
    bool shared;    /* with other processes */
    gr_array fresh; /* if so, the lines that they do not have yet */
    size_t fresh_size;
};

void gr_journal_close(gr_journal *journal)
{
    if (!journal)
        return;
    for (size_t i = 0; i < journal->keys.list.count; i++)
        gr_json_free(journal->lines[i]);
    free(journal->lines);
    gr_array_free(&journal->fresh);
    gr_name_set_free(&journal->keys);
    if (journal->file >= 0)
        close(journal->file);
    free(journal->path);
    pthread_mutex_destroy(&journal->lock);
    free(journal);
}

/* Adds a line to the index. Takes ownership of the line, even on failure. */
static gradus_status keep(gr_journal *journal, gr_json *line, gradus_error *err)
{
    const char *key = NULL;

    if (!gr_json_text(gr_json_find(line, "key"), &key) || !gr_json_find(line, "value")) {
        gr_json_free(line);
        return gr_fail(err, GRADUS_BAD_FORMAT, "expected {\"key\":\"...\",\"value\":...}");
    }
    if (journal->keys.list.count == journal->room) {
        const size_t room = journal->room ? 2 * journal->room : 64;
        gr_json **lines = realloc(journal->lines, room * sizeof *lines);

        if (!lines) {
            gr_json_free(line);
            return gr_fail_memory(err, "a journal");
        }
        journal->lines = lines;
        journal->room = room;
    }
    const size_t before = journal->keys.list.count;
    const size_t at = gr_name_set_add(&journal->keys, key, strlen(key));

    if (at != before) {
        gr_json_free(line);
        return at == SIZE_MAX ? gr_fail_memory(err, "a journal")
                              : gr_fail(err, GRADUS_BAD_FORMAT, "duplicate key");
    }
    journal->lines[at] = line;
    return GRADUS_OK;
}

static gradus_status no_journal(const char *path, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "'%s' is not a journal; choose another file", path);
}

static gradus_status check_first(const gr_json *line, const char *path, const char *kind,
                                 const char *about, gradus_error *err)
{
    const char *found_kind, *found_about;

    if (!gr_json_text(gr_json_find(line, "journal"), &found_kind) ||
        !gr_json_text(gr_json_find(line, "about"), &found_about))
        return no_journal(path, err);
    if (strcmp(found_kind, kind) != 0 || strcmp(found_about, about) != 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%.100s' is the journal of a different run (%s: %.120s), not of this (%s: "
                       "%.120s); remove it or choose another file",
                       path, found_kind, found_about, kind, about);
    return GRADUS_OK;
}

/* Parses line `number` of the file, from 1; line 1 is the header. */
static gradus_status take_line(gr_journal *journal, const char *at, size_t length, size_t number,
                               const char *kind, const char *about, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    gr_json *line = gr_json_parse(at, length, &fault);
    gradus_status status;

    if (!line)
        return number == 1 && fault.status == GRADUS_BAD_FORMAT
                   ? no_journal(journal->path, err)
                   : gr_fail(err, fault.status, "%s:%zu: %s", journal->path, number, fault.message);
    if (number == 1) {
        status = check_first(line, journal->path, kind, about, err);
        gr_json_free(line);
        return status;
    }
    status = keep(journal, line, &fault);
    if (status != GRADUS_OK)
        gr_fail(err, status, "%s:%zu: %s", journal->path, number, fault.message);
    return status;
}

/* Parses the complete lines; *end: their total size in bytes. */
static gradus_status take_lines(gr_journal *journal, const char *bytes, size_t size,
                                const char *kind, const char *about, size_t *end, gradus_error *err)
{
    *end = 0;
    for (size_t number = 1; *end < size; number++) {
        const char *line = bytes + *end, *stop = memchr(line, '\n', size - *end);

        if (!stop)
            break; /* an incomplete last line: the run was killed while writing it */
        GR_TRY(take_line(journal, line, (size_t)(stop - line), number, kind, about, err));
        *end = (size_t)(stop - bytes) + 1;
    }
    return GRADUS_OK;
}

static gradus_status write_line(gr_journal *journal, const char *line, size_t size,
                                gradus_error *err)
{
    while (size > 0) {
        const ssize_t done = write(journal->file, line, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return gr_fail_errno(err, "write", journal->path, errno);
        line += done;
        size -= (size_t)done;
    }
    if (fdatasync(journal->file) != 0 && errno != EINVAL && errno != EROFS)
        return gr_fail_errno(err, "write", journal->path, errno);
    return GRADUS_OK;
}

/* The writer's JSON as a single line, including the line feed. */
static char *as_line(const gr_json_writer *writer, size_t *size)
{
    const char *bytes = writer->bytes.at;
    char *line = malloc(writer->used + 1);

    *size = 0;
    for (size_t i = 0; line && i < writer->used; i++)
        if (bytes[i] != '\n') /* safe: line feeds within strings are escaped */
            line[(*size)++] = bytes[i];
    if (line)
        line[(*size)++] = '\n';
    return line;
}

/* The header line, including the line feed; NULL: out of memory. */
static char *header_of(const char *kind, const char *about, const char *log_scale, size_t *size)
{
    gr_json_writer writer = { 0 };

    gr_json_open(&writer, NULL, '{');
    gr_json_put_text(&writer, "journal", kind);
    gr_json_put_text(&writer, "about", about);
    if (log_scale)
        gr_json_put_text(&writer, "log_scale", log_scale);
    gr_json_close(&writer, '}');
    char *line = writer.failed ? NULL : as_line(&writer, size);

    gr_json_writer_free(&writer);
    return line;
}

/* Starts a file that has no complete line. Existing content is overwritten only if it is a prefix
 * of this header, which a killed run may leave behind; any other content is the user's. */
static gradus_status begin_file(gr_journal *journal, const char *kind, const char *about,
                                const char *log_scale, const char *bytes, size_t size,
                                gradus_error *err)
{
    size_t length = 0;
    char *line = header_of(kind, about, log_scale, &length);
    gradus_status status = GRADUS_OK;

    if (!line)
        return gr_fail_memory(err, "a journal");
    if (size > length || memcmp(bytes, line, size) != 0)
        status = no_journal(journal->path, err);
    else if (size > 0 && ftruncate(journal->file, 0) != 0)
        status = gr_fail_errno(err, "write", journal->path, errno);
    else
        status = write_line(journal, line, length, err);
    free(line);
    return status;
}

/* Reads the results that a previous run left in the file. */
static gradus_status take_file(gr_journal *journal, const char *bytes, size_t size,
                               const char *kind, const char *about, const char *log_scale,
                               gradus_error *err)
{
    size_t end = 0;

    GR_TRY(take_lines(journal, bytes, size, kind, about, &end, err));
    if (end == 0)
        return begin_file(journal, kind, about, log_scale, bytes, size, err);
    if (end < size && ftruncate(journal->file, (off_t)end) != 0)
        return gr_fail_errno(err, "write", journal->path, errno);
    return GRADUS_OK;
}

static gradus_status open_file(gr_journal *journal, const char *kind, const char *about,
                               const char *log_scale, gradus_error *err)
{
    struct stat found;
    char *bytes = NULL;
    size_t size = 0;

    journal->file = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->file < 0)
        return gr_fail_errno(err, "open", journal->path, errno);
    if (flock(journal->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return gr_fail(err, GRADUS_NO_FILE, "'%s' is in use by another run", journal->path);
    GR_TRY(gradus_file_read(journal->path, MAX_BYTES, &bytes, &size, err));
    /* compressed files cannot be appended to, and their size differs from that of the contents */
    const bool plain = fstat(journal->file, &found) == 0 && (uint64_t)found.st_size == size;
    const gradus_status status = plain
                                     ? take_file(journal, bytes, size, kind, about, log_scale, err)
                                     : no_journal(journal->path, err);

    free(bytes);
    return status;
}

gr_journal *gr_journal_open(const char *path, const char *kind, const char *about,
                            const char *log_scale, gradus_error *err)
{
    gr_journal *journal = calloc(1, sizeof *journal);

    if (!journal) {
        gr_fail_memory(err, "a journal");
        return NULL;
    }
    journal->file = -1;
    pthread_mutex_init(&journal->lock, NULL);
    journal->path = path ? strdup(path) : NULL;
    if (path && !journal->path)
        gr_fail_memory(err, "a journal");
    else if (!path || open_file(journal, kind, about, log_scale, err) == GRADUS_OK)
        return journal;
    gr_journal_close(journal);
    return NULL;
}

const gr_json *gr_journal_find(gr_journal *journal, const char *key)
{
    const gr_json *value = NULL;

    pthread_mutex_lock(&journal->lock);
    const size_t at = gr_name_set_find(&journal->keys, key, strlen(key));

    if (at != SIZE_MAX)
        value = gr_json_find(journal->lines[at], "value");
    pthread_mutex_unlock(&journal->lock);
    return value;
}

size_t gr_journal_count(gr_journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    const size_t count = journal->keys.list.count;

    pthread_mutex_unlock(&journal->lock);
    return count;
}

double gr_journal_largest(gr_journal *journal, const char *name)
{
    double largest = 0.0;

    pthread_mutex_lock(&journal->lock);
    for (size_t i = 0; i < journal->keys.list.count; i++) {
        const double number = gr_json_real(gr_json_find(journal->lines[i], "value"), name);

        largest = number > largest ? number : largest;
    }
    pthread_mutex_unlock(&journal->lock);
    return largest;
}

/* Formats {"key":key,"value":value} as a line. */
static char *line_of(const char *key, const gr_json_writer *value, size_t *size)
{
    gr_json_writer writer = { 0 };
    char *line = NULL;

    gr_json_open(&writer, NULL, '{');
    gr_json_put_text(&writer, "key", key);
    gr_json_put_null(&writer, "value");
    if (!writer.failed && !value->failed && value->used > 0 &&
        gr_array_reserve(&writer.bytes, writer.used + value->used + 1)) {
        writer.used -= strlen("null");
        memcpy((char *)writer.bytes.at + writer.used, value->bytes.at, value->used);
        writer.used += value->used;
        gr_json_close(&writer, '}');
        line = as_line(&writer, size);
    }
    gr_json_writer_free(&writer);
    return line;
}

static gradus_status add_fresh(gr_journal *journal, const char *line, size_t size,
                               gradus_error *err)
{
    if (!gr_array_reserve(&journal->fresh, journal->fresh_size + size))
        return gr_fail_memory(err, "a journal");
    memcpy((char *)journal->fresh.at + journal->fresh_size, line, size);
    journal->fresh_size += size;
    return GRADUS_OK;
}

gradus_status gr_journal_add(gr_journal *journal, const char *key, const gr_json_writer *value,
                             gradus_error *err)
{
    size_t size = 0;
    char *line = line_of(key, value, &size);
    gr_json *parsed = line ? gr_json_parse(line, size - 1, err) : NULL;

    if (!line)
        gr_fail_memory(err, "a journal");
    if (!parsed) {
        free(line);
        return err ? err->status : GRADUS_NO_MEMORY;
    }
    pthread_mutex_lock(&journal->lock);
    gradus_status status = keep(journal, parsed, err);

    if (status == GRADUS_OK && journal->file >= 0)
        status = write_line(journal, line, size, err);
    if (status == GRADUS_OK && journal->shared)
        status = add_fresh(journal, line, size, err);
    pthread_mutex_unlock(&journal->lock);
    free(line);
    return status;
}

/* All lines of the file but the header: the results of a previous run. */
static gradus_status take_earlier(gr_journal *journal, gradus_error *err)
{
    char *bytes = NULL;
    const char *from;
    size_t size = 0;
    gradus_status status = GRADUS_OK;

    journal->shared = true;
    if (journal->file < 0)
        return GRADUS_OK;
    GR_TRY(gradus_file_read(journal->path, MAX_BYTES, &bytes, &size, err));
    from = memchr(bytes, '\n', size);
    if (from)
        status = add_fresh(journal, from + 1, size - (size_t)(from + 1 - bytes), err);
    free(bytes);
    return status;
}

/* Adds the lines of another process. */
static gradus_status add_lines(gr_journal *journal, const char *bytes, size_t size,
                               gradus_error *err)
{
    while (size) {
        const char *stop = memchr(bytes, '\n', size);
        const size_t length = stop ? (size_t)(stop - bytes) : size;
        gr_json *line = gr_json_parse(bytes, length, err);

        if (!line || !stop)
            return line ? gr_fail(err, GRADUS_LOST, "an incomplete journal") : err->status;
        GR_TRY(keep(journal, line, err));
        if (journal->file >= 0)
            GR_TRY(write_line(journal, bytes, length + 1, err));
        bytes = stop + 1;
        size -= length + 1;
    }
    return GRADUS_OK;
}

gradus_status gr_journal_share(gr_journal *journal, const gradus_collectives *with,
                               gradus_error *err)
{
    gradus_status status = journal->shared ? GRADUS_OK : take_earlier(journal, err);
    int64_t *sizes = gr_new_array(with->size, sizeof *sizes);
    size_t *lengths = gr_new_array(with->size, sizeof *lengths), all = 0;
    char *bytes = NULL;

    if (status == GRADUS_OK && (!sizes || !lengths))
        status = gr_fail_memory(err, "a journal");
    if (status == GRADUS_OK) {
        sizes[with->rank] = (int64_t)journal->fresh_size;
        status = with->sum(with->state, sizes, with->size, err);
    }
    for (size_t i = 0; status == GRADUS_OK && i < with->size; i++)
        all += lengths[i] = (size_t)sizes[i];
    if (status == GRADUS_OK && !(bytes = malloc(all + 1)))
        status = gr_fail_memory(err, "a journal");
    if (status == GRADUS_OK)
        status = with->gather(with->state, journal->fresh.at, lengths, bytes, err);
    for (size_t i = 0, at = 0; status == GRADUS_OK && i < with->size; at += lengths[i++])
        if (i != with->rank)
            status = add_lines(journal, bytes + at, lengths[i], err);
    journal->fresh_size = 0;
    free(sizes);
    free(lengths);
    free(bytes);
    return status;
}

double *gr_json_numbers(const gr_json *list, size_t *count)
{
    if (!list || list->kind != GR_JSON_LIST)
        return NULL;
    double *numbers = gr_new_array(list->count, sizeof *numbers);
    const gr_json *item = gr_json_first(list);

    *count = list->count;
    for (size_t i = 0; numbers && i < list->count; i++, item = gr_json_next(item))
        if (!gr_json_number(item, &numbers[i]))
            numbers[i] = (double)NAN;
    return numbers;
}

void gr_json_put_numbers(gr_json_writer *writer, const char *key, const double *numbers,
                         size_t count)
{
    gr_json_open(writer, key, '[');
    for (size_t i = 0; i < count; i++)
        gr_json_put_number(writer, NULL, numbers[i]);
    gr_json_close(writer, ']');
}

double gr_json_real(const gr_json *object, const char *key)
{
    double number;

    return gr_json_number(gr_json_find(object, key), &number) ? number : (double)NAN;
}
