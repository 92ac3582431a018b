/* SPDX-License-Identifier: Apache-2.0 */
/* Finds model files. */
#include "model_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char extension[] = ".model";

/* Names appear in URLs and in metrics. */
static gradus_status check_name(const char *name, size_t length, size_t size, const char *word,
                                gradus_error *err)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    if (length == 0 || length >= size)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the name of model '%s' has %zu characters, not 1 to %zu", word, length,
                       size - 1);
    if (strspn(name, allowed) < length || name[0] == '.')
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the name of model '%s' has characters other than letters, digits, '.', '_' "
                       "and '-'; give another name with NAME=FILE",
                       word);
    return GRADUS_OK;
}

gradus_status model_file_given(const char *word, model_file *file, gradus_error *err)
{
    const char *equals = strchr(word, '='), *slash, *name, *path, *end;
    struct stat found;

    if (equals && (stat(word, &found) == 0 || memchr(word, '/', (size_t)(equals - word))))
        equals = NULL; /* a file name with '=' */
    path = equals ? equals + 1 : word;
    slash = strrchr(path, '/');
    name = equals ? word : slash ? slash + 1 : path;
    end = equals ? equals : strchr(name + (*name == '.'), '.');
    if (!end)
        end = name + strlen(name);
    GR_TRY(check_name(name, (size_t)(end - name), sizeof file->name, word, err));
    snprintf(file->name, sizeof file->name, "%.*s", (int)(end - name), name);
    memcpy(file->version, "1", 2);
    file->path = strdup(path);
    return file->path ? GRADUS_OK : gr_fail_memory(err, "a path");
}

/* "web.model" has the stem "web"; 0 if it is not a model file. */
static size_t stem_length(const char *entry)
{
    const size_t length = strlen(entry), tail = sizeof extension - 1;

    return length > tail && strcmp(entry + length - tail, extension) == 0 ? length - tail : 0;
}

typedef struct listing {
    model_file *files;
    size_t count;
    gradus_error *err;
} listing;

static gradus_status add_file(listing *l, const char *folder, const char *entry, const char *name,
                              size_t name_length, const char *version, size_t version_length)
{
    model_file *longer = realloc(l->files, (l->count + 1) * sizeof *longer), *file;

    if (!longer)
        return gr_fail_memory(l->err, "a list of models");
    l->files = longer;
    file = &longer[l->count];
    *file = (model_file){ NULL, "", "" };
    GR_TRY(check_name(name, name_length, sizeof file->name, entry, l->err));
    GR_TRY(check_name(version, version_length, sizeof file->version, entry, l->err));
    snprintf(file->name, sizeof file->name, "%.*s", (int)name_length, name);
    snprintf(file->version, sizeof file->version, "%.*s", (int)version_length, version);
    if (asprintf(&file->path, "%s/%s", folder, entry) < 0) {
        file->path = NULL;
        return gr_fail_memory(l->err, "a path");
    }
    l->count++;
    return GRADUS_OK;
}

/* Adds the files of a folder; name NULL: the top folder, whose folders are names of models. */
static gradus_status list_folder(listing *l, const char *folder, const char *name)
{
    DIR *handle = opendir(folder);
    gradus_status status = GRADUS_OK;

    if (!handle)
        return gr_fail_errno(l->err, "open", folder, errno);
    for (struct dirent *e; status == GRADUS_OK && (e = readdir(handle));) {
        const size_t stem = stem_length(e->d_name);
        char path[4096];
        struct stat found;

        if (e->d_name[0] == '.' ||
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= sizeof path ||
            stat(path, &found) != 0)
            continue;
        if (S_ISDIR(found.st_mode) && !name)
            status = list_folder(l, path, e->d_name); /* one level only */
        else if (S_ISREG(found.st_mode) && stem)
            status = name ? add_file(l, folder, e->d_name, name, strlen(name), e->d_name, stem)
                          : add_file(l, folder, e->d_name, e->d_name, stem, "1", 1);
    }
    closedir(handle);
    return status;
}

gradus_status folder_list(const char *folder, model_file **files, size_t *count, gradus_error *err)
{
    listing l = { .err = err };
    const gradus_status status = list_folder(&l, folder, NULL);

    if (status != GRADUS_OK) {
        folder_free(l.files, l.count);
        l = (listing){ 0 };
    }
    *files = l.files;
    *count = l.count;
    return status;
}

void folder_free(model_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(files[i].path);
    free(files);
}

bool folder_contains(const char *folder, const char *path)
{
    const size_t length = folder ? strlen(folder) : 0;

    return folder && strncmp(path, folder, length) == 0 && path[length] == '/';
}
