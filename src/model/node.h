/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a model and their kinds. A node takes the rows, or the outputs of earlier nodes, and
 * gives columns of numbers. To add a kind: a file model/<name>_node.c that ends with a const
 * gr_node_kind, and a row in kinds.def. */
#ifndef GR_MODEL_NODE_H
#define GR_MODEL_NODE_H

#include "base/table.h"
#include "data/transform.h"
#include "data/used_columns.h"

typedef struct gr_model_writer gr_model_writer;
typedef struct gr_model_reader gr_model_reader;

/* The input of a node: rows and the outputs of earlier nodes. */
typedef struct gr_batch {
    const float *values; /* dense rows, transformed; NULL: sparse rows */
    size_t rows, stride;
    const gradus_arrays *sparse; /* rows first, first + 1, ...; for kinds that take them */
    size_t first;
    /* For kinds with by_query: query q starts at row query_starts[q] - query_starts[0]. */
    const uint64_t *query_starts; /* queries + 1 */
    size_t queries;
    const double *const *inputs; /* per listed node: columns x rows, column c at [c * rows] */
    void *scratch;               /* of the kind's scratch size, aligned to 64 bytes */
} gr_batch;

/* The stored values of row r of a sparse batch, their features, and how many there are. */
static inline const float *gr_batch_entries(const gr_batch *batch, size_t r)
{
    return batch->sparse->entries + batch->sparse->row_starts[batch->first + r];
}
static inline const uint32_t *gr_batch_columns(const gr_batch *batch, size_t r)
{
    return batch->sparse->columns + batch->sparse->row_starts[batch->first + r];
}
static inline size_t gr_batch_count(const gr_batch *batch, size_t r)
{
    const uint64_t *starts = batch->sparse->row_starts + batch->first;

    return (size_t)(starts[r + 1] - starts[r]);
}

typedef struct gr_node gr_node;

/* New numbers for the features of a node: of the columns of wide data, or the reverse. */
typedef struct gr_relabel {
    const gr_used *columns;
    bool widen; /* a number among the columns becomes a feature; else a feature becomes a number */
} gr_relabel;

static inline uint32_t gr_relabel_feature(const gr_relabel *relabel, size_t feature)
{
    return relabel->widen ? relabel->columns->ids[feature]
                          : gr_used_find(relabel->columns, feature);
}
static inline size_t gr_relabel_features(const gr_relabel *relabel)
{
    return relabel->widen ? relabel->columns->features : relabel->columns->count;
}

/* A count that measures the size of a node ("trees"). A model reports the sum over its nodes. */
typedef struct gr_node_size {
    const char *name;         /* several kinds may use the same */
    const char *one, *many;   /* what is counted: "tree", "trees"; NULL: not part of a summary */
    const char *in_ensembles; /* the plural in ensembles, if others count too; NULL: many */
    size_t (*count)(const void *state);
} gr_node_size;

/* Operations of a kind of node. Those up to `free` are required unless NULL has a meaning. */
typedef struct gr_node_kind {
    gr_about about;   /* the name is the one in model files */
    const char *noun; /* for messages, in kinds that take rows; NULL: it takes other nodes */
    size_t size;      /* of the state, in bytes */
    size_t (*columns)(const void *state);
    /* Columns it takes from each node it lists; NULL: it takes rows. */
    size_t (*takes)(const void *state);
    size_t (*members)(const void *state); /* number of nodes it lists; NULL: 1 */
    bool by_query; /* needs whole queries; rows scored on their own form one query */
    size_t (*scratch)(const void *state, size_t rows); /* NULL: none */
    void (*apply)(const void *state, const gr_batch *batch, double *out);
    bool (*takes_sparse)(const void *state); /* can use sparse rows; NULL: only dense rows */
    /* Writes its facts (JSON members) and sections. */
    gradus_status (*write)(const void *state, gr_model_writer *writer, gradus_error *err);
    /* Fills a state of zeros, which is freed whatever the status. What `read` and `check` accept
     * can be applied to any rows with `features` features. */
    gradus_status (*read)(gr_model_reader *reader, size_t features, void *state, gradus_error *err);
    /* Checks a state that was read, or is to be written. NULL: read checks everything. */
    gradus_status (*check)(const void *state, gradus_error *err);
    /* Computes what is not in the file, once the state has its final address. NULL: nothing. */
    gradus_status (*prepare)(void *state, gradus_error *err);
    void (*free)(void *state); /* what the state owns, but not the state; NULL: nothing */
    /* For kinds trained in rounds: the number of rounds, and a node with the first `rounds` of them
     * that shares the arrays. NULL: not trained in rounds, or cannot be truncated. */
    size_t (*rounds)(const void *state);
    gradus_status (*first)(const void *state, size_t rounds, gr_node *node, gradus_error *err);
    /* The features it uses: a list with one entry per place (split, equation), .splits being 1 or
     * the number of places merged into the entry; returns the number of entries. uses NULL: only an
     * upper bound. */
    size_t (*uses)(const void *state, gradus_feature_use *uses);
    /* A copy with other feature numbers. NULL: the kind stores something for each feature, so that
     * nodes for wide data have a list of columns instead. */
    gradus_status (*relabel)(const void *state, const gr_relabel *relabel, gr_node *node,
                             gradus_error *err);
    /* In place of `uses`, for kinds that store something for each feature: per feature, its
     * importance and the number of places. */
    void (*importance)(const void *state, double *sizes, uint64_t *places);
    /* Names of importance ("gain") and of places ("splits"). NULL: not worth showing. */
    const char *gain, *places;
    const gr_node_size *sizes; /* up to a row without a name; NULL: none */
    /* Other facts, documented in gradus.h. Returns false past the last. NULL: none. */
    bool (*fact)(const void *state, size_t index, gradus_model_fact *fact);
    /* For kinds that combine the nodes they list: the rule ("borda") and the weight of a node. */
    const char *(*combination)(const void *state);
    double (*weight)(const void *state, size_t member); /* NULL: all the same */
    /* For kinds with trees, linear models in their leaves, or equations: see the functions
     * gradus_model_tree_at, gradus_model_leaf_at and gradus_model_equation. */
    bool (*tree_at)(const void *state, size_t tree, size_t node, gradus_tree_node *out);
    bool (*leaf_at)(const void *state, size_t tree, size_t node, gradus_leaf_model *out);
    bool (*equation)(const void *state, size_t output, double *intercept,
                     const double **coefficients, const double **means, const double **spreads);
} gr_node_kind;

#define GR_NODE_KIND(name) extern const gr_node_kind gr_node_##name;
#include "model/kinds.def"
#undef GR_NODE_KIND

/* Facts, and the one at an index of an array of them, for the `fact` of a kind. */
#define GR_COUNT_FACT(name, value, one, many)                                                      \
    {                                                                                              \
        name, GRADUS_FACT_COUNT, (double)(value), "", one, many                                    \
    }
#define GR_NUMBER_FACT(name, value)                                                                \
    {                                                                                              \
        name, GRADUS_FACT_NUMBER, value, "", NULL, NULL                                            \
    }
#define GR_FLAG_FACT(name, value)                                                                  \
    {                                                                                              \
        name, GRADUS_FACT_FLAG, (value) ? 1.0 : 0.0, "", NULL, NULL                                \
    }
#define GR_TEXT_FACT(name, value)                                                                  \
    {                                                                                              \
        name, GRADUS_FACT_TEXT, 0.0, value, NULL, NULL                                             \
    }
#define GR_LINE_FACT(name, value)                                                                  \
    {                                                                                              \
        name, GRADUS_FACT_LINE, 0.0, value, NULL, NULL                                             \
    }
#define GR_FACT_AT(all, index, fact)                                                               \
    ((index) < sizeof(all) / sizeof(all)[0] ? (*(fact) = (all)[index], true) : false)

enum { GR_NODE_INPUTS = 256 };

struct gr_node {
    const gr_node_kind *kind;
    void *state;
    size_t inputs[GR_NODE_INPUTS]; /* earlier nodes; empty: the rows */
    size_t input_count;
    size_t column; /* index of its first output among those of all nodes; set on adding */
    bool borrowed; /* the state belongs to another model, which outlives this one */
    /* What a node without inputs applies to the rows, if the model itself has no transform: members
     * of an ensemble may have been trained with different transforms. NULL: none. */
    const gr_fitted_transform *transform;
    bool owns_transform;
    /* The features that a node without inputs uses, ascending: its feature c, and that of its
     * transform, is columns[c] of the rows. NULL: all features of the model. */
    const uint32_t *columns;
    size_t column_count;
    bool owns_columns;
};

/* Makes a node from a state of the kind's size, which is copied and then set to zeros: the node
 * owns what it pointed to. On failure the state is unchanged. */
gradus_status gr_node_new(const gr_node_kind *kind, void *state, gr_node *node, gradus_error *err);
/* Frees the state, the transform and the columns, unless they belong to another model. */
void gr_node_free(gr_node *node);
/* Frees the state alone. */
void gr_node_free_state(gr_node *node);
/* Whether a node takes rows, and affects the outputs. */
bool gr_node_takes_rows(const gr_node *node);
/* Marks a copy of another model's node: state, transform and columns are not its own. */
void gr_node_borrow(gr_node *node);
/* Number of nodes it lists. */
size_t gr_node_inputs(const gr_node *node);

#endif
