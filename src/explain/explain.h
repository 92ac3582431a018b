/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations: what each feature contributes to the score, or an output, of rows.
 *
 * explain.c chooses what is explained and how. A target that is a weighted sum of trees, linear
 * models and functions of single features (additive.h) is explained exactly: against the training
 * mean by shap_path.c, against rows by shap_against.c. Any other target (a net, a model tree, a
 * calibrated score, an expected grade) is explained by shap_sample.c, against rows in either case.
 * explain_run.c processes rows in chunks, in parallel. Every row is processed by one thread, so
 * that results do not depend on their number. */
#ifndef GR_EXPLAIN_EXPLAIN_H
#define GR_EXPLAIN_EXPLAIN_H

#include "base/param.h"
#include "explain/additive.h"
#include "explain/explain_rows.h"
#include "explain/shap_against.h"
#include "explain/shap_path.h"
#include "explain/shap_sample.h"

/* explain_options.c */
typedef struct gr_explain_options {
    const char *against; /* "mean", "query" or a document */
    const char *output;  /* "score", "all" or a number from 1 */
    uint64_t orders;     /* pairs of orders per row, if sampled */
    uint64_t background; /* rows that stand for the mean, if sampled */
    uint64_t seed;
} gr_explain_options;

extern const gr_operation gr_operation_explain;

typedef enum gr_explain_against {
    GR_AGAINST_MEAN,
    GR_AGAINST_QUERY,
    GR_AGAINST_ROW
} gr_explain_against;

struct gradus_explanation {
    gr_arena arena;
    gr_explain_against against;
    bool zero_means; /* gradus_explanation_info */
    bool exact;
    size_t rows, targets, used;
    size_t *row;            /* of the dataset */
    size_t *features;       /* used, ascending */
    char **names;           /* of the targets */
    double *values, *bases; /* [row][target] */
    double *contributions;  /* [row][target][used] */
    double *errors;         /* the same; NULL: exact */
    float *inputs;          /* [row][used], before transforms */
    float *references;      /* [row][used]: the reference's, or their means; NULL: training mean */
    size_t *reference_row;  /* [row]: of the dataset; NULL unless one row is the reference */
};

/* A node of the model that contributes, and what explains it. */
typedef struct gr_explain_part {
    size_t node;
    uint32_t *slots;      /* per feature of the node: its position among the used features */
    gr_shap_forest *shap; /* of a forest, against the training mean; else NULL */
} gr_explain_part;

/* The plan of explanations. A run works on a copy with its own data, results and background. */
typedef struct gr_explain_plan {
    gr_arena arena; /* of what runs share */
    const gradus_context *context;
    const gradus_model *model; /* with the columns of `data` */
    const gradus_dataset *data;
    gr_explain_options options;
    gr_explain_target *targets;
    size_t columns;  /* outputs of all nodes */
    double *weights; /* [target][column] */
    double *means;   /* [target]: bases against the training mean */
    uint32_t *used;  /* features of the model */
    gr_explain_part *parts;
    size_t part_count;
    gr_explain_rows background; /* for sampling against the mean */
    double *background_values;  /* [target]: means over the background */
    gradus_explanation *to;
} gr_explain_plan;

struct gradus_explainer {
    gr_explain_plan plan;
    gradus_explanation *shape; /* an explanation without rows */
    gradus_options *options;   /* a copy: the texts of plan.options */
};

/* explain.c */
/* See gradus_explainer_new and gradus_explainer_run. */
gradus_explainer *gr_explainer_new(const gradus_model *model, const gradus_options *options,
                                   gradus_error *err);
gradus_explanation *gr_explainer_run(const gradus_explainer *explainer,
                                     const gradus_context *context, const gradus_dataset *data,
                                     const size_t *rows, size_t count, gradus_error *err);
void gr_explainer_free(gradus_explainer *explainer);
/* rows NULL: all rows. See gradus_explain. */
gradus_explanation *gr_explain(const gradus_context *context, const gradus_model *model,
                               const gradus_dataset *data, const size_t *rows, size_t count,
                               const gradus_options *options, gradus_error *err);
void gr_explanation_free(gradus_explanation *explanation);
/* See gradus_dataset_find_query and gradus_dataset_find_document. */
gradus_status gr_find_query(const gradus_dataset *data, const char *word, size_t *query,
                            gradus_error *err);
gradus_status gr_find_document(const gradus_dataset *data, size_t query, const char *word,
                               size_t *row, gradus_error *err);

/* explain_run.c */
/* Fills in everything that depends on rows. */
gradus_status gr_explain_rows_all(gr_explain_plan *plan, gradus_error *err);
/* Chooses the background rows and evaluates them. */
gradus_status gr_explain_background(gr_explain_plan *plan, gradus_error *err);

#endif
