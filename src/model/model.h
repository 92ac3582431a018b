/* SPDX-License-Identifier: Apache-2.0 */
/* A trained ranker: the settings it was trained with, the graph of nodes that turns rows into
 * outputs, and the scorer that turns outputs into scores. Immutable once built, so any number of
 * threads may use it.
 *
 * Each node uses only earlier nodes. A node takes the rows, or the outputs of the nodes it lists,
 * and gives columns of numbers; the scorer takes those of the last node.
 */
#ifndef GR_MODEL_MODEL_H
#define GR_MODEL_MODEL_H

#include "base/names.h"
#include "calibration/calibration.h"
#include "data/used_columns.h"
#include "data/transform.h"
#include "learners/adaboost/votes.h"
#include "learners/forest/forest.h"
#include "learners/gaussians/gaussians.h"
#include "learners/kernel/kernel.h"
#include "learners/linear/linear.h"
#include "learners/m5/m5.h"
#include "learners/net/net.h"
#include "learners/sgd/hashed.h"
#include "scoring/choose.h"

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

/* Operations of a kind of node. To add a kind: a file and a row in kinds.def. */
typedef struct gr_node_kind {
    gr_about about;   /* the name is the one in model files */
    const char *noun; /* for messages, in kinds that take rows; NULL: it takes other nodes */
    size_t (*columns)(const void *state);
    /* Columns it takes from each node it lists; NULL: it takes rows. */
    size_t (*takes)(const void *state);
    size_t (*members)(const void *state); /* number of nodes it lists; NULL: 1 */
    bool by_query; /* needs whole queries; rows scored on their own form one query */
    size_t (*scratch)(const void *state, size_t rows);
    void (*apply)(const void *state, const gr_batch *batch, double *out);
    bool (*takes_sparse)(const void *state); /* can use sparse rows; NULL: only dense rows */
    /* Writes its facts (JSON members) and sections. */
    gradus_status (*write)(const void *state, gr_model_writer *writer, gradus_error *err);
    /* Checks everything: what it accepts can be applied to any rows with `features` features. */
    gradus_status (*read)(gr_model_reader *reader, size_t features, void **state,
                          gradus_error *err);
    void (*free)(void *state);
    /* For kinds trained in rounds: the number of rounds, and a node with the first `rounds` of them
     * that shares the arrays. NULL: not trained in rounds, or cannot be truncated. */
    size_t (*rounds)(const void *state);
    gradus_status (*first)(const void *state, size_t rounds, gr_node *node, gradus_error *err);
    /* Per feature, its importance and the number of places (splits, equations) that use it; either
     * may be NULL. NULL: unknown. */
    void (*importance)(const void *state, double *sizes, uint64_t *places);
    /* The same as a list with one entry per place that uses a feature, .splits being 1 or the
     * number of places merged into the entry; returns the number of entries. uses NULL: only an
     * upper bound. NULL: one entry per feature, from `importance`; for kinds that store something
     * for each feature anyway. */
    size_t (*uses)(const void *state, gradus_feature_use *uses);
    /* A copy with other feature numbers. NULL: the kind stores something for each feature, so that
     * nodes for wide data have a list of columns instead. */
    gradus_status (*relabel)(const void *state, const gr_relabel *relabel, gr_node *node,
                             gradus_error *err);
} gr_node_kind;

#define GR_NODE_KIND(name) extern const gr_node_kind gr_node_##name;
#include "model/kinds.def"
#undef GR_NODE_KIND

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

/* Marks a copy of another model's node: state, transform and columns are not its own. */
void gr_node_borrow(gr_node *node);
/* Frees the transform and the columns, if the node owns them. */
void gr_node_free_extras(gr_node *node);
/* Whether a node takes rows, and affects the outputs. */
bool gr_node_takes_rows(const gr_node *node);
/* Number of features of a node that takes rows. */
size_t gr_node_features(const gradus_model *model, const gr_node *node);
/* Number of nodes it lists. */
size_t gr_node_inputs(const gr_node *node);

/* The state of a forest node. */
typedef struct gr_forest_node {
    gr_forest forest;
    gr_compiled *compiled;
} gr_forest_node;
/* Takes over the forest, which is empty afterwards, and compiles it. */
gradus_status gr_forest_node_new(gr_forest *forest, gr_node *node, gradus_error *err);

/* Each of these takes over its argument as the node's state; the argument is empty afterwards. */
gradus_status gr_linear_node_new(gr_linear *linear, gr_node *node, gradus_error *err);
gradus_status gr_kernel_node_new(gr_machine *machine, gr_node *node, gradus_error *err);
gradus_status gr_net_node_new(gr_net *net, gr_node *node, gradus_error *err);
gradus_status gr_votes_node_new(gr_votes *votes, gr_node *node, gradus_error *err);
/* A node that scores the outputs of another: one probability column per grade, or a score
 * column. The scorer is copied. method: of the scored model, if it is a member of an ensemble;
 * else NULL. */
gradus_status gr_scored_node_new(const gr_scorer *scorer, bool probabilities, const char *method,
                                 gr_node *node, gradus_error *err);
/* NULL if the node is of another kind, or has none. */
const gr_scorer *gr_scored_node_scorer(const gr_node *node);
const char *gr_scored_node_method(const gr_node *node);
/* Takes over the calibration, which is empty afterwards, as the node's state. */
gradus_status gr_calibration_node_new(gr_calibration *calibration, gr_node *node,
                                      gradus_error *err);
/* A weighted sum of the columns of the listed nodes. */
typedef struct gr_mix {
    size_t members, columns;
    double *weights;
    bool own;
} gr_mix;
gradus_status gr_mix_node_new(const double *weights, size_t members, size_t columns, gr_node *node,
                              gradus_error *err);
/* Rank fusion of the listed nodes, query by query. */
typedef struct gr_fusion {
    size_t members;
    bool reciprocal; /* mean of 1 / (constant + rank); else mean fraction of rows below (Borda) */
    double constant;
} gr_fusion;
gradus_status gr_fusion_node_new(const gr_fusion *fusion, gr_node *node, gradus_error *err);
/* The state of a node of model trees: the mean of the trees' outputs. */
typedef struct gr_m5_node {
    gr_m5 m5;
} gr_m5_node;
/* Takes over the trees, which are empty afterwards. */
gradus_status gr_m5_node_new(gr_m5 *m5, gr_node *node, gradus_error *err);

/* Takes over the weights, which are empty afterwards, as the node's state. */
gradus_status gr_hash_node_new(gr_hashed *hashed, gr_node *node, gradus_error *err);
/* The state of a node that only stores learner state for resuming. */
typedef struct gr_state {
    size_t count;
    double *at;
} gr_state;
/* Allocates zeros for the caller to fill. */
gradus_status gr_state_node_new(size_t count, double **at, gr_node *node, gradus_error *err);

/* A point of a learning curve; NAN where the metric was not evaluated. */
typedef struct gr_point {
    uint64_t round;
    double train, valid;
} gr_point;

/* A number reported by the fit: "duality gap", 0.003. */
typedef struct gr_result {
    char *name;
    double value;
} gr_result;

typedef struct gr_setting {
    char *name, *value;
} gr_setting;

/* Statistics of a maximum likelihood fit. */
typedef struct gr_fit_facts {
    double log_likelihood; /* NAN: not known */
    const double *errors;  /* standard errors: features, then thresholds; NULL: none */
    size_t error_count;
} gr_fit_facts;

struct gradus_model {
    char *method;
    size_t setting_count;
    gr_setting *settings; /* the recipe: every option that was effective in training */
    size_t features;
    size_t first_id;
    gr_names feature_names;                 /* count 0: features are numbered */
    gr_array feature_bytes, feature_starts; /* storage of feature_names, if owned */
    gr_fitted_transform transform;          /* transform NULL: none */
    size_t node_count;
    gr_node *nodes;
    gr_scorer scorer;
    size_t result_count;
    gr_result *results;    /* reported by the learner */
    double log_likelihood; /* NAN: not known */
    double *errors;        /* standard errors of features and thresholds; NULL: unknown */
    /* how it was trained */
    uint64_t rows, queries;     /* of the training data */
    uint64_t fingerprint;       /* of the training data: labels, queries, weights and values */
    uint64_t valid_fingerprint; /* 0: no validation data */
    char *metric, *convention;  /* of the curve; "": no curve */
    bool lower_is_better;
    size_t point_count;
    gr_point *points;
    uint64_t start_rounds; /* rounds of the model that training started from; 0: none */
    uint64_t rounds_done;  /* rounds trained; the model may keep fewer: the best */
    uint64_t best_round;   /* 0: no validation data */
    bool finished;         /* false: a checkpoint */
    /* A view has its own nodes and scorer; the rest belongs to another model, which outlives it. */
    bool is_view;
    void *mapping; /* the file, if sections are used in place */
    size_t mapping_size;
};

gradus_model *gr_model_new(gradus_error *err); /* empty; method, metric and convention are "" */
/* Replaces a text of a model (method, metric, convention) with a copy. */
gradus_status gr_model_set_text(char **text, const char *value, gradus_error *err);
/* Replaces the value if the setting exists. */
gradus_status gr_model_add_setting(gradus_model *model, const char *name, const char *value,
                                   gradus_error *err);
const char *gr_model_setting(const gradus_model *model, const char *name); /* NULL: none */
/* value: finite. */
gradus_status gr_model_add_result(gradus_model *model, const char *name, double value,
                                  gradus_error *err);
/* Takes over the state on success. */
gradus_status gr_model_add_node(gradus_model *model, const gr_node *node, gradus_error *err);
gradus_status gr_model_take_names(gradus_model *model, const gradus_dataset *data,
                                  gradus_error *err); /* copies feature names and numbering */
void gr_model_free(gradus_model *model);

/* The last forest of a model, the trees of model trees included; NULL: none. */
const gr_forest *gr_model_forest(const gradus_model *model);
/* The Gaussian kernels, if the core is a node of that kind; else NULL. */
const gr_gaussians *gr_model_gaussians(const gradus_model *model);
/* In uses.c; see gradus_model_max_uses and gradus_model_uses. */
size_t gr_model_max_uses(const gradus_model *model);
gradus_status gr_model_uses(const gradus_model *model, gradus_feature_use *uses, size_t *count,
                            gradus_error *err);
/* Rounds of the last node trained in rounds; 1 without such a node. */
size_t gr_model_rounds(const gradus_model *model);
/* The last linear node's equations; NULL: none. */
const gr_linear *gr_model_linear(const gradus_model *model);
/* The first node with a list of columns; NULL: none. */
const gr_node *gr_model_listed(const gradus_model *model);
/* Number of standard errors: one per feature of the equation and one per threshold. */
size_t gr_model_error_count(const gradus_model *model);
/* The model trees, if the core is a node of that kind; else NULL. */
const gr_m5 *gr_model_m5(const gradus_model *model);

/* The kernel machine, if the core is one; else NULL. */
const gr_machine *gr_model_machine(const gradus_model *model);

/* The learner state of a checkpoint; NULL: none. */
const gr_state *gr_model_state(const gradus_model *model);
/* The net, if the core is one; else NULL. */
const gr_net *gr_model_net(const gradus_model *model);
/* The last node's votes; NULL: none. */
const gr_votes *gr_model_votes(const gradus_model *model);

/* The node beneath calibrations and scored nodes: a learner's, or the one that combines an
 * ensemble's members. NULL: the model has no nodes. */
const gr_node *gr_model_core(const gradus_model *model);
/* Members of an ensemble, calibrated or not; 0: not an ensemble. */
size_t gr_model_members(const gradus_model *model);
/* A member (which must exist) as a view of the model: its nodes, scorer and method. For
 * descriptions only: the ensemble does not store how its members were trained. */
gradus_model *gr_model_member(const gradus_model *model, size_t member, gradus_error *err);
/* The weight of a member in a weighted sum; 1 / members in a rank fusion. */
double gr_member_weight(const gr_node *node, size_t member);
/* Calibrations applied to the model or ensemble as a whole, last one first; NULL past the end. */
const gr_calibration *gr_model_calibration_at(const gradus_model *model, size_t index);
/* The name of the last calibration; "": none. */
const char *gr_model_calibration(const gradus_model *model);
/* Per feature, its importance and the number of places that use it. For an ensemble, each member's
 * gains are normalised to sum to 1 and averaged with the absolute weights of the members; places
 * are summed. */
gradus_status gr_model_importance(const gradus_model *model, double *gains, uint64_t *places,
                                  gradus_error *err);

/* Checks that the parts of a model are consistent (the nodes check themselves), so that a written
 * file can be read back. */
gradus_status gr_model_check(const gradus_model *model, gradus_error *err);
/* The same for a scorer alone. */
gradus_status gr_model_check_scorer(const gr_scorer *scorer, gradus_error *err);

/* The model under another scoring rule (NULL: unchanged), truncated to its first `rounds` rounds
 * (0: all). */
gradus_model *gr_model_view(const gradus_model *model, const gr_score_choice *choice,
                            uint64_t rounds, const gradus_context *context, gradus_error *err);

/* The file format is specified in docs/formats/models.md. */
/* Size of the file in bytes. */
gradus_status gr_model_size(const gradus_model *model, uint64_t *size, gradus_error *err);
gradus_status gr_model_write(const gradus_model *model, const char *path, gradus_error *err);
gradus_model *gr_model_read(const char *path, gradus_error *err);
/* Reads from memory, which must outlive the model and be aligned to 64 bytes. name: for
 * messages. */
gradus_model *gr_model_parse(const void *bytes, size_t size, const char *name, gradus_error *err);
/* Whether a file starts like a model. */
bool gr_model_is_file(const char *path);

/* narrow.c: models and the few used columns of wide data. */
/* Adds the features that the nodes use. *known is false, and the set incomplete, if a node or a
 * transform has numbers for every feature. */
gradus_status gr_model_add_columns(const gradus_model *model, gr_used *columns, bool *known,
                                   gradus_error *err);
/* A view of the model for rows with these columns alone, which include all that it uses. The
 * columns must outlive it. */
gradus_model *gr_model_narrowed(const gradus_model *model, const gr_used *columns,
                                gradus_error *err);
/* The reverse, for a model trained on these columns, in place: nodes get the feature numbers of the
 * wide data, or a list of the columns. */
gradus_status gr_model_widen(gradus_model *model, const gr_used *columns, gradus_error *err);

/* Checks that data can be scored: too few features are an error; extra features are ignored, with a
 * note. */
gradus_status gr_model_fits(const gradus_model *model, const gradus_dataset *data,
                            const gradus_context *context, gradus_error *err);
/* scores: one per row; probabilities: rows x levels; NULL: not requested. Fails with
 * GRADUS_BAD_NUMBER if a result is not finite, as the functions below do. */
gradus_status gr_model_run(const gradus_model *model, const gradus_dataset *data,
                           const gradus_context *context, double *scores, double *probabilities,
                           gradus_error *err);
/* The same for dense rows, on the calling thread. The rows form one query. */
gradus_status gr_model_run_rows(const gradus_model *model, const float *values, size_t rows,
                                size_t stride, double *scores, double *probabilities,
                                gradus_error *err);
/* The predicted grade of each row; fails for models without grades. */
gradus_status gr_model_grades(const gradus_model *model, const gradus_dataset *data,
                              const gradus_context *context, double *grades, gradus_error *err);
/* The outputs of the last node: outputs x rows. */
gradus_status gr_model_outputs(const gradus_model *model, const gradus_dataset *data,
                               const gradus_context *context, double *outputs, gradus_error *err);

#endif
