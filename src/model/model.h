/* SPDX-License-Identifier: Apache-2.0 */
/* A trained ranker: the settings it was trained with, the graph of nodes that turns rows into
 * outputs, and the scorer that turns outputs into scores. Immutable once built, so any number of
 * threads may use it.
 *
 * Each node uses only earlier nodes; the scorer takes the outputs of the last one.
 */
#ifndef GR_MODEL_MODEL_H
#define GR_MODEL_MODEL_H

#include "base/names.h"
#include "model/node.h"
#include "scoring/scoring.h"

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
    bool distilled;        /* its labels were scores of another model */
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

/* The state of the last node of a kind; NULL: none. */
const void *gr_model_last(const gradus_model *model, const gr_node_kind *kind);
/* Rounds of the last node trained in rounds; 1 without such a node. */
size_t gr_model_rounds(const gradus_model *model);
/* Number of features of a node that takes rows. */
size_t gr_node_features(const gradus_model *model, const gr_node *node);
/* The first node with a list of columns; NULL: none. */
const gr_node *gr_model_listed(const gradus_model *model);
/* Number of standard errors: one per feature of the equation and one per threshold. */
size_t gr_model_error_count(const gradus_model *model);

#endif
