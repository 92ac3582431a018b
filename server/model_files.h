/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: their names and versions. */
#ifndef SERVER_MODEL_FILES_H
#define SERVER_MODEL_FILES_H

#include "base/error.h"

enum { MAX_NAME = 128, MAX_VERSION = 32 };

typedef struct model_file {
    char *path;
    char name[MAX_NAME], version[MAX_VERSION];
} model_file;

/* From FILE or NAME=FILE on the command line: the name is that of the file without its extension, the
 * version 1. */
gradus_status model_file_given(const char *word, model_file *file, gradus_error *err);
/* Lists the models of a folder: NAME.model (version 1) and NAME/VERSION.model. */
gradus_status folder_list(const char *folder, model_file **files, size_t *count, gradus_error *err);
void folder_free(model_file *files, size_t count);
/* Whether a file was found by folder_list. */
bool folder_contains(const char *folder, const char *path);

#endif
