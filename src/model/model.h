/* SPDX-License-Identifier: Apache-2.0 */
/* A trained ranker: what it was made from and with, and the graph of nodes that turns rows into
 * outputs and outputs into scores. Never changed once made; any number of threads may use it.
 *
 * Nodes stand in an order in which each uses only earlier ones. A node takes the rows, or the
 * outputs of the nodes it lists, and gives columns of numbers; the scorer takes those of the last
 * node. */
#ifndef GR_MODEL_MODEL_H
#define GR_MODEL_MODEL_H

#include "base/names.h"
#include "calibration/calibration.h"
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

/* Rows to run a node on, and what earlier nodes made of them. */
typedef struct gr_batch {
    const float *values; /* dense rows, transformed; NULL: sparse ones */
    size_t rows, stride;
    const gradus_arrays *sparse; /* rows first, first + 1, ... of them; only kinds that take them */
    size_t first;
    /* Of kinds that see queries: rows query_starts[q] - query_starts[0] on are those of query q. */
    const uint64_t *query_starts; /* queries + 1 */
    size_t queries;
    const double *const *inputs; /* of each node it lists: columns x rows, column c at [c * rows] */
    void *scratch;               /* as many bytes as its kind asked for, aligned to 64 */
} gr_batch;

/* Row r of a sparse batch. */
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

/* What nodes of a kind can do; to add a kind: a file and a row in kinds.def. */
typedef struct gr_node_kind {
    gr_about about;   /* the name is the one in model files */
    const char *noun; /* what it is, in messages, of kinds that take rows; NULL: it takes nodes */
    size_t (*columns)(const void *state);
    /* Columns that it takes of each node it lists; NULL: it takes rows, and lists none. */
    size_t (*takes)(const void *state);
    size_t (*members)(const void *state); /* nodes that it lists; NULL: one */
    bool by_query; /* it sees queries, which must be whole; rows that are scored alone are one */
    size_t (*scratch)(const void *state, size_t rows);
    void (*apply)(const void *state, const gr_batch *batch, double *out);
    bool (*takes_sparse)(const void *state); /* rows need not be made dense; NULL: they must */
    /* Writes its facts (JSON members) and its sections. */
    gradus_status (*write)(const void *state, gr_model_writer *writer, gradus_error *err);
    /* Checks everything: what it accepts can be applied to any rows of `features` features. */
    gradus_status (*read)(gr_model_reader *reader, size_t features, void **state,
                          gradus_error *err);
    void (*free)(void *state);
    /* Of kinds that are made by rounds: how many there are, and the first of them (no more than
     * there are) as a state that leaves the arrays where they are. NULL: fitted at once. */
    size_t (*rounds)(const void *state);
    gradus_status (*first)(const void *state, size_t rounds, gr_node *node, gradus_error *err);
    /* What each feature counts for, and in how many places; either may be NULL. NULL: unknown. */
    void (*importance)(const void *state, double *sizes, uint64_t *places);
    /* The same, one entry per place that uses a feature, with .splits 1 or the places it stands for;
     * how many entries. uses NULL: only how many at most. NULL: as many as features, by importance,
     * of kinds that store something of each feature. */
    size_t (*uses)(const void *state, gradus_feature_use *uses);
} gr_node_kind;

#define GR_NODE_KIND(name) extern const gr_node_kind gr_node_##name;
#include "model/kinds.def"
#undef GR_NODE_KIND

enum { GR_NODE_INPUTS = 256 };

struct gr_node {
    const gr_node_kind *kind;
    void *state;
    size_t inputs[GR_NODE_INPUTS]; /* earlier nodes; none: the rows */
    size_t input_count;
    size_t column; /* of its first output, among those of all nodes; set when it is added */
    bool borrowed; /* the state is another model's, which outlives this one */
};

/* How many nodes it lists. */
size_t gr_node_inputs(const gr_node *node);

/* The state of a forest node. */
typedef struct gr_forest_node {
    gr_forest forest;
    gr_compiled *compiled;
} gr_forest_node;
/* Takes over the forest, which is empty afterwards, and compiles it. */
gradus_status gr_forest_node_new(gr_forest *forest, gr_node *node, gradus_error *err);

/* The state of a linear node is a gr_linear; it is taken over, and empty afterwards. */
gradus_status gr_linear_node_new(gr_linear *linear, gr_node *node, gradus_error *err);
/* The state of a kernel node is a gr_machine; it is taken over, and empty afterwards. */
gradus_status gr_kernel_node_new(gr_machine *machine, gr_node *node, gradus_error *err);
/* The state of a net node is a gr_net; it is taken over, and empty afterwards. */
gradus_status gr_net_node_new(gr_net *net, gr_node *node, gradus_error *err);
/* The state of a node of votes is a gr_votes; it is taken over, and empty afterwards. */
gradus_status gr_votes_node_new(gr_votes *votes, gr_node *node, gradus_error *err);
/* A node that scores the outputs of another: a column for each grade with its probability, or one
 * with the score if there are none. The scorer is copied. method: of the model that was scored so,
 * if that is a member of an ensemble; else NULL. */
gradus_status gr_scored_node_new(const gr_scorer *scorer, bool probabilities, const char *method,
                                 gr_node *node, gradus_error *err);
/* Of a node of that kind; else, and if there is none, NULL. */
const gr_scorer *gr_scored_node_scorer(const gr_node *node);
const char *gr_scored_node_method(const gr_node *node);
/* The state of a node of calibration is a gr_calibration; it is taken over, and empty afterwards.
 */
gradus_status gr_calibration_node_new(gr_calibration *calibration, gr_node *node,
                                      gradus_error *err);
/* A node that adds up columns of the nodes it lists, each times its weight. */
typedef struct gr_mix {
    size_t members, columns;
    double *weights;
    bool own;
} gr_mix;
gradus_status gr_mix_node_new(const double *weights, size_t members, size_t columns, gr_node *node,
                              gradus_error *err);
/* A node that fuses the orders of the nodes it lists, query by query. */
typedef struct gr_fusion {
    size_t members;
    bool reciprocal; /* mean of 1 / (constant + place); else the mean share of rows below (Borda) */
    double constant;
} gr_fusion;
gradus_status gr_fusion_node_new(const gr_fusion *fusion, gr_node *node, gradus_error *err);
/* The state of a node of model trees: their outputs, averaged over the rounds. */
typedef struct gr_m5_node {
    gr_m5 m5;
} gr_m5_node;
/* Takes over the trees, which are empty afterwards. */
gradus_status gr_m5_node_new(gr_m5 *m5, gr_node *node, gradus_error *err);

/* The state of a hash node; it is taken over, and empty afterwards. */
gradus_status gr_hash_node_new(gr_hashed *hashed, gr_node *node, gradus_error *err);
/* The state of a state node. */
typedef struct gr_state {
    size_t count;
    double *at;
} gr_state;
/* Zeros, for the caller to fill. */
gradus_status gr_state_node_new(size_t count, double **at, gr_node *node, gradus_error *err);

/* One point of a learning curve; NAN where the metric was not taken. */
typedef struct gr_point {
    uint64_t round;
    double train, valid;
} gr_point;

/* A number that tells of the fit: "duality gap", 0.003. */
typedef struct gr_result {
    char *name;
    double value;
} gr_result;

typedef struct gr_setting {
    char *name, *value;
} gr_setting;

/* What statisticians ask of a fit by maximum likelihood. */
typedef struct gr_fit_facts {
    double log_likelihood; /* NAN: not known */
    const double *errors;  /* standard errors: of features, then of thresholds; NULL: none */
    size_t error_count;
} gr_fit_facts;

struct gradus_model {
    char *method;
    size_t setting_count;
    gr_setting *settings; /* the recipe: every option of "train" that was in force */
    size_t features;
    size_t first_id;
    gr_names feature_names;                 /* count 0: by number */
    gr_array feature_bytes, feature_starts; /* what feature_names points to, if ours */
    gr_fitted_transform transform;          /* transform NULL: none */
    size_t node_count;
    gr_node *nodes;
    gr_scorer scorer;
    size_t result_count;
    gr_result *results;    /* what the learner tells of its fit */
    double log_likelihood; /* NAN: not known */
    double *errors;        /* of features and thresholds; NULL: not known */
    /* how it was trained */
    uint64_t rows, queries;     /* of the training data */
    uint64_t fingerprint;       /* of the training data: labels, queries, weights and values */
    uint64_t valid_fingerprint; /* 0: no validation data */
    char *metric, *convention;  /* of the curve; "" if there is none */
    bool lower_is_better;
    size_t point_count;
    gr_point *points;
    uint64_t start_rounds; /* rounds of the model that training started from; 0: none */
    uint64_t rounds_done;  /* rounds trained; the forest may keep fewer: the best */
    uint64_t best_round;   /* 0: none, there was no validation data */
    bool finished;         /* false: a checkpoint */
    /* A view has nodes and a scorer of its own; the rest is another model's, which outlives it. */
    bool is_view;
    void *mapping; /* the file, if sections are used in place */
    size_t mapping_size;
};

gradus_model *gr_model_new(gradus_error *err); /* empty; method, metric and convention are "" */
/* Replaces a text of a model (method, metric, convention) by a copy. */
gradus_status gr_model_set_text(char **text, const char *value, gradus_error *err);
/* A setting that is there already gets the new value. */
gradus_status gr_model_add_setting(gradus_model *model, const char *name, const char *value,
                                   gradus_error *err);
const char *gr_model_setting(const gradus_model *model, const char *name); /* NULL: none */
/* value: finite. */
gradus_status gr_model_add_result(gradus_model *model, const char *name, double value,
                                  gradus_error *err);
/* Takes the state over if it succeeds. */
gradus_status gr_model_add_node(gradus_model *model, const gr_node *node, gradus_error *err);
gradus_status
gr_model_take_names(gradus_model *model, const gradus_dataset *data,
                    gradus_error *err); /* copies the names and the numbering of features */
void gr_model_free(gradus_model *model);

/* The forest of a model that has one (its last), else NULL. That of model trees has their splits.
 */
const gr_forest *gr_model_forest(const gradus_model *model);
/* The kernels of a model whose core is of that kind, else NULL. */
const gr_gaussians *gr_model_gaussians(const gradus_model *model);
/* Of uses.c; as gradus_model_most_uses and gradus_model_uses. */
size_t gr_model_most_uses(const gradus_model *model);
gradus_status gr_model_uses(const gradus_model *model, gradus_feature_use *uses, size_t *count,
                            gradus_error *err);
/* Rounds that a model was made by; 1 for what was fitted at once. */
size_t gr_model_rounds(const gradus_model *model);
/* The equations of a model that has some (its last), else NULL. */
const gr_linear *gr_model_linear(const gradus_model *model);
/* The model trees of a model whose core is of that kind, else NULL. */
const gr_m5 *gr_model_m5(const gradus_model *model);

/* The kernel machine of a model whose core is one, else NULL. */
const gr_machine *gr_model_machine(const gradus_model *model);

/* What a checkpoint keeps beside its model; NULL: nothing. */
const gr_state *gr_model_state(const gradus_model *model);
/* The net of a model whose core is one, else NULL. */
const gr_net *gr_model_net(const gradus_model *model);
/* The votes of a model that has some (its last), else NULL. */
const gr_votes *gr_model_votes(const gradus_model *model);

/* The node beneath calibrations and scored nodes: a learner's, or the one that combines the members
 * of an ensemble. NULL: there are no nodes. */
const gr_node *gr_model_core(const gradus_model *model);
/* Members of an ensemble, calibrated or not; 0: it is not one. */
size_t gr_model_members(const gradus_model *model);
/* A member (which must exist) as a view of the model: its nodes, scorer and method. For
 * descriptions: what is known of its training is not in the ensemble. */
gradus_model *gr_model_member(const gradus_model *model, size_t member, gradus_error *err);
/* What a node that combines members multiplies one with; 1 / members where ranks are fused. */
double gr_member_weight(const gr_node *node, size_t member);
/* Calibrations of a model or an ensemble as a whole, the last one first; NULL past them. */
const gr_calibration *gr_model_calibration_at(const gradus_model *model, size_t index);
/* The name of the last, "" if there is none. */
const char *gr_model_calibration(const gradus_model *model);
/* What each feature counts for, and in how many places. Of an ensemble the gains of a member are
 * divided by their sum, and averaged with the absolute weights of members; places are summed. */
gradus_status gr_model_importance(const gradus_model *model, double *gains, uint64_t *places,
                                  gradus_error *err);

/* Whether the parts of a model fit together, all but the inside of nodes: what is written can be
 * read again. */
gradus_status gr_model_check(const gradus_model *model, gradus_error *err);
/* The same for a scorer alone. */
gradus_status gr_model_check_scorer(const gr_scorer *scorer, gradus_error *err);

/* The model scored as chosen (NULL: as it is) and of the first rounds only (0: all). */
gradus_model *gr_model_view(const gradus_model *model, const gr_score_choice *choice,
                            uint64_t rounds, const gradus_context *context, gradus_error *err);

/* The file: docs/formats/models.md. */
/* Bytes that its file has. */
gradus_status gr_model_size(const gradus_model *model, uint64_t *size, gradus_error *err);
gradus_status gr_model_write(const gradus_model *model, const char *path, gradus_error *err);
gradus_model *gr_model_read(const char *path, gradus_error *err);
/* The same over bytes, which must outlive the model (aligned to 64); name is for messages. */
gradus_model *gr_model_parse(const void *bytes, size_t size, const char *name, gradus_error *err);
/* Whether a file begins like a model. */
bool gr_model_is_file(const char *path);

/* Checks that rows of data can be scored: fewer features than the model has are an error that says
 * so, more are noted once. */
gradus_status gr_model_fits(const gradus_model *model, const gradus_dataset *data,
                            const gradus_context *context, gradus_error *err);
/* scores: one a row, NULL: not wanted; probabilities: rows x levels, NULL: not wanted. */
gradus_status gr_model_run(const gradus_model *model, const gradus_dataset *data,
                           const gradus_context *context, double *scores, double *probabilities,
                           gradus_error *err);
/* The same for dense rows of the caller's, on the caller's thread. The rows are one query. */
gradus_status gr_model_run_rows(const gradus_model *model, const float *values, size_t rows,
                                size_t stride, double *scores, double *probabilities,
                                gradus_error *err);
/* The predicted grade of each row, for models that know grades; else an error. */
gradus_status gr_model_grades(const gradus_model *model, const gradus_dataset *data,
                              const gradus_context *context, double *grades, gradus_error *err);
/* Outputs of the last node: outputs x rows. */
gradus_status gr_model_outputs(const gradus_model *model, const gradus_dataset *data,
                               const gradus_context *context, double *outputs, gradus_error *err);
/* Fails with GRADUS_BAD_NUMBER if a score is not finite. */

#endif
