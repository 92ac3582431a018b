/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of trials that were stopped on the way, the last one of each, so that larger parts
 * go on from smaller ones: in memory, or as model files in a folder, from which another process
 * goes on as well. Any thread may call. */
#ifndef GR_EXPERIMENTS_WARM_H
#define GR_EXPERIMENTS_WARM_H

#include "gradus.h"

typedef struct gr_warm gr_warm;

/* folder NULL: in memory. Else it is made when there is something to keep. */
gr_warm *gr_warm_new(const char *folder, gradus_error *err);
void gr_warm_free(gr_warm *warm); /* files stay; NULL is accepted */
/* Removes all that is kept, and the folder with it. */
void gr_warm_clear(gr_warm *warm);

/* Keeps a checkpoint under a key, in place of the one before. Takes it over, whatever happens. */
gradus_status gr_warm_put(gr_warm *warm, const char *key, gradus_model *checkpoint,
                          gradus_error *err);
/* The checkpoint of a key, the caller's from now on; memory keeps it no longer, a folder does.
 * NULL: there is none that can be read, or no store. */
gradus_model *gr_warm_take(gr_warm *warm, const char *key);
/* Forgets a key. */
void gr_warm_drop(gr_warm *warm, const char *key);

#endif
