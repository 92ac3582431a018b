/* SPDX-License-Identifier: Apache-2.0 */
/* Reads models, counts references to them, and detects changed files. */
#include "served.h"

#include "base/crc32c.h"
#include "feature_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static gradus_status read_model(served *s, gradus_error *err)
{
    void *bytes = NULL;

    if (!(s->model = gradus_model_read(s->path, err)))
        return err->status;
    GR_TRY(gradus_model_to_bytes(s->model, &bytes, &s->size, err));
    snprintf(s->fingerprint, sizeof s->fingerprint, "%08x", gr_crc32c(0, bytes, s->size));
    free(bytes);
    gradus_model_describe(s->model, &s->info);
    return feature_names_new(s->model, s->info.features, &s->features, err);
}

served *served_read(const model_file *file, gradus_error *err)
{
    served *s = calloc(1, sizeof *s);

    if (!s || !(s->path = strdup(file->path))) {
        gr_fail_memory(err, "a model");
        free(s);
        return NULL;
    }
    memcpy(s->name, file->name, sizeof s->name);
    memcpy(s->version, file->version, sizeof s->version);
    pthread_mutex_init(&s->lock, NULL);
    atomic_init(&s->references, 1);
    served_note_file(s); /* before reading: a change in between is found later */
    if (read_model(s, err) == GRADUS_OK)
        return s;
    served_release(s);
    return NULL;
}

served *served_read_word(const char *word, gradus_error *err)
{
    model_file file = { 0 };
    served *s;

    if (model_file_given(word, &file, err) != GRADUS_OK)
        return NULL;
    s = served_read(&file, err);
    free(file.path);
    return s;
}

void served_release(served *s)
{
    if (!s || atomic_fetch_sub(&s->references, 1) > 1)
        return;
    for (size_t i = 0; i < s->variant_count; i++) {
        gradus_explainer_free(s->variants[i].explainer);
        gradus_model_free(s->variants[i].model);
        free(s->variants[i].key);
    }
    pthread_mutex_destroy(&s->lock);
    feature_names_free(s->features);
    gradus_model_free(s->model);
    free(s->path);
    free(s);
}

bool served_find_feature(const served *s, const char *name, size_t length, size_t *feature)
{
    return feature_names_find(s->features, name, length, feature);
}

/* The variant with this key, made if there is space for it; NULL on failure or without space. */
static variant *find_variant(served *s, const char *key, const gradus_options *options,
                             gradus_error *err)
{
    variant *v;

    for (size_t i = 0; i < s->variant_count; i++)
        if (strcmp(s->variants[i].key, key) == 0)
            return &s->variants[i];
    err->status = GRADUS_OK;
    if (s->variant_count == MAX_VARIANTS)
        return NULL;
    v = &s->variants[s->variant_count];
    *v = (variant){ .key = strdup(key) };
    if (!v->key)
        gr_fail_memory(err, "a scoring rule");
    else if ((v->model = gradus_model_rescored(NULL, s->model, options, err)))
        return &s->variants[s->variant_count++];
    free(v->key);
    return NULL;
}

const gradus_model *served_rescored(served *s, const char *key, const gradus_options *options,
                                    gradus_model **temporary, gradus_error *err)
{
    variant *v;

    *temporary = NULL;
    pthread_mutex_lock(&s->lock);
    v = find_variant(s, key, options, err);
    pthread_mutex_unlock(&s->lock);
    if (v)
        return v->model;
    if (err->status == GRADUS_OK) /* the cache is full */
        *temporary = gradus_model_rescored(NULL, s->model, options, err);
    return *temporary;
}

file_change served_file_change(const served *s)
{
    struct stat found;

    if (stat(s->path, &found) != 0)
        return FILE_GONE;
    return found.st_mtim.tv_sec == s->changed.tv_sec &&
                   found.st_mtim.tv_nsec == s->changed.tv_nsec &&
                   (uint64_t)found.st_ino == s->inode && (uint64_t)found.st_size == s->bytes
               ? FILE_SAME
               : FILE_CHANGED;
}

void served_note_file(served *s)
{
    struct stat found;

    if (stat(s->path, &found) != 0)
        return;
    s->changed = found.st_mtim;
    s->inode = (uint64_t)found.st_ino;
    s->bytes = (uint64_t)found.st_size;
}
