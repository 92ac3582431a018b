/* SPDX-License-Identifier: Apache-2.0 */
/* The binary data file: the arrays of a dataset, checksummed, to be mapped into memory.
 * docs/formats/data.md specifies it byte by byte. */
#ifndef GR_DATA_BINARY_H
#define GR_DATA_BINARY_H

#include "base/sink.h"
#include "data/dataset.h"
#include "data/row_writer.h"

typedef struct gr_binary gr_binary;

/* True if content that begins so is a binary data file, of whatever version. */
bool gr_binary_is(const unsigned char *first_bytes, size_t count);

/* Maps a plain file and checks its header: milliseconds, whatever its size. */
gradus_dataset *gr_binary_open(const char *path, gradus_error *err);
/* The same over bytes in memory, which are taken over whatever happens. name: for messages. */
gradus_dataset *gr_binary_from_memory(gr_array *bytes, size_t size, const char *name,
                                      gradus_error *err);
void gr_binary_close(gr_binary *binary); /* NULL is accepted */

/* Verifies the checksums and the structure of the given parts, each once; the offsets of queries
 * and the names of queries and features always. Any number of threads may call it. */
gradus_status gr_binary_check(gr_binary *binary, unsigned parts, gr_pool *pool, gradus_error *err);

/* Writes a whole dataset, to any kind of sink. */
gradus_status gr_binary_write(const gradus_dataset *data, gr_sink *sink, gr_pool *pool,
                              gradus_error *err);

/* Writes blocks of rows as they come, to a sink that can be rewritten. The file is the one that
 * gr_binary_write makes of all rows. path: of the sink; a nameless file is made beside it when
 * rows are sparse. See gr_row_writer_open for the memory it takes. */
typedef struct gr_binary_writer gr_binary_writer;

gr_binary_writer *gr_binary_writer_new(gr_sink *sink, const char *path, const gr_row_shape *shape,
                                       gradus_error *err);
gradus_status gr_binary_writer_append(gr_binary_writer *writer, const gradus_dataset *block,
                                      gradus_error *err);
gradus_status gr_binary_writer_finish(gr_binary_writer *writer, gradus_error *err);
void gr_binary_writer_free(gr_binary_writer *writer); /* NULL is accepted */

#endif
