/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic datasets. A generator makes one query at a time, each a pure function of (options,
 * query number). Queries can therefore be made on any thread, a set of any length needs memory for
 * only a few blocks, and the first queries do not depend on how many follow. */
#ifndef GR_DATA_SYNTH_SYNTH_H
#define GR_DATA_SYNTH_SYNTH_H

#include "base/param.h"
#include "base/rng.h"
#include "base/table.h"
#include "data/row_writer.h"

/* Maximum for counts and query numbers: exactly representable as a double. */
#define GR_SYNTH_MAX 1e15

/* The shape of a set according to the options. */
typedef struct gr_synth_shape {
    size_t features;
    bool sparse;
    uint64_t queries;
    uint64_t first_query;    /* number of the first query; default 1 */
    size_t queries_in_block; /* enough for a few thousand rows */
} gr_synth_shape;

/* Complete queries in order, as a growing dataset. */
typedef struct gr_synth_block {
    const gr_synth_shape *shape;
    gradus_dataset *data; /* its array pointers are valid after gr_synth_block_end */
    size_t entries;       /* sparse entries so far */
    size_t name_bytes;    /* bytes of query names, which are their numbers */
} gr_synth_block;

/* Where the generator writes the rows of a query of a dense set. */
typedef struct gr_synth_query {
    float *labels;
    float *values; /* rows x features, zeroed */
} gr_synth_query;

/* synth_block.c */
/* Starts a query. For dense sets, all rows are allocated at once; for sparse sets (rows 0), rows
 * are added by gr_synth_add_row, each with its columns in ascending order. */
gradus_status gr_synth_begin(gr_synth_block *block, uint64_t number, size_t rows,
                             gr_synth_query *query, gradus_error *err);
gradus_status gr_synth_add_row(gr_synth_block *block, float label, const uint32_t *columns,
                               const float *entries, size_t count, gradus_error *err);

gradus_status gr_synth_block_new(gr_synth_block *block, const gr_synth_shape *shape,
                                 gradus_error *err);
void gr_synth_block_free(gr_synth_block *block);
void gr_synth_block_clear(gr_synth_block *block); /* keeps allocations */
/* Sets the array pointers, so that the dataset can be read. */
void gr_synth_block_end(gr_synth_block *block);
/* Appends the queries of another block of the same shape, after its gr_synth_block_end. */
gradus_status gr_synth_block_append(gr_synth_block *block, const gr_synth_block *more,
                                    gradus_error *err);

typedef struct gr_synth {
    gr_about about;
    const gr_operation *operation; /* "synth <name>" */
    /* Checks the options, fills the shape, and computes what all queries share (weights, grade
     * thresholds) into a plan, which `end` frees. */
    gradus_status (*prepare)(const void *options, gr_pool *pool, gr_synth_shape *shape, void **plan,
                             gradus_error *err);
    /* Appends query `number` to the block. Runs on any thread. */
    gradus_status (*make)(const void *plan, uint64_t number, gr_synth_block *block,
                          gradus_error *err);
    void (*end)(void *plan);
} gr_synth;

#define GR_SYNTH(name)                                                                             \
    extern const gr_synth gr_synth_##name;                                                         \
    extern const gr_operation gr_operation_synth_##name;
#include "data/synth/synths.def"
#undef GR_SYNTH

/* synth.c */
const gr_about *gr_synth_at(size_t index); /* NULL past the end */

/* A synthetic set that is ready to be generated. */
typedef struct gr_synth_set {
    const gr_synth *synth;
    gr_synth_shape shape;
    void *plan;
} gr_synth_set;

/* Prepares a set from the options of an operation "synth ..."; release with gr_synth_close. */
gradus_status gr_synth_open(gr_synth_set *set, const gradus_options *options, gr_pool *pool,
                            gradus_error *err);
void gr_synth_close(gr_synth_set *set);

/* Makes blocks in parallel and passes them to `take` in order, on the calling thread. */
typedef gradus_status (*gr_synth_take)(void *argument, const gr_synth_block *block,
                                       gradus_error *err);
gradus_status gr_synth_stream(const gr_synth_set *set, gradus_context *context, gr_synth_take take,
                              void *argument, gradus_error *err);

/* Streams the set to a file. */
gradus_status gr_synth_write(const gr_synth_set *set, const char *path,
                             const gr_write_options *options, gradus_context *context,
                             gradus_error *err);
/* Makes the complete set in memory. */
gradus_dataset *gr_synth_dataset(const gr_synth_set *set, gradus_context *context,
                                 gradus_error *err);

#endif
