/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to write: a file that appears whole or not at all, or standard output ("-"). */
#ifndef GR_BASE_SINK_H
#define GR_BASE_SINK_H

#include "base/error.h"

typedef enum gr_packing { GR_PLAIN, GR_GZIP, GR_ZSTD } gr_packing;

typedef struct gr_sink gr_sink;

/* What the name asks for: ".gz" gzip, ".zst" zstd, else plain. */
gr_packing gr_packing_of_name(const char *path);

gr_sink *gr_sink_open(const char *path, gr_packing packing, gradus_error *err);
gradus_status gr_sink_write(gr_sink *sink, const void *bytes, size_t size, gradus_error *err);
/* Bytes written so far, before compression. */
uint64_t gr_sink_size(const gr_sink *sink);
/* Overwrites bytes at an earlier place of a plain file that is not a pipe: a header whose content
 * is known last. False from gr_sink_seekable: not possible. */
bool gr_sink_seekable(const gr_sink *sink);
gradus_status gr_sink_rewrite(gr_sink *sink, uint64_t at, const void *bytes, size_t size,
                              gradus_error *err);
/* Syncs and gives the file its name. Frees the sink, whatever happens. */
gradus_status gr_sink_close(gr_sink *sink, gradus_error *err);
/* Leaves nothing behind. NULL is accepted. */
void gr_sink_abandon(gr_sink *sink);

#endif
