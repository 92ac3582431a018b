/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary folders and whole files for the tests. */
#ifndef GR_TESTS_TEMPORARY_FILES_H
#define GR_TESTS_TEMPORARY_FILES_H

#include <stddef.h>

/* A folder for the files of a test, created once by setup and removed by the caller. */
void make_folder(char folder[64]);
const char *in_folder(char path[128], const char *folder, const char *name);

/* The folder of a group of tests; tear_down_folder fails if a test left a file in it. */
extern char test_folder[64];
int set_up_folder(void **state);
int tear_down_folder(void **state);

/* A path unique to this process; valid until the next call. */
const char *temporary_path(const char *ending);

/* The whole file and a NUL; the caller frees it. */
char *file_bytes(const char *path, size_t *size);
char *read_whole(const char *path);
void write_whole(const char *path, const char *text);

#endif
