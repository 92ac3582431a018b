/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of partial trials, in memory or as model files in a folder (see checkpoints.h). */
#include "experiments/checkpoints.h"

#include "base/error.h"
#include "base/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".checkpoint";

struct gr_checkpoints {
    char *folder; /* NULL: in memory */
    pthread_mutex_t lock;
    gr_name_set keys;
    gradus_model **models; /* per key; NULL: taken */
    size_t room;
};

gr_checkpoints *gr_checkpoints_new(const char *folder, gradus_error *err)
{
    gr_checkpoints *checkpoints = calloc(1, sizeof *checkpoints);

    if (checkpoints && folder && !(checkpoints->folder = strdup(folder))) {
        free(checkpoints);
        checkpoints = NULL;
    }
    if (checkpoints)
        pthread_mutex_init(&checkpoints->lock, NULL);
    else
        gr_fail_memory(err, "checkpoints");
    return checkpoints;
}

void gr_checkpoints_free(gr_checkpoints *checkpoints)
{
    if (!checkpoints)
        return;
    for (size_t i = 0; i < checkpoints->keys.list.count; i++)
        gradus_model_free(checkpoints->models[i]);
    free(checkpoints->models);
    gr_name_set_free(&checkpoints->keys);
    pthread_mutex_destroy(&checkpoints->lock);
    free(checkpoints->folder);
    free(checkpoints);
}

enum { NAME_SIZE = 40 };

/* The file of a key's checkpoint, in the folder. A checkpoint records its data and settings and is
 * rejected for any others, so hash collisions are harmless. */
static void name_of(const char *key, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%016llx%s", (unsigned long long)gr_hash(key, strlen(key)), ending);
}

/* Its path; the caller frees it. */
static char *path_of(const gr_checkpoints *checkpoints, const char *key)
{
    const size_t size = strlen(checkpoints->folder) + 1 + NAME_SIZE;
    char *path = malloc(size), name[NAME_SIZE];

    name_of(key, name);
    if (path)
        snprintf(path, size, "%s/%s", checkpoints->folder, name);
    return path;
}

static gradus_status put_file(const gr_checkpoints *checkpoints, const char *key,
                              const gradus_model *checkpoint, gradus_error *err)
{
    char *path = path_of(checkpoints, key);
    gradus_status status = path ? GRADUS_OK : gr_fail_memory(err, "checkpoints");

    if (path && mkdir(checkpoints->folder, 0777) != 0 && errno != EEXIST)
        status = gr_fail_errno(err, "make", checkpoints->folder, errno);
    if (status == GRADUS_OK)
        status = gradus_model_write(checkpoint, path, err);
    free(path);
    return status;
}

/* An unreadable checkpoint means training from scratch. */
static gradus_status take_file(const gr_checkpoints *checkpoints, const char *key,
                               gradus_model **model, gradus_error *err)
{
    gradus_error torn = { GRADUS_OK, "" };
    char *path = path_of(checkpoints, key);

    *model = path ? gradus_model_read(path, &torn) : NULL;
    const bool had_memory = path && (*model || torn.status != GRADUS_NO_MEMORY);

    free(path);
    return had_memory ? GRADUS_OK : gr_fail_memory(err, "checkpoints");
}

/* Requires the lock. */
static bool keep(gr_checkpoints *checkpoints, const char *key, gradus_model *checkpoint)
{
    if (checkpoints->keys.list.count == checkpoints->room) {
        const size_t room = checkpoints->room ? 2 * checkpoints->room : 16;
        gradus_model **models = realloc(checkpoints->models, room * sizeof *models);

        if (!models)
            return false;
        checkpoints->models = models;
        checkpoints->room = room;
    }
    const size_t before = checkpoints->keys.list.count;
    const size_t at = gr_name_set_add(&checkpoints->keys, key, strlen(key));

    if (at == SIZE_MAX)
        return false;
    if (at < before)
        gradus_model_free(checkpoints->models[at]);
    checkpoints->models[at] = checkpoint;
    return true;
}

gradus_status gr_checkpoints_put(gr_checkpoints *checkpoints, const char *key,
                                 gradus_model *checkpoint, gradus_error *err)
{
    if (checkpoints->folder) {
        const gradus_status status = put_file(checkpoints, key, checkpoint, err);

        gradus_model_free(checkpoint);
        return status;
    }
    pthread_mutex_lock(&checkpoints->lock);
    const bool kept = keep(checkpoints, key, checkpoint);

    pthread_mutex_unlock(&checkpoints->lock);
    if (kept)
        return GRADUS_OK;
    gradus_model_free(checkpoint);
    return gr_fail_memory(err, "checkpoints");
}

static gradus_model *take_memory(gr_checkpoints *checkpoints, const char *key)
{
    gradus_model *found = NULL;

    pthread_mutex_lock(&checkpoints->lock);
    const size_t at = gr_name_set_find(&checkpoints->keys, key, strlen(key));

    if (at != SIZE_MAX) {
        found = checkpoints->models[at];
        checkpoints->models[at] = NULL;
    }
    pthread_mutex_unlock(&checkpoints->lock);
    return found;
}

gradus_status gr_checkpoints_take(gr_checkpoints *checkpoints, const char *key,
                                  gradus_model **checkpoint, gradus_error *err)
{
    *checkpoint = NULL;
    if (checkpoints && checkpoints->folder)
        return take_file(checkpoints, key, checkpoint, err);
    if (checkpoints)
        *checkpoint = take_memory(checkpoints, key);
    return GRADUS_OK;
}

void gr_checkpoints_drop(gr_checkpoints *checkpoints, const char *key)
{
    if (!checkpoints->folder) {
        gradus_model_free(take_memory(checkpoints, key));
        return;
    }
    const int folder = open(checkpoints->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char name[NAME_SIZE];

    if (folder < 0)
        return;
    name_of(key, name);
    unlinkat(folder, name, 0);
    close(folder);
}

void gr_checkpoints_clear(gr_checkpoints *checkpoints)
{
    for (size_t i = 0; i < checkpoints->keys.list.count; i++) {
        gradus_model_free(checkpoints->models[i]);
        checkpoints->models[i] = NULL;
    }
    DIR *folder = checkpoints->folder ? opendir(checkpoints->folder) : NULL;

    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (strstr(entry->d_name, ending)) /* and temporary files of a killed process */
            unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(checkpoints->folder);
}
