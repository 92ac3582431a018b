/* SPDX-License-Identifier: Apache-2.0 */
/* Byte output: a file that appears complete or not at all, or standard output ("-"). */
#ifndef GR_BASE_SINK_H
#define GR_BASE_SINK_H

#include "base/error.h"

typedef enum gr_packing { GR_PLAIN, GR_GZIP, GR_ZSTD } gr_packing;

typedef struct gr_sink gr_sink;

/* The compression implied by a file name: ".gz" gzip, ".zst" zstd, otherwise none. */
gr_packing gr_packing_of_name(const char *path);

gr_sink *gr_sink_open(const char *path, gr_packing packing, gradus_error *err);
gradus_status gr_sink_write(gr_sink *sink, const void *bytes, size_t size, gradus_error *err);
/* Bytes written so far, before compression. */
uint64_t gr_sink_size(const gr_sink *sink);
/* gr_sink_rewrite overwrites earlier bytes, such as a header that is only known at the end. It
 * works only if gr_sink_seekable returns true: plain files, not pipes. */
bool gr_sink_seekable(const gr_sink *sink);
gradus_status gr_sink_rewrite(gr_sink *sink, uint64_t at, const void *bytes, size_t size,
                              gradus_error *err);
/* Syncs the file and gives it its name. Frees the sink even on failure. */
gradus_status gr_sink_close(gr_sink *sink, gradus_error *err);
/* Discards the output and frees the sink; accepts NULL. */
void gr_sink_abandon(gr_sink *sink);

#endif
