/* SPDX-License-Identifier: Apache-2.0 */
/* A nameless file on the same disk as another, for bytes whose place comes later. */
#ifndef GR_DATA_SCRATCH_H
#define GR_DATA_SCRATCH_H

#include "base/error.h"

typedef struct gr_scratch gr_scratch;

/* beside: the path of the file that the bytes are for. */
gr_scratch *gr_scratch_new(const char *beside, gradus_error *err);
gradus_status gr_scratch_write(gr_scratch *scratch, const void *bytes, size_t size,
                               gradus_error *err);
/* Goes back to the beginning, to read what was written. */
gradus_status gr_scratch_rewind(gr_scratch *scratch, gradus_error *err);
/* *got is 0 only at the end. */
gradus_status gr_scratch_read(gr_scratch *scratch, void *bytes, size_t size, size_t *got,
                              gradus_error *err);
void gr_scratch_free(gr_scratch *scratch); /* NULL is accepted */

#endif
