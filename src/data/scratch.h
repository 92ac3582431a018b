/* SPDX-License-Identifier: Apache-2.0 */
/* A nameless temporary file in the folder of another file, for bytes that are copied there
 * later. */
#ifndef GR_DATA_SCRATCH_H
#define GR_DATA_SCRATCH_H

#include "base/error.h"

typedef struct gr_scratch gr_scratch;

/* beside: the path of that other file. */
gr_scratch *gr_scratch_new(const char *beside, gradus_error *err);
gradus_status gr_scratch_write(gr_scratch *scratch, const void *bytes, size_t size,
                               gradus_error *err);
/* Seeks to the start, to read what was written. */
gradus_status gr_scratch_rewind(gr_scratch *scratch, gradus_error *err);
/* *got is 0 only at the end of the file. */
gradus_status gr_scratch_read(gr_scratch *scratch, void *bytes, size_t size, size_t *got,
                              gradus_error *err);
void gr_scratch_free(gr_scratch *scratch); /* NULL is accepted */

#endif
