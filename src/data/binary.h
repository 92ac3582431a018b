/* SPDX-License-Identifier: Apache-2.0 */
/* The binary data file: the arrays of a dataset with checksums, laid out for memory mapping.
 * docs/formats/data.md specifies it byte by byte. */
#ifndef GR_DATA_BINARY_H
#define GR_DATA_BINARY_H

#include "base/sink.h"
#include "data/dataset.h"
#include "data/row_writer.h"

typedef struct gr_binary gr_binary;

/* binary_read.c */
/* Whether content with these first bytes is a binary data file, of any version. */
bool gr_binary_is(const unsigned char *first_bytes, size_t count);

/* Maps an uncompressed file and checks its header, in milliseconds for any size. */
gradus_dataset *gr_binary_open(const char *path, gradus_error *err);
/* The same for bytes in memory; takes ownership of them even on failure. name: for messages. */
gradus_dataset *gr_binary_from_memory(gr_array *bytes, size_t size, const char *name,
                                      gradus_error *err);
void gr_binary_close(gr_binary *binary); /* NULL is accepted */

/* Verifies the checksums and the structure of the given parts, each only once, and always the query
 * offsets and the names of queries and features. Thread-safe. */
gradus_status gr_binary_check(gr_binary *binary, unsigned parts, gr_pool *pool, gradus_error *err);

/* The checksums of the blocks of GR_BINARY_BLOCK bytes (binary_header.h) of the dense values, if they were
 * computed when these were verified; NULL: they were not, or `values` are others. */
const uint32_t *gr_binary_value_sums(const gr_binary *binary, const float *values);

/* The name of the file, for messages. */
const char *gr_binary_name(const gr_binary *binary);
/* The bytes of a section; NULL if it is absent. */
const void *gr_binary_section(const gr_binary *binary, gr_part part, uint64_t *bytes);

/* Verifies the checksums of dense values and of bins together with other processes, each of which
 * reads a part of them. A collective operation: all must call it for the same file. */
gradus_status gr_binary_share_check(gr_binary *binary, const gradus_collectives *with,
                                    gr_pool *pool, gradus_error *err);

/* A section whose bytes are in several places. */
typedef struct gr_section_pieces {
    size_t count;
    const void *const *at;
    const uint64_t *bytes;
} gr_section_pieces;

/* binary_write.c */
/* Writes a dataset with bins instead of values. bins: the sections from GR_BIN_TABLE on. */
gradus_status gr_binary_write_binned(const gradus_dataset *data, const gr_section_pieces bins[4],
                                     gr_sink *sink, gr_pool *pool, gradus_error *err);
/* Writes a complete dataset to any kind of sink. */
gradus_status gr_binary_write(const gradus_dataset *data, gr_sink *sink, gr_pool *pool,
                              gradus_error *err);

/* Writes a file block by block to a sink that can be rewritten; the result is identical to that of
 * gr_binary_write on all rows. path: of the sink; for sparse rows, a nameless temporary file is
 * created in the same folder. See gr_row_writer_open for the memory used. */
typedef struct gr_binary_writer gr_binary_writer;

/* binary_stream.c */
gr_binary_writer *gr_binary_writer_new(gr_sink *sink, const char *path, const gr_row_shape *shape,
                                       gradus_error *err);
gradus_status gr_binary_writer_append(gr_binary_writer *writer, const gradus_dataset *block,
                                      gradus_error *err);
gradus_status gr_binary_writer_finish(gr_binary_writer *writer, gradus_error *err);
void gr_binary_writer_free(gr_binary_writer *writer); /* NULL is accepted */

#endif
