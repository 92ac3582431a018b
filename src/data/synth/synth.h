/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of rows made from a formula and a seed. A generator makes one query at a time, each a pure
 * function of (options, number of the query): so queries are made on any thread, a set of any
 * length needs memory for a few blocks only, and the first queries of a set are the same however
 * many follow. */
#ifndef GR_DATA_SYNTH_SYNTH_H
#define GR_DATA_SYNTH_SYNTH_H

#include "base/param.h"
#include "base/rng.h"
#include "base/table.h"
#include "data/row_writer.h"

/* The most that a parameter of a count or a number of a query may be: exact as a double. */
#define GR_SYNTH_MOST 1e15

/* What options say of the set to be made. */
typedef struct gr_synth_shape {
    size_t features;
    bool sparse;
    uint64_t queries;
    uint64_t first_query;    /* the number of the first one: 1, unless another was asked for */
    size_t queries_in_block; /* a few thousand rows */
} gr_synth_shape;

/* Whole queries, in the order they were made, as a dataset that grows. */
typedef struct gr_synth_block {
    const gr_synth_shape *shape;
    gradus_dataset *data; /* its arrays are in place once gr_synth_block_end has been called */
    size_t entries;       /* of sparse rows */
    size_t name_bytes;    /* of the queries' names: their numbers */
} gr_synth_block;

/* Where to write the rows of a new query of a dense set. */
typedef struct gr_synth_query {
    float *labels;
    float *values; /* rows x features, zeroed */
} gr_synth_query;

/* Begins a query. A dense one gets all its rows at once; a sparse one (rows 0) is given them by
 * gr_synth_add_row, each with its entries in ascending order of columns. */
gradus_status gr_synth_begin(gr_synth_block *block, uint64_t number, size_t rows,
                             gr_synth_query *query, gradus_error *err);
gradus_status gr_synth_add_row(gr_synth_block *block, float label, const uint32_t *columns,
                               const float *entries, size_t count, gradus_error *err);

gradus_status gr_synth_block_new(gr_synth_block *block, const gr_synth_shape *shape,
                                 gradus_error *err);
void gr_synth_block_free(gr_synth_block *block);
void gr_synth_block_clear(gr_synth_block *block); /* keeps the memory */
/* Makes the dataset one that others can read. */
void gr_synth_block_end(gr_synth_block *block);
/* Adds the queries of another block of the same shape, which has been ended. */
gradus_status gr_synth_block_append(gr_synth_block *block, const gr_synth_block *more,
                                    gradus_error *err);

typedef struct gr_synth {
    gr_about about;
    const gr_operation *operation; /* "synth <name>" */
    /* Checks the options, fills the shape, and computes what all queries share (weights, cut
     * points) into a plan, to be ended with `end`. */
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

const gr_about *gr_synth_at(size_t index); /* NULL past the end */

/* A set ready to be made. */
typedef struct gr_synth_set {
    const gr_synth *synth;
    gr_synth_shape shape;
    void *plan;
} gr_synth_set;

/* From options of one of the operations "synth ..."; end with gr_synth_close. */
gradus_status gr_synth_open(gr_synth_set *set, const gradus_options *options, gr_pool *pool,
                            gradus_error *err);
void gr_synth_close(gr_synth_set *set);

/* Makes blocks in parallel and hands them to `take` in order, on the caller's thread. */
typedef gradus_status (*gr_synth_take)(void *argument, const gr_synth_block *block,
                                       gradus_error *err);
gradus_status gr_synth_stream(const gr_synth_set *set, gradus_context *context, gr_synth_take take,
                              void *argument, gradus_error *err);

/* Streams the set to a file. */
gradus_status gr_synth_write(const gr_synth_set *set, const char *path,
                             const gr_write_options *options, gradus_context *context,
                             gradus_error *err);
/* The whole set in memory. */
gradus_dataset *gr_synth_dataset(const gr_synth_set *set, gradus_context *context,
                                 gradus_error *err);

#endif
