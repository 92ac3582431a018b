/* SPDX-License-Identifier: Apache-2.0 */
/* gradus/inspection.h - what a model consists of.
 * A part of gradus.h, which has the conventions; include that. */
#ifndef GRADUS_INSPECTION_H
#define GRADUS_INSPECTION_H
#include "gradus/models.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Model inspection: size, options, learning curve, importance, equations, trees ----
 *
 * Example: what it consists of, the learning curve, and the gain of each feature that is used.
 *
 *     gradus_model_fact fact;
 *     double at_train, at_valid;
 *     size_t round, used;
 *     gradus_feature_use *uses = malloc(gradus_model_max_uses(model) * sizeof *uses);
 *
 *     for (size_t i = 0; gradus_model_fact_at(model, i, &fact); i++)
 *         if (fact.type == GRADUS_FACT_COUNT && fact.number > 0)
 *             printf("%s: %.0f\n", fact.name, fact.number);
 *     for (size_t i = 0; gradus_model_curve_at(model, i, &round, &at_train, &at_valid); i++)
 *         printf("round %zu: %.4f\n", round, at_train);
 *     if (!uses || gradus_model_uses(model, uses, &used, &err) != GRADUS_OK)
 *         return 1;
 *     for (size_t i = 0; i < used; i++)
 *         printf("feature %zu: gain %g\n", uses[i].feature + gradus_model_first_id(model),
 *                uses[i].gain);
 *     free(uses);
 */

/* What is known of every model. */
typedef struct gradus_model_info {
    const char *method;
    size_t features, outputs;
    size_t rounds;              /* of an ensemble: the maximum over its members */
    bool has_rounds;            /* trained in rounds; false: rounds is 1 */
    size_t grades;              /* 0: the method does not model grades */
    const double *grade_values; /* ascending */
    bool probabilities;         /* gradus_model_probabilities is available */
    const char *scoring;        /* how outputs are turned into a score: "expected-grade" */
    size_t train_rows, train_queries;
    const char *metric, *convention; /* of the learning curve; "": no curve */
    bool lower_is_better;
    size_t rounds_done, best_round; /* best_round 0: no validation data */
    bool validated;                 /* trained with validation data */
    size_t start_rounds;            /* rounds of the warm-start model; 0: none */
    bool finished;                  /* false: a checkpoint */
    bool distilled;                 /* its labels were scores of another model: gradus_distil */
    double log_likelihood;          /* NAN: not fitted by maximum likelihood */
    const double *thresholds;       /* grades - 1, on the output; NULL: none */
    const char *calibration;        /* the calibration applied last; "": none */
    size_t members;                 /* of an ensemble; 0: not one */
    /* Of members: "weighted-sum", "standardized", "borda" or "reciprocal-rank"; else "". */
    const char *combination;
    bool importance;                    /* gradus_model_importance ranks the features */
    const char *gain_name, *count_name; /* of the numbers it fills in: "gain", "splits" */
} gradus_model_info;

/* Describes a model. Strings and arrays belong to the model. */
GRADUS_API void gradus_model_describe(const gradus_model *model, gradus_model_info *info);

typedef enum gradus_fact_type {
    GRADUS_FACT_COUNT,  /* number: a whole number */
    GRADUS_FACT_NUMBER, /* number */
    GRADUS_FACT_FLAG,   /* number: 0 or 1 */
    GRADUS_FACT_TEXT,   /* text */
    GRADUS_FACT_LINE    /* text: a line of a description, see gradus_model_fact_at */
} gradus_fact_type;

/* Something that only some kinds of models have. */
typedef struct gradus_model_fact {
    const char *name; /* "leaves" */
    gradus_fact_type type;
    double number;          /* 0 for texts and lines */
    const char *text;       /* "" for counts, numbers and flags */
    const char *one, *many; /* what a count counts: "leaf", "leaves"; NULL: no noun */
} gradus_model_fact;

/* Gets fact `index` of a model. The strings belong to the model. Returns false past the last.
 *
 * Every model has these counts, in this order, 0 for what it does not consist of, and in an
 * ensemble the sum over the members:
 *   trees, leaves            trees and all their leaves
 *   equations                of a linear model, one per output
 *   kernels                  of a sum of Gaussian kernels of single features
 *   support_rows             of kernel machines
 *   voters, voter_splits     of AdaBoost.MH: base classifiers, one per round, and their splits
 *   units, weights           of neural networks: hidden units and weights; of hashed features:
 *                            weights
 * Others follow, of a model that is not an ensemble, or of how an ensemble combines its members:
 *   kernel.name, kernel.bandwidth, kernel.degree, kernel.coef0, kernel.support_rows, kernel.sparse
 *                            of a kernel machine; name: "gaussian", "polynomial" or "linear"
 *   products                 of AdaBoost.MH: base classifiers are products of stumps, not trees
 *   activation               of a neural network: "tanh" or "relu"
 *   rank_constant            of an ensemble that combines ranks; used by reciprocal-rank only
 *   size, kernel, ensemble   lines that describe the size, the kernel and how members are combined.
 *                            In their texts {name} stands for the fact with that name, followed
 *                            by its noun if it has one
 * Later versions may add facts and counts; the names and types of these stay the same. */
GRADUS_API bool gradus_model_fact_at(const gradus_model *model, size_t index,
                                     gradus_model_fact *fact);
/* Finds a fact by its name. Returns false if the model has none of that name. */
GRADUS_API bool gradus_model_fact_find(const gradus_model *model, const char *name,
                                       gradus_model_fact *fact);

/* Returns member `index` of an ensemble as a model, for inspection with the functions of this
 * section; the ensemble must outlive it. If the file does not record the member's method, the
 * method is the kind of learner ("forest", "linear", ...). *weight (may be NULL): the factor on its
 * scores or probabilities; 1 / members if ranks are combined. NULL if there is no such member. */
GRADUS_API gradus_model *gradus_model_member(const gradus_model *model, size_t index,
                                             double *weight, gradus_error *err);
/* A fitted parameter of a calibration of the model's outputs. */
typedef struct gradus_calibration_parameter {
    const char *method; /* "platt" */
    const char *name;   /* "a" */
    size_t output;      /* the output it applies to, from 1; 0: all outputs */
    double value;
} gradus_calibration_parameter;
/* Gets parameter `index` of a calibration; calibration 0 is the one applied last. Returns false
 * past its last parameter; every calibration has at least one. For isotonic, network and
 * gaussian-process the parameters reported are sizes. */
GRADUS_API bool gradus_model_calibration_at(const gradus_model *model, size_t calibration,
                                            size_t index, gradus_calibration_parameter *out);
/* Gets option `index` of those that the model was trained with (operation "train"). The strings
 * belong to the model. Returns false past the last. */
GRADUS_API bool gradus_model_option_at(const gradus_model *model, size_t index, const char **name,
                                       const char **value);
/* Gets point `index` of the learning curve. Values that were not evaluated are NAN; valid may be
 * NULL. Returns false past the last point. */
GRADUS_API bool gradus_model_curve_at(const gradus_model *model, size_t index, size_t *round,
                                      double *train, double *valid);
/* Gets number `index` of those that the learner reports about its fit ("objective", "duality gap").
 * Returns false past the last. */
GRADUS_API bool gradus_model_result_at(const gradus_model *model, size_t index, const char **name,
                                       double *value);
/* Returns the name of a feature; "" if features have no names and are identified by their id:
 * feature + gradus_model_first_id. */
GRADUS_API const char *gradus_model_feature_name(const gradus_model *model, size_t feature);
/* Returns the id of the first feature in the training data: 0 or 1. */
GRADUS_API size_t gradus_model_first_id(const gradus_model *model);
/* Fills the importance of each feature (gradus_model_info.features): gains and splits, either of
 * which may be NULL. Trees: the total gain of the feature's splits; their number. Linear models:
 * |coefficient| times the feature's standard deviation in the training data, summed over outputs;
 * the number of outputs whose equation contains it. Neural networks: |product of the weights|
 * summed over the paths from feature to score; the number of paths. Sums of kernels: 0. Ensembles:
 * the members' gains, each normalised to sum to 1, averaged in proportion to the members' absolute
 * weights (members whose gains are all 0 are left out); the sum of splits. */
GRADUS_API gradus_status gradus_model_importance(const gradus_model *model, double *gains,
                                                 uint64_t *splits, gradus_error *err);

/* A feature that a model uses, with its importance as in gradus_model_importance. */
typedef struct gradus_feature_use {
    size_t feature;
    double gain;
    uint64_t splits;
} gradus_feature_use;

/* Returns the length of the array that gradus_model_uses needs. It depends on what the model
 * stores, not on the number of training features, which may be far larger. */
GRADUS_API size_t gradus_model_max_uses(const gradus_model *model);
/* Fills uses with the features that have at least one split, ascending; *count: their number.
 * Hashed features are listed only if there are at most 64 per weight. */
GRADUS_API gradus_status gradus_model_uses(const gradus_model *model, gradus_feature_use *uses,
                                           size_t *count, gradus_error *err);

/* Returns the features, ascending, that a model trained on a few of many features has numbers for,
 * and their count; NULL for other models and for ensembles. With such a list, item i of the arrays
 * of gradus_model_equation and gradus_model_errors, and feature i of gradus_leaf_model, is the
 * feature at position i of the list, and all other features have no effect. */
GRADUS_API const uint32_t *gradus_model_columns(const gradus_model *model, size_t *count);

/* Gets an equation of a linear model: output `output` is the intercept plus the sum over f of
 * coefficients[f] times feature f (transformed, if the model has a transform). Missing and
 * non-finite values are replaced by means[f]. spreads: standard deviations in the training data.
 * The arrays belong to the model; any pointer may be NULL. Returns false if there is no such
 * equation. */
GRADUS_API bool gradus_model_equation(const gradus_model *model, size_t output, double *intercept,
                                      const double **coefficients, const double **means,
                                      const double **spreads);

/* Gets the standard errors of a linear model fitted by maximum likelihood: those of the
 * coefficients (0: not in the equation) and of the thresholds. The arrays belong to the model;
 * either pointer may be NULL. Returns false if the model has none. */
GRADUS_API bool gradus_model_errors(const gradus_model *model, const double **coefficients,
                                    const double **thresholds);
/* Sets *cost to the cost, implied by orboost's loss, of ranking a document of grade `high` below
 * one of grade `low` (grades numbered from 0, low < high). Returns false for other models or
 * grades. */
GRADUS_API bool gradus_model_implied_cost(const gradus_model *model, size_t low, size_t high,
                                          double *cost);

/* A node of a tree: go left if value < threshold, or if the value is missing and missing_left. */
typedef struct gradus_tree_node {
    bool is_leaf;
    size_t feature;
    float threshold;
    size_t left, right; /* node numbers of the children */
    bool missing_left;
    double gain;
    double value;       /* of a leaf */
    size_t rows;        /* training rows that reach it; 0: unknown */
    const float *votes; /* of an AdaBoost.MH leaf, in place of value: one per grade; else NULL */
} gradus_tree_node;

/* Gets a node of a tree. Trees are numbered round by round, one per output; node 0 is the root.
 * With AdaBoost.MH each round is one tree. A product of stumps is a chain: both children of a stump
 * are the next one, and the final leaf holds the votes, negated for rows that are below the
 * threshold of an odd number of stumps. Returns false if there is no such tree or node. */
GRADUS_API bool gradus_model_tree_at(const gradus_model *model, size_t tree, size_t node,
                                     gradus_tree_node *out);

/* The linear model in a leaf of a model tree: intercept plus the sum over i < terms of factors[i]
 * times feature features[i]. (The node's `value` is the mean target of its training rows.) The
 * arrays belong to the model. */
typedef struct gradus_leaf_model {
    double intercept;
    size_t terms;
    const uint32_t *features;
    const double *factors;
    const double *means; /* one per feature, replacing missing values */
} gradus_leaf_model;

/* Gets the linear model in a leaf of a model tree. Returns false if the node is not a leaf, or if
 * leaves are constant. */
GRADUS_API bool gradus_model_leaf_at(const gradus_model *model, size_t tree, size_t node,
                                     gradus_leaf_model *out);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_INSPECTION_H */
