/* SPDX-License-Identifier: Apache-2.0 */
/* Models by name and version: looked up by requests, replaced when their files change. */
#include "registry.h"

#include <stdarg.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name keeps its counters although its models are replaced. */
typedef struct named {
    char name[MAX_NAME];
    model_statistics statistics;
    struct named *next;
} named;

struct registry {
    pthread_rwlock_t lock; /* of models, count and names */
    served **models;       /* by name and version, ascending */
    size_t count;
    named *names;
    char first[MAX_NAME]; /* the default model */
    pthread_mutex_t refreshing;
    char *folder;                     /* NULL: none */
    void (*notify)(const char *line); /* NULL: none */
};

static void notify(const registry *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void notify(const registry *r, const char *format, ...)
{
    char line[1024];
    va_list list;

    if (!r->notify)
        return;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    r->notify(line);
}

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* Versions that are numbers come in numeric order, before all others. */
static int compare_versions(const char *a, const char *b)
{
    const bool numbers = is_number(a) && is_number(b);

    if (numbers && strlen(a) != strlen(b))
        return strlen(a) < strlen(b) ? -1 : 1;
    if (!numbers && is_number(a) != is_number(b))
        return is_number(a) ? -1 : 1;
    return strcmp(a, b);
}

static int compare_served(const served *s, const char *name, const char *version)
{
    const int names = strcmp(s->name, name);

    return names ? names : compare_versions(s->version, version);
}

/* The position of a name and version, or where it belongs. */
static size_t position(const registry *r, const char *name, const char *version)
{
    size_t low = 0, high = r->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (compare_served(r->models[middle], name, version) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const registry *r, size_t i, const char *name, const char *version)
{
    return i < r->count && compare_served(r->models[i], name, version) == 0;
}

/* The highest version of a name; r->count if absent. */
static size_t highest_version(const registry *r, const char *name)
{
    for (size_t i = r->count; i-- > 0;)
        if (strcmp(r->models[i]->name, name) == 0)
            return i;
    return r->count;
}

served *registry_take(registry *r, const char *name, const char *version)
{
    served *found = NULL;
    size_t i;

    pthread_rwlock_rdlock(&r->lock);
    if (!name || !*name)
        name = r->first;
    i = version && *version ? position(r, name, version) : highest_version(r, name);
    if (i < r->count && (!version || !*version || is_at(r, i, name, version))) {
        found = r->models[i];
        atomic_fetch_add(&found->references, 1);
    }
    pthread_rwlock_unlock(&r->lock);
    return found;
}

/* The counters of a name; NULL if memory is exhausted. */
static model_statistics *statistics_of(registry *r, const char *name)
{
    named *n = r->names;

    while (n && strcmp(n->name, name) != 0)
        n = n->next;
    if (!n && (n = calloc(1, sizeof *n))) {
        snprintf(n->name, sizeof n->name, "%s", name);
        n->next = r->names;
        r->names = n;
    }
    return n ? &n->statistics : NULL;
}

/* Inserts a model, or replaces the one of the same name and version. Takes it over in any case. */
static gradus_status put(registry *r, served *s, gradus_error *err)
{
    served *old = NULL, **longer = r->models;
    size_t i;

    pthread_rwlock_wrlock(&r->lock);
    i = position(r, s->name, s->version);
    s->statistics = statistics_of(r, s->name);
    if (is_at(r, i, s->name, s->version)) {
        old = r->models[i];
        r->models[i] = s;
    } else if (s->statistics && (longer = realloc(r->models, (r->count + 1) * sizeof(served *)))) {
        r->models = longer;
        memmove(longer + i + 1, longer + i, (r->count - i) * sizeof(served *));
        longer[i] = s;
        r->count++;
    }
    pthread_rwlock_unlock(&r->lock);
    served_release(old);
    if (s->statistics && longer)
        return GRADUS_OK;
    served_release(s);
    snprintf(err->message, sizeof err->message, "no memory for a model");
    return err->status = GRADUS_NO_MEMORY;
}

static void drop(registry *r, size_t i)
{
    served *old;

    pthread_rwlock_wrlock(&r->lock);
    old = r->models[i];
    memmove(r->models + i, r->models + i + 1, (r->count - i - 1) * sizeof(served *));
    r->count--;
    pthread_rwlock_unlock(&r->lock);
    served_release(old);
}

static gradus_status read_into(registry *r, const model_file *file, gradus_error *err)
{
    served *s = served_read(file, err);

    return s ? put(r, s, err) : err->status;
}

/* Reads what is new or has changed in the folder. Errors are reported, unless `err` is given: then the
 * first one ends it. */
static gradus_status read_folder(registry *r, gradus_error *err)
{
    model_file *files = NULL;
    size_t count = 0;
    gradus_error own;
    gradus_status status;

    if (!r->folder)
        return GRADUS_OK;
    status = folder_list(r->folder, &files, &count, err ? err : &own);
    if (status != GRADUS_OK && !err)
        notify(r, "%s", own.message);
    for (size_t i = 0; i < count && (status == GRADUS_OK || !err); i++) {
        served *present = registry_take(r, files[i].name, files[i].version);

        if (!present)
            status = read_into(r, &files[i], err ? err : &own);
        if (!present && !err)
            notify(r,
                   status == GRADUS_OK ? "new model '%s', version %s"
                                       : "model '%s', version %s: %s",
                   files[i].name, files[i].version, status == GRADUS_OK ? "" : own.message);
        served_release(present);
    }
    folder_free(files, count);
    return status;
}

static gradus_status read_given(registry *r, const char *const *models, size_t count,
                                gradus_error *err)
{
    for (size_t i = 0; i < count; i++) {
        model_file file = { 0 };
        served *present;

        GR_TRY(model_file_given(models[i], &file, err));
        if ((present = registry_take(r, file.name, file.version))) {
            served_release(present);
            snprintf(err->message, sizeof err->message,
                     "two models have the name '%s'; give another name with NAME=FILE", file.name);
            free(file.path);
            return err->status = GRADUS_BAD_ARGUMENT;
        }
        if (!r->first[0])
            memcpy(r->first, file.name, sizeof r->first);
        const gradus_status status = read_into(r, &file, err);

        free(file.path);
        GR_TRY(status);
    }
    return GRADUS_OK;
}

static gradus_status fill(registry *r, const char *const *models, size_t count, const char *folder,
                          gradus_error *err)
{
    if (folder && !(r->folder = strdup(folder))) {
        snprintf(err->message, sizeof err->message, "no memory for the models");
        return err->status = GRADUS_NO_MEMORY;
    }
    GR_TRY(read_given(r, models, count, err));
    GR_TRY(read_folder(r, err));
    if (!r->count) {
        snprintf(err->message, sizeof err->message, "no models to serve%s%s%s", folder ? ": '" : "",
                 folder ? folder : "", folder ? "' has none" : "");
        return err->status = GRADUS_BAD_ARGUMENT;
    }
    if (!r->first[0])
        memcpy(r->first, r->models[0]->name, sizeof r->first);
    return GRADUS_OK;
}

registry *registry_new(const char *const *models, size_t count, const char *folder,
                       void (*notify_function)(const char *line), gradus_error *err)
{
    registry *r = calloc(1, sizeof *r);

    if (!r) {
        *err = (gradus_error){ GRADUS_NO_MEMORY, "no memory for the models" };
        return NULL;
    }
    r->notify = notify_function;
    pthread_rwlock_init(&r->lock, NULL);
    pthread_mutex_init(&r->refreshing, NULL);
    if (fill(r, models, count, folder, err) == GRADUS_OK)
        return r;
    registry_free(r);
    return NULL;
}

void registry_free(registry *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++)
        served_release(r->models[i]);
    for (named *n = r->names, *next; n; n = next) {
        next = n->next;
        free(n);
    }
    pthread_mutex_destroy(&r->refreshing);
    pthread_rwlock_destroy(&r->lock);
    free(r->models);
    free(r->folder);
    free(r);
}

/* Reads the file of a model again and replaces the model. */
static gradus_status reload(registry *r, const served *s, gradus_error *err)
{
    model_file file = { .path = s->path };
    gradus_status status;

    memcpy(file.name, s->name, sizeof file.name);
    memcpy(file.version, s->version, sizeof file.version);
    status = read_into(r, &file, err);
    if (status == GRADUS_OK)
        notify(r, "reloaded '%s', version %s", s->name, s->version);
    else
        notify(r, "cannot reload '%s', version %s, and keep the present model: %s", s->name,
               s->version, err->message);
    atomic_fetch_add(status == GRADUS_OK ? &s->statistics->reloads : &s->statistics->failed_reloads,
                     1);
    return status;
}

gradus_status registry_reload(registry *r, const char *name, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    pthread_mutex_lock(&r->refreshing);
    for (size_t i = 0; i < r->count && status == GRADUS_OK; i++) {
        served *s = r->models[i]; /* only this function and registry_refresh change the list */

        if (strcmp(s->name, name) != 0)
            continue;
        atomic_fetch_add(&s->references, 1);
        status = reload(r, s, err);
        served_release(s);
    }
    pthread_mutex_unlock(&r->refreshing);
    return status;
}

void registry_refresh(registry *r)
{
    gradus_error err;

    pthread_mutex_lock(&r->refreshing);
    for (size_t i = 0; i < r->count; i++) {
        served *s = r->models[i];
        const file_change change = served_file_change(s);

        if (change == FILE_GONE && folder_contains(r->folder, s->path) && r->count > 1) {
            notify(r, "removed '%s', version %s", s->name, s->version);
            drop(r, i--);
        } else if (change == FILE_CHANGED) {
            atomic_fetch_add(&s->references, 1);
            if (reload(r, s, &err) != GRADUS_OK)
                served_note_file(s); /* not again until it changes again */
            served_release(s);
        }
    }
    read_folder(r, NULL);
    pthread_mutex_unlock(&r->refreshing);
}

void registry_each(registry *r, void (*visit)(void *user, const served *s), void *user)
{
    pthread_rwlock_rdlock(&r->lock);
    for (size_t i = 0; i < r->count; i++)
        visit(user, r->models[i]);
    pthread_rwlock_unlock(&r->lock);
}

size_t registry_count(registry *r)
{
    size_t count;

    pthread_rwlock_rdlock(&r->lock);
    count = r->count;
    pthread_rwlock_unlock(&r->lock);
    return count;
}
