/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing files: plain and compressed, complete or not at all, and every kind of
 * failure. */
#include "checks.h"

#include "base/rng.h"
#include "base/sink.h"
#include "base/source.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { LARGE = 1 << 20 }; /* several buffers */

static char folder[] = "/tmp/gradus-files-XXXXXX";
static unsigned char content[LARGE]; /* compresses to about a third */

static const char *in_folder(const char *name)
{
    static char path[4][200];
    static int next;
    char *to = path[next++ % 4];

    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    return to;
}

static int set_up(void **state)
{
    gr_rng rng = gr_rng_for(1, "files", 0);

    (void)state;
    for (size_t i = 0; i < LARGE; i++)
        content[i] = (unsigned char)("0123 .:\n"[gr_rng_below(&rng, 8)]);
    return mkdtemp(folder) ? 0 : -1;
}

static size_t files_in_folder(void)
{
    DIR *dir = opendir(folder);
    size_t count = 0;

    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static int clear_folder(void **state)
{
    DIR *dir = opendir(folder);
    char path[600];

    (void)state;
    for (struct dirent *entry; (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0)
            rmdir(path);
    }
    closedir(dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void write_file(const char *path, gr_packing packing, const void *bytes, size_t size,
                       size_t step)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_sink *sink = gr_sink_open(path, packing, &err);

    assert_non_null(sink);
    for (size_t at = 0; at < size; at += step) {
        const size_t part = size - at < step ? size - at : step;

        assert_int_equal(gr_sink_write(sink, (const char *)bytes + at, part, &err), GRADUS_OK);
    }
    assert_true(gr_sink_size(sink) == size);
    assert_int_equal(gr_sink_close(sink, &err), GRADUS_OK);
}

/* Reads the raw bytes with stdio. */
static size_t slurp(const char *path, unsigned char *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    size_t size;

    assert_non_null(file);
    size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static void spill(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void check_content(const char *path, const void *wanted, size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    char *bytes = NULL;
    size_t found = 0;

    if (gr_source_read_all(path, (size_t)1 << 30, &bytes, &found, &err) != GRADUS_OK)
        print_error("%s\n", err.message);
    assert_non_null(bytes);
    assert_int_equal(found, size);
    assert_memory_equal(bytes, wanted, size);
    assert_int_equal(bytes[size], '\0');
    free(bytes);
}

static void test_what_is_written_is_read(void **state)
{
    static const size_t sizes[] = { 0, 1, 3, 64, 5000, 262143, 262144, 262145, LARGE };
    static const size_t steps[] = { 7777, 262144, LARGE };
    const char *path = in_folder("a");

    (void)state;
    for (gr_packing packing = GR_PLAIN; packing <= GR_ZSTD; packing++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t k = 0; k < 3; k++) {
                write_file(path, packing, content, sizes[s], steps[k]);
                check_content(path, content, sizes[s]);
            }
    assert_int_equal(files_in_folder(), 1);
}

static void test_other_tools_read_what_is_written(void **state)
{
    static unsigned char back[LARGE], raw[LARGE];
    gzFile file;
    size_t size;

    (void)state;
    write_file(in_folder("a.gz"), GR_GZIP, content, LARGE, 10000);
    file = gzopen(in_folder("a.gz"), "rb");
    assert_int_equal(gzread(file, back, LARGE), LARGE);
    assert_int_equal(gzclose(file), Z_OK);
    assert_memory_equal(back, content, LARGE);
    write_file(in_folder("a.zst"), GR_ZSTD, content, LARGE, 10000);
    size = slurp(in_folder("a.zst"), raw, LARGE);
    assert_true(size < LARGE / 2);
    memset(back, 0, LARGE);
    assert_int_equal(ZSTD_decompress(back, LARGE, raw, size), LARGE);
    assert_memory_equal(back, content, LARGE);
    assert_int_equal(gr_packing_of_name("a.gz"), GR_GZIP);
    assert_int_equal(gr_packing_of_name("a.txt.zst"), GR_ZSTD);
    assert_int_equal(gr_packing_of_name(".gz"), GR_PLAIN);
    assert_int_equal(gr_packing_of_name("gz"), GR_PLAIN);
}

/* Concatenated compressed files decompress to the concatenated contents. */
static void test_joined_packed_files_are_read_whole(void **state)
{
    static unsigned char raw[3 * LARGE];
    const char *path = in_folder("part"), *joined = in_folder("joined");

    (void)state;
    for (gr_packing packing = GR_GZIP; packing <= GR_ZSTD; packing++) {
        size_t size = 0;

        write_file(path, packing, content, 300000, 300000);
        size += slurp(path, raw, LARGE);
        write_file(path, packing, content, 0, 1); /* an empty member */
        size += slurp(path, raw + size, LARGE);
        write_file(path, packing, content + 300000, LARGE - 300000, LARGE);
        size += slurp(path, raw + size, LARGE);
        spill(joined, raw, size);
        check_content(joined, content, LARGE);
    }
}

static gradus_status read_status(const char *path, char **bytes, size_t *size, char *message)
{
    gradus_error err = { GRADUS_OK, "" };
    const gradus_status status = gr_source_read_all(path, (size_t)1 << 30, bytes, size, &err);

    strcpy(message, err.message);
    return status;
}

/* Decompresses bytes in memory; the content is at most LARGE. */
static gradus_status unpack(const unsigned char *raw, size_t size, unsigned char *out,
                            size_t *total, gradus_error *err)
{
    gr_source *source = gr_source_from_memory(raw, size, "packed", err);
    gradus_status status = GRADUS_OK;

    assert_non_null(source);
    *total = 0;
    for (size_t got = 1; got > 0 && status == GRADUS_OK; *total += got) {
        got = 0;
        status = gr_source_read(source, out + *total, LARGE - *total, &got, err);
    }
    gr_source_close(source);
    return status;
}

static void test_truncated_files_are_refused(void **state)
{
    static unsigned char raw[LARGE], out[LARGE];
    gradus_error err;
    size_t found;

    (void)state;
    for (gr_packing packing = GR_GZIP; packing <= GR_ZSTD; packing++) {
        write_file(in_folder("whole"), packing, content, 3000, 3000);
        const size_t size = slurp(in_folder("whole"), raw, LARGE);

        for (size_t kept = 4; kept < size; kept++) {
            assert_int_equal(unpack(raw, kept, out, &found, &err), GRADUS_BAD_FORMAT);
            assert_string_equal(err.message, "packed: compressed data is truncated");
        }
        assert_int_equal(unpack(raw, size, out, &found, &err), GRADUS_OK);
        assert_int_equal(found, 3000);
    }
}

/* No damage may change the content undetected. */
static void test_damage_is_never_silent(void **state)
{
    static unsigned char raw[LARGE], out[LARGE];
    gr_rng rng = gr_rng_for(2, "files", 0);
    gradus_error err;
    size_t found, refused = 0;

    (void)state;
    for (gr_packing packing = GR_GZIP; packing <= GR_ZSTD; packing++) {
        write_file(in_folder("whole"), packing, content, 2000, 2000);
        const size_t size = slurp(in_folder("whole"), raw, LARGE);

        for (size_t i = 4; i < size; i++) {
            const unsigned char kept = raw[i];

            raw[i] ^= (unsigned char)(1 + gr_rng_below(&rng, 255));
            if (unpack(raw, size, out, &found, &err) == GRADUS_OK) {
                assert_int_equal(found, 2000); /* a header byte without a meaning */
                assert_memory_equal(out, content, 2000);
            } else {
                assert_int_equal(err.status, GRADUS_BAD_FORMAT);
                assert_int_equal(strncmp(err.message, "packed: ", 8), 0);
                refused++;
            }
            raw[i] = kept;
        }
    }
    assert_true(refused > 1000);
}

static void test_bad_input_files_are_named(void **state)
{
    char message[600], *bytes;
    size_t size;
    gradus_error err;

    (void)state;
    assert_int_equal(read_status("/nonexistent/x", &bytes, &size, message), GRADUS_NO_FILE);
    assert_string_equal(message, "cannot open '/nonexistent/x': no such file or directory");
    assert_int_equal(read_status("/tmp", &bytes, &size, message), GRADUS_NO_FILE);
    assert_string_equal(message, "cannot read '/tmp': is a directory");
    assert_int_equal(gr_source_read_all("/nonexistent/x", 9, &bytes, &size, NULL), GRADUS_NO_FILE);
    spill(in_folder("ten"), "0123456789", 10);
    assert_int_equal(gr_source_read_all(in_folder("ten"), 9, &bytes, &size, &err),
                     GRADUS_BAD_FORMAT);
    assert_non_null(strstr(err.message, "larger than 9 bytes"));
    assert_null(bytes);
    check_content(in_folder("ten"), "0123456789", 10);
}

static void check_peek(gr_source *source, size_t wanted)
{
    const unsigned char *front = NULL;
    size_t count = 0, got = 1, total = 0;
    static unsigned char back[LARGE];

    assert_non_null(source);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(gr_source_peek(source, &front, &count, NULL), GRADUS_OK);
        assert_int_equal(count, wanted < 64 ? wanted : 64);
        assert_memory_equal(front, content, count);
    }
    for (size_t step = 10; got > 0; step = 100000, total += got)
        assert_int_equal(gr_source_read(source, back + total, step, &got, NULL), GRADUS_OK);
    assert_int_equal(total, wanted);
    assert_memory_equal(back, content, wanted);
    gr_source_close(source);
}

static void test_peeking_takes_nothing_away(void **state)
{
    static const size_t sizes[] = { 0, 3, 64, 65, 200000 };

    (void)state;
    for (gr_packing packing = GR_PLAIN; packing <= GR_ZSTD; packing++)
        for (size_t s = 0; s < 5; s++) {
            static unsigned char raw[LARGE];
            const char *path = in_folder("peek");

            write_file(path, packing, content, sizes[s], LARGE);
            check_peek(gr_source_open(path, NULL), sizes[s]);
            const size_t size = slurp(path, raw, LARGE);
            gr_source *source = gr_source_from_memory(raw, size, "memory", NULL);
            assert_string_equal(gr_source_name(source), "memory");
            assert_true(gr_source_size(source) == (packing == GR_PLAIN ? size : 0));
            check_peek(source, sizes[s]);
        }
    gr_source_close(NULL);
}

typedef struct feeder {
    int descriptor;
    const unsigned char *bytes;
    size_t size;
} feeder;

/* One byte at a time at first, as from a slow pipe. */
static void *feed(void *argument)
{
    const feeder *f = argument;

    for (size_t at = 0; at < f->size;) {
        const size_t part = at < 40 ? 1 : f->size - at;
        const ssize_t count = write(f->descriptor, f->bytes + at, part);

        if (count <= 0)
            break;
        at += (size_t)count;
    }
    close(f->descriptor);
    return NULL;
}

static void test_standard_input_is_read_from_a_slow_pipe(void **state)
{
    static unsigned char raw[LARGE];
    const int kept = dup(STDIN_FILENO);

    (void)state;
    for (gr_packing packing = GR_PLAIN; packing <= GR_ZSTD; packing++) {
        int ends[2];
        pthread_t thread;
        gr_source *source;

        write_file(in_folder("x"), packing, content, 5000, 5000);
        assert_int_equal(pipe(ends), 0);
        feeder f = { ends[1], raw, slurp(in_folder("x"), raw, LARGE) };
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        assert_int_equal(pthread_create(&thread, NULL, feed, &f), 0);
        source = gr_source_open("-", NULL);
        assert_string_equal(gr_source_name(source), "standard input");
        assert_true(gr_source_size(source) == 0);
        check_peek(source, 5000);
        pthread_join(thread, NULL);
        assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* borrowed: must not be closed */
    }
    dup2(kept, STDIN_FILENO);
    close(kept);
}

static void test_standard_output_is_written(void **state)
{
    const char *path = in_folder("out");
    const int kept = dup(STDOUT_FILENO);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);

    (void)state;
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    close(file);
    write_file("-", GR_PLAIN, content, 300000, 1000);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    check_content(path, content, 300000);
}

/* A program may have closed its standard streams; files then get their descriptors. */
static void test_low_descriptors_are_closed_too(void **state)
{
    const int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
    gr_source *source;
    gr_sink *sink;

    (void)state;
    fflush(stdout);
    spill(in_folder("x"), "123", 3);
    close(STDIN_FILENO);
    source = gr_source_open(in_folder("x"), NULL);
    gr_source_close(source);
    const bool source_closed = fcntl(STDIN_FILENO, F_GETFD) < 0;
    sink = gr_sink_open(in_folder("y"), GR_PLAIN, NULL);
    gr_sink_abandon(sink);
    const bool sink_closed = fcntl(STDIN_FILENO, F_GETFD) < 0;
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    close(in);
    close(out);
    assert_true(source_closed);
    assert_true(sink_closed);
}

static void test_a_full_disk_is_reported(void **state)
{
    gradus_error err;
    gr_sink *sink;
    gradus_status status = GRADUS_OK;

    (void)state;
    for (gr_packing packing = GR_PLAIN; packing <= GR_ZSTD; packing++) {
        sink = gr_sink_open("/dev/full", packing, &err);
        assert_non_null(sink);
        assert_false(gr_sink_seekable(sink));
        gr_sink_write(sink, "small", 5, &err); /* may be buffered */
        assert_int_equal(gr_sink_close(sink, &err), GRADUS_NO_FILE);
        assert_string_equal(err.message, "cannot write '/dev/full': no space left on device");
        sink = gr_sink_open("/dev/full", packing, &err);
        for (int i = 0; i < 3 && status == GRADUS_OK; i++)
            status = gr_sink_write(sink, content, LARGE, &err);
        assert_int_equal(status, GRADUS_NO_FILE);
        status = GRADUS_OK;
        gr_sink_abandon(sink);
    }
}

static void check_not_opened(const char *path, const char *message)
{
    gradus_error err = { GRADUS_OK, "" };

    assert_null(gr_sink_open(path, GR_PLAIN, &err));
    assert_int_equal(err.status, GRADUS_NO_FILE);
    assert_string_equal(err.message, message);
}

static void test_unwritable_places_are_refused(void **state)
{
    const bool root = geteuid() == 0;
    char message[400];

    (void)state;
    check_not_opened("/nonexistent/x", "cannot write '/nonexistent/x': no such file or directory");
    check_not_opened("/tmp", "cannot write '/tmp': is a directory");
    spill(in_folder("file"), "x", 1);
    snprintf(message, sizeof message, "cannot write '%s/file/x': not a directory", folder);
    check_not_opened(in_folder("file/x"), message);
    assert_int_equal(files_in_folder(), 1);
    chmod(in_folder("file"), 0444);
    mkdir(in_folder("locked"), 0555);
    if (root) { /* root can write anywhere: drop privileges temporarily */
        assert_int_equal(chmod(folder, 0777), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    snprintf(message, sizeof message, "cannot write '%s/file': permission denied", folder);
    check_not_opened(in_folder("file"), message);
    snprintf(message, sizeof message, "cannot write '%s/locked/x': permission denied", folder);
    check_not_opened(in_folder("locked/x"), message);
    if (root)
        assert_int_equal(seteuid(0), 0);
}

static void test_a_file_appears_whole_or_not_at_all(void **state)
{
    const char *path = in_folder("a");
    gr_sink *sink;

    (void)state;
    sink = gr_sink_open(path, GR_PLAIN, NULL);
    gr_sink_write(sink, content, LARGE, NULL);
    assert_int_not_equal(access(path, F_OK), 0);
    gr_sink_abandon(sink);
    assert_int_equal(files_in_folder(), 0);
    gr_sink_abandon(NULL);
    spill(path, "old", 3);
    sink = gr_sink_open(path, GR_PLAIN, NULL);
    gr_sink_write(sink, content, LARGE, NULL);
    check_content(path, "old", 3);
    gr_sink_abandon(sink);
    check_content(path, "old", 3);
    sink = gr_sink_open(path, GR_PLAIN, NULL);
    gr_sink_write(sink, "new", 3, NULL);
    check_content(path, "old", 3);
    assert_int_equal(gr_sink_close(sink, NULL), GRADUS_OK);
    check_content(path, "new", 3);
    assert_int_equal(files_in_folder(), 1);
}

static void test_a_file_whose_folder_goes_away_is_an_error(void **state)
{
    gradus_error err;
    gr_sink *sink;

    (void)state;
    assert_int_equal(mkdir(in_folder("sub"), 0755), 0);
    sink = gr_sink_open(in_folder("sub/x"), GR_PLAIN, NULL);
    assert_non_null(sink);
    gr_sink_write(sink, "x", 1, NULL);
    assert_int_equal(rmdir(in_folder("sub")), 0);
    assert_int_equal(gr_sink_close(sink, &err), GRADUS_NO_FILE);
    assert_int_equal(files_in_folder(), 0);
}

static void test_links_are_kept(void **state)
{
    struct stat about;

    (void)state;
    spill(in_folder("real"), "old", 3);
    assert_int_equal(symlink("real", in_folder("link")), 0);
    write_file(in_folder("link"), GR_PLAIN, "new", 3, 3);
    assert_int_equal(lstat(in_folder("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    check_content(in_folder("real"), "new", 3);
    assert_int_equal(files_in_folder(), 2);
}

static mode_t mode_of(const char *path)
{
    struct stat about;

    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

static void test_modes_are_those_of_the_umask_or_the_old_file(void **state)
{
    const mode_t kept = umask(027);

    (void)state;
    write_file(in_folder("new"), GR_PLAIN, "x", 1, 1);
    assert_int_equal(mode_of(in_folder("new")), 0640);
    umask(0);
    write_file(in_folder("open"), GR_PLAIN, "x", 1, 1);
    assert_int_equal(mode_of(in_folder("open")), 0666);
    umask(022);
    spill(in_folder("private"), "old", 3);
    chmod(in_folder("private"), 0600);
    write_file(in_folder("private"), GR_PLAIN, "x", 1, 1);
    assert_int_equal(mode_of(in_folder("private")), 0600);
    umask(kept);
}

static void test_headers_can_be_written_last(void **state)
{
    gr_sink *sink = gr_sink_open(in_folder("a"), GR_PLAIN, NULL);

    (void)state;
    assert_true(gr_sink_seekable(sink));
    gr_sink_write(sink, "????", 4, NULL);
    gr_sink_write(sink, content, LARGE, NULL);
    gr_sink_write(sink, "end", 3, NULL);
    assert_int_equal(gr_sink_rewrite(sink, 1, "ab", 2, NULL), GRADUS_OK);
    gr_sink_write(sink, "!", 1, NULL);
    assert_int_equal(gr_sink_close(sink, NULL), GRADUS_OK);
    static unsigned char raw[LARGE + 100];
    assert_int_equal(slurp(in_folder("a"), raw, sizeof raw), LARGE + 8);
    assert_memory_equal(raw, "?ab?", 4);
    assert_memory_equal(raw + 4, content, LARGE);
    assert_memory_equal(raw + 4 + LARGE, "end!", 4);
    sink = gr_sink_open(in_folder("b"), GR_GZIP, NULL);
    assert_false(gr_sink_seekable(sink));
    gr_sink_abandon(sink);
}

static void test_public_output(void **state)
{
    gradus_error err;
    gradus_output *output = gradus_output_new(in_folder("a.gz"), &err);

    (void)state;
    assert_non_null(output);
    assert_int_equal(gradus_output_write(output, content, 5000, &err), GRADUS_OK);
    assert_int_equal(gradus_output_close(output, &err), GRADUS_OK);
    check_content(in_folder("a.gz"), content, 5000);
    output = gradus_output_new(in_folder("b"), &err);
    gradus_output_abandon(output);
    gradus_output_abandon(NULL);
    assert_int_equal(files_in_folder(), 1);
}

#define file_test(name) cmocka_unit_test_teardown(name, clear_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        file_test(test_what_is_written_is_read),
        file_test(test_other_tools_read_what_is_written),
        file_test(test_joined_packed_files_are_read_whole),
        file_test(test_truncated_files_are_refused),
        file_test(test_damage_is_never_silent),
        file_test(test_bad_input_files_are_named),
        file_test(test_peeking_takes_nothing_away),
        file_test(test_standard_input_is_read_from_a_slow_pipe),
        file_test(test_standard_output_is_written),
        file_test(test_low_descriptors_are_closed_too),
        file_test(test_a_full_disk_is_reported),
        file_test(test_unwritable_places_are_refused),
        file_test(test_a_file_appears_whole_or_not_at_all),
        file_test(test_a_file_whose_folder_goes_away_is_an_error),
        file_test(test_links_are_kept),
        file_test(test_modes_are_those_of_the_umask_or_the_old_file),
        file_test(test_headers_can_be_written_last),
        file_test(test_public_output),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
