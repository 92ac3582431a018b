/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the tests. */
#include "temporary_files.h"

#include "checks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void make_folder(char folder[64])
{
    snprintf(folder, 64, "/tmp/gradus-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

char test_folder[64];

int set_up_folder(void **state)
{
    (void)state;
    make_folder(test_folder);
    return 0;
}

int tear_down_folder(void **state)
{
    (void)state;
    return rmdir(test_folder);
}

const char *in_folder(char path[128], const char *folder, const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

char *file_bytes(const char *path, size_t *size)
{
    struct stat about;
    int fd = open(path, O_RDONLY);
    char *bytes;

    assert_true(fd >= 0 && fstat(fd, &about) == 0);
    bytes = malloc((size_t)about.st_size + 1);
    assert_int_equal(read(fd, bytes, (size_t)about.st_size), about.st_size);
    bytes[about.st_size] = '\0';
    close(fd);
    *size = (size_t)about.st_size;
    return bytes;
}

const char *temporary_path(const char *ending)
{
    static char path[96];

    snprintf(path, sizeof path, "/tmp/gradus-test-%d%s", (int)getpid(), ending);
    return path;
}

void write_whole(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

char *read_whole(const char *path)
{
    size_t size;

    return file_bytes(path, &size);
}
