/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the files of gradus reproduce all: text and JSON. */
#ifndef CLI_REPRODUCE_READ_H
#define CLI_REPRODUCE_READ_H

#include "common.h"

/* Members of JSON objects, "" or NAN if absent. */
const char *member_text(const gr_json *object, const char *key);
double member_number(const gr_json *object, const char *key);
/* The items of a list; 0 if it is not one. */
size_t member_list(const gr_json *object, const char *key, const gr_json **first);

/* Reads a file of at most 64 MiB; NULL: it cannot be read. The caller frees it. */
char *read_text_file(const char *path, size_t *size);
/* Reads a file that may be absent: then *root is NULL. The caller frees *root, and then *bytes, the
 * text behind it. Exit status: the file cannot be read, or is not JSON. */
int read_json_file(const char *path, char **bytes, gr_json **root);
/* Prints "PATH: what" and returns the exit status of a damaged file. */
int fail_damaged(const char *path, const char *what);

#endif
