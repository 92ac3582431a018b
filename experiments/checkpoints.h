/* SPDX-License-Identifier: Apache-2.0 */
/* A store of checkpoints of partial trials, the latest one of each, so that longer trials resume
 * from shorter ones: in memory, or as model files in a folder, from which another process can
 * resume, too. Thread-safe. */
#ifndef GR_EXPERIMENTS_CHECKPOINTS_H
#define GR_EXPERIMENTS_CHECKPOINTS_H

#include "gradus.h"

typedef struct gr_checkpoints gr_checkpoints;

/* folder NULL: in memory; otherwise the folder is created when the first checkpoint is stored. */
gr_checkpoints *gr_checkpoints_new(const char *folder, gradus_error *err);
void gr_checkpoints_free(gr_checkpoints *checkpoints); /* keeps the files; NULL is accepted */
/* Deletes all checkpoints and the folder. */
void gr_checkpoints_clear(gr_checkpoints *checkpoints);

/* Stores a checkpoint under a key, replacing the previous one. Takes ownership, even on failure. */
gradus_status gr_checkpoints_put(gr_checkpoints *checkpoints, const char *key,
                                 gradus_model *checkpoint, gradus_error *err);
/* Takes the checkpoint of a key, which the caller frees; it is removed from memory, but not from a
 * folder. *checkpoint NULL: none that can be read, or no store. Fails without memory only. */
gradus_status gr_checkpoints_take(gr_checkpoints *checkpoints, const char *key,
                                  gradus_model **checkpoint, gradus_error *err);
/* Deletes the checkpoint of a key. */
void gr_checkpoints_drop(gr_checkpoints *checkpoints, const char *key);

#endif
