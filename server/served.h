/* SPDX-License-Identifier: Apache-2.0 */
/* A model that is being served, shared by the requests that use it. */
#ifndef SERVER_SERVED_H
#define SERVER_SERVED_H

#include "counters.h"
#include "model_files.h"

#include <pthread.h>

enum { MAX_VARIANTS = 16 };

/* A model with another scoring rule, or an explainer: made when first requested. */
typedef struct variant {
    char *key; /* the options, as text */
    gradus_model *model;
    gradus_explainer *explainer;
} variant;

typedef struct served {
    char name[MAX_NAME], version[MAX_VERSION];
    char *path;
    gradus_model *model;
    gradus_model_info info;
    size_t size;         /* of the file, in bytes */
    char fingerprint[9]; /* CRC-32C of the model, in hexadecimal */
    struct feature_names *features;
    atomic_size_t references;
    pthread_mutex_t lock; /* of the variants */
    variant variants[MAX_VARIANTS];
    size_t variant_count;
    model_statistics *statistics; /* of the name; kept by reloads */
    struct timespec changed;      /* of the file, to detect changes */
    uint64_t inode;
    uint64_t bytes;
} served;

/* Reads a model with one reference. NULL on failure. */
served *served_read(const model_file *file, gradus_error *err);
/* The same from a word of the command line. */
served *served_read_word(const char *word, gradus_error *err);
/* Gives back a reference; the last one frees the model. NULL is accepted. */
void served_release(served *s);
/* The column of a feature; false if the model has none of this name. */
bool served_find_feature(const served *s, const char *name, size_t length, size_t *feature);
/* The model with these options of "score", cached by `key`. *temporary is set if the caller must free it,
 * because the cache is full. NULL on failure. */
const gradus_model *served_rescored(served *s, const char *key, const gradus_options *options,
                                    gradus_model **temporary, gradus_error *err);

typedef enum file_change { FILE_SAME, FILE_CHANGED, FILE_GONE } file_change;
file_change served_file_change(const served *s);
/* Takes the present state of the file as known. Only the thread that refreshes calls it. */
void served_note_file(served *s);

#endif
