/* SPDX-License-Identifier: Apache-2.0 */
/* The models that are served, by name and version. A request takes a reference to a model, so that
 * reloading never disturbs it: the new model replaces the old one for later requests, and the old one
 * is freed when its last request is answered. */
#ifndef SERVER_REGISTRY_H
#define SERVER_REGISTRY_H

#include "served.h"

typedef struct registry registry;

/* Reads all models. notify: as in serve_settings. */
registry *registry_new(const char *const *models, size_t count, const char *folder,
                       void (*notify)(const char *line), gradus_error *err);
void registry_free(registry *r);
/* The model of this name and version, with a reference for the caller; NULL if absent. name NULL
 * or "": the first model given; version NULL or "": the highest. */
served *registry_take(registry *r, const char *name, const char *version);
/* Reads a model again, now. */
gradus_status registry_reload(registry *r, const char *name, gradus_error *err);
/* Reads all models whose files changed, finds new files in the folder and drops models whose files were
 * removed from it. */
void registry_refresh(registry *r);
/* Calls the function with each model, in order of name and version. */
void registry_each(registry *r, void (*visit)(void *user, const served *s), void *user);
size_t registry_count(registry *r);

#endif
