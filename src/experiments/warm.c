/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of partial trials, in memory or as model files in a folder (see warm.h). */
#include "experiments/warm.h"

#include "base/error.h"
#include "base/names.h"
#include "model/model.h"
#include "model/model_open.h"
#include "model/model_write.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".checkpoint";

struct gr_warm {
    char *folder; /* NULL: in memory */
    pthread_mutex_t lock;
    gr_name_set keys;
    gradus_model **models; /* per key; NULL: taken */
    size_t room;
};

gr_warm *gr_warm_new(const char *folder, gradus_error *err)
{
    gr_warm *warm = calloc(1, sizeof *warm);

    if (warm && folder && !(warm->folder = strdup(folder))) {
        free(warm);
        warm = NULL;
    }
    if (warm)
        pthread_mutex_init(&warm->lock, NULL);
    else
        gr_fail_memory(err, "checkpoints");
    return warm;
}

void gr_warm_free(gr_warm *warm)
{
    if (!warm)
        return;
    for (size_t i = 0; i < warm->keys.list.count; i++)
        gradus_model_free(warm->models[i]);
    free(warm->models);
    gr_name_set_free(&warm->keys);
    pthread_mutex_destroy(&warm->lock);
    free(warm->folder);
    free(warm);
}

/* The file of a key's checkpoint; the caller frees it. A checkpoint records its data and settings
 * and is rejected for any others, so hash collisions are harmless. */
static char *path_of(const gr_warm *warm, const char *key)
{
    const size_t size = strlen(warm->folder) + sizeof ending + 20;
    char *path = malloc(size);

    if (path)
        snprintf(path, size, "%s/%016llx%s", warm->folder,
                 (unsigned long long)gr_hash(key, strlen(key)), ending);
    return path;
}

static gradus_status put_file(const gr_warm *warm, const char *key, const gradus_model *checkpoint,
                              gradus_error *err)
{
    char *path = path_of(warm, key);
    gradus_status status = path ? GRADUS_OK : gr_fail_memory(err, "checkpoints");

    if (path && mkdir(warm->folder, 0777) != 0 && errno != EEXIST)
        status = gr_fail_errno(err, "make", warm->folder, errno);
    if (status == GRADUS_OK)
        status = gr_model_write(checkpoint, path, err);
    free(path);
    return status;
}

static gradus_model *take_file(const gr_warm *warm, const char *key)
{
    gradus_error torn = { GRADUS_OK,
                          "" }; /* an unreadable checkpoint means training from scratch */
    char *path = path_of(warm, key);
    gradus_model *model = path ? gr_model_read(path, &torn) : NULL;

    free(path);
    return model;
}

/* Requires the lock. */
static bool keep(gr_warm *warm, const char *key, gradus_model *checkpoint)
{
    if (warm->keys.list.count == warm->room) {
        const size_t room = warm->room ? 2 * warm->room : 16;
        gradus_model **models = realloc(warm->models, room * sizeof *models);

        if (!models)
            return false;
        warm->models = models;
        warm->room = room;
    }
    const size_t before = warm->keys.list.count;
    const size_t at = gr_name_set_add(&warm->keys, key, strlen(key));

    if (at == SIZE_MAX)
        return false;
    if (at < before)
        gradus_model_free(warm->models[at]);
    warm->models[at] = checkpoint;
    return true;
}

gradus_status gr_warm_put(gr_warm *warm, const char *key, gradus_model *checkpoint,
                          gradus_error *err)
{
    if (warm->folder) {
        const gradus_status status = put_file(warm, key, checkpoint, err);

        gradus_model_free(checkpoint);
        return status;
    }
    pthread_mutex_lock(&warm->lock);
    const bool kept = keep(warm, key, checkpoint);

    pthread_mutex_unlock(&warm->lock);
    if (kept)
        return GRADUS_OK;
    gradus_model_free(checkpoint);
    return gr_fail_memory(err, "checkpoints");
}

static gradus_model *take_memory(gr_warm *warm, const char *key)
{
    gradus_model *found = NULL;

    pthread_mutex_lock(&warm->lock);
    const size_t at = gr_name_set_find(&warm->keys, key, strlen(key));

    if (at != SIZE_MAX) {
        found = warm->models[at];
        warm->models[at] = NULL;
    }
    pthread_mutex_unlock(&warm->lock);
    return found;
}

gradus_model *gr_warm_take(gr_warm *warm, const char *key)
{
    if (!warm)
        return NULL;
    return warm->folder ? take_file(warm, key) : take_memory(warm, key);
}

void gr_warm_drop(gr_warm *warm, const char *key)
{
    if (!warm->folder) {
        gradus_model_free(take_memory(warm, key));
        return;
    }
    char *path = path_of(warm, key);

    if (path)
        unlink(path);
    free(path);
}

void gr_warm_clear(gr_warm *warm)
{
    for (size_t i = 0; i < warm->keys.list.count; i++) {
        gradus_model_free(warm->models[i]);
        warm->models[i] = NULL;
    }
    DIR *folder = warm->folder ? opendir(warm->folder) : NULL;

    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (strstr(entry->d_name, ending)) /* and temporary files of a killed process */
            unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(warm->folder);
}
