/* SPDX-License-Identifier: Apache-2.0 */
/* Byte input: a file or standard input ("-"), plain, gzip or zstd; compression is detected from the
 * content. */
#ifndef GR_BASE_SOURCE_H
#define GR_BASE_SOURCE_H

#include "base/error.h"
#include "base/memory.h"

typedef struct gr_source gr_source;

gr_source *gr_source_open(const char *path, gradus_error *err);
/* Reads from the caller's bytes, which must outlive the source; name is for messages. */
gr_source *gr_source_from_memory(const void *bytes, size_t size, const char *name,
                                 gradus_error *err);
/* Appends bytes to such a source, once. */
void gr_source_append(gr_source *source, const void *bytes, size_t size);
void gr_source_close(gr_source *source); /* NULL is accepted */
/* Reads up to size bytes; *got is 0 only at the end of the input. */
gradus_status gr_source_read(gr_source *source, void *bytes, size_t size, size_t *got,
                             gradus_error *err);
/* The first bytes (at most 64) without consuming them; fewer if the input is shorter. */
gradus_status gr_source_peek(gr_source *source, const unsigned char **bytes, size_t *count,
                             gradus_error *err);
/* The name for messages: the path, or "standard input". */
const char *gr_source_name(const gr_source *source);
/* Size in bytes of an uncompressed regular file or memory block, otherwise 0. */
uint64_t gr_source_size(const gr_source *source);

/* The fraction of the file read so far, 0 to 1; 0 if its size is unknown. */
double gr_source_share(const gr_source *source);

/* Reads what is left, *size bytes, into an empty array. Fails if it is larger than `most` bytes. */
gradus_status gr_source_read_rest(gr_source *source, size_t most, gr_array *content, size_t *size,
                                  gradus_error *err);
/* Reads the whole content into memory and appends a NUL; release with free(). Fails if it is larger
 * than `most` bytes. */
gradus_status gr_source_read_all(const char *path, size_t most, char **bytes, size_t *size,
                                 gradus_error *err);

#endif
