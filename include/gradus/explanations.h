/* SPDX-License-Identifier: Apache-2.0 */
/* gradus/explanations.h - what each feature contributes to a score.
 * A part of gradus.h, which has the conventions; include that. */
#ifndef GRADUS_EXPLANATIONS_H
#define GRADUS_EXPLANATIONS_H
#include "gradus/models.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Explanations: what each feature contributes to a score ----
 *
 * Example: why does the first document have its score, compared with the rest of its query?
 *
 *     gradus_options *question = gradus_options_new("explain", &err);
 *     gradus_contributions reasons;
 *     const size_t asked = 0; // the row
 *
 *     if (gradus_options_set(question, "against", "query", &err) != GRADUS_OK)
 *         return 1;
 *     gradus_explanation *explanation =
 *         gradus_explain(context, model, test, &asked, 1, question, &err);
 *     if (!explanation || !gradus_explanation_at(explanation, 0, 0, &reasons))
 *         return 1;
 *     printf("score %g, mean of the others %g\n", reasons.value, reasons.base);
 *     for (size_t i = 0; i < reasons.count; i++)
 *         if (reasons.contributions[i] != 0.0)
 *             printf("feature %zu = %g: %+g\n",
 *                    reasons.features[i] + gradus_dataset_first_id(test),
 *                    (double)reasons.values[i], reasons.contributions[i]);
 *     gradus_explanation_free(explanation);
 *     gradus_options_free(question);
 */

typedef struct gradus_explanation gradus_explanation;

/* Explains `count` rows of data by Shapley values: the contributions of the features to a row add up
 * to the difference between its value and that of a reference. rows NULL: all rows. options:
 * operation "explain", or NULL: the score, against the mean of the training rows.
 * Sums of trees and linear models, and ensembles of them, are explained exactly. Any other score is
 * explained by sampling, exactly if few features differ; then the mean is that of random rows of
 * data. GRADUS_BAD_ARGUMENT if the mean is requested of a model without the training rows of its
 * leaves, and for ensembles that combine ranks or standardised scores. GRADUS_BAD_NUMBER if the
 * contributions of a row do not add up to within 1e-9, relative to their size. */
GRADUS_API gradus_explanation *gradus_explain(gradus_context *context, const gradus_model *model,
                                              const gradus_dataset *data, const size_t *rows,
                                              size_t count, const gradus_options *options,
                                              gradus_error *err);
/* A model prepared for many explanations: gradus_explain prepares it in each call. */
typedef struct gradus_explainer gradus_explainer;
/* Prepares explanations with these options, as for gradus_explain. The model must outlive the
 * explainer, which any number of threads may use. */
GRADUS_API gradus_explainer *gradus_explainer_new(const gradus_model *model,
                                                  const gradus_options *options, gradus_error *err);
/* Explains rows of data, as gradus_explain does. */
GRADUS_API gradus_explanation *gradus_explainer_run(const gradus_explainer *explainer,
                                                    gradus_context *context,
                                                    const gradus_dataset *data, const size_t *rows,
                                                    size_t count, gradus_error *err);
/* Frees an explainer; its explanations stay valid. */
GRADUS_API void gradus_explainer_free(gradus_explainer *explainer);
/* Frees an explanation and its arrays. */
GRADUS_API void gradus_explanation_free(gradus_explanation *explanation);

typedef struct gradus_explanation_info {
    size_t rows;         /* explained */
    size_t targets;      /* what is explained of each row: 1, or all outputs */
    const char *against; /* "mean", "query" or "document" */
    bool exact;          /* false: sampled, with standard errors */
    bool zero_means;     /* against "mean", but a linear part of the model stores no means of its
                            features: in its place they are 0, after the transform */
} gradus_explanation_info;

/* Describes an explanation. */
GRADUS_API void gradus_explanation_describe(const gradus_explanation *explanation,
                                            gradus_explanation_info *info);
/* Returns what is explained: "score" or "output 2 (grade 1)"; "" past the last target. */
GRADUS_API const char *gradus_explanation_target(const gradus_explanation *explanation,
                                                 size_t target);

/* The contributions to one target of one row: value is base plus their sum. Arrays have one item per
 * feature that the model uses. */
typedef struct gradus_contributions {
    size_t row;                  /* of data */
    double value, base;          /* of the row and of the reference */
    size_t count;                /* features that the model uses */
    const size_t *features;      /* ascending */
    const double *contributions; /* of these features */
    const double *errors;        /* standard errors; NULL: exact */
    const float *values;         /* of the row, before transforms */
    const float *references;     /* of the reference, or their mean; NULL: the training mean */
    size_t reference;            /* the row of the reference document; SIZE_MAX: several */
} gradus_contributions;

/* Gets the contributions to target `target` of the row `index` of the explanation. The arrays belong
 * to the explanation. Returns false past the last. */
GRADUS_API bool gradus_explanation_at(const gradus_explanation *explanation, size_t index,
                                      size_t target, gradus_contributions *out);
/* Finds a query by its id, or by its number from 1 if queries have no ids. */
GRADUS_API gradus_status gradus_dataset_find_query(const gradus_dataset *data, const char *word,
                                                   size_t *query, gradus_error *err);
/* Finds a document of a query by its id, or by its position in the query from 1; *row is its row. */
GRADUS_API gradus_status gradus_dataset_find_document(const gradus_dataset *data, size_t query,
                                                      const char *word, size_t *row,
                                                      gradus_error *err);

/* What permuting a feature does to a metric: negative importance means that the metric improved. */
typedef struct gradus_permuted {
    double importance; /* mean decrease of the metric over queries (increase of an error) */
    double low, high;  /* 95% confidence interval over queries; NAN if there are fewer than two */
} gradus_permuted;

/* Fills permuted (one per feature of the model): the values of the feature are permuted among the
 * rows of data, `repeats` times (at least 1), and the scores evaluated. 0 for features that the
 * model does not use. options: operation "evaluate", of which the first metric is used, or NULL. */
GRADUS_API gradus_status gradus_permutation_importance(
    gradus_context *context, const gradus_model *model, const gradus_dataset *data,
    const gradus_options *options, size_t repeats, uint64_t seed, gradus_permuted *permuted,
    gradus_error *err);

/* Partial dependence at one value of a feature. */
typedef struct gradus_dependence {
    double value; /* of the feature, in all rows */
    double score; /* the mean score over rows */
    /* The mean over queries of (mean score of the query - the same with the data's own values), and
     * its 95% confidence interval over queries; NAN if there are fewer than two. */
    double effect, low, high;
} gradus_dependence;

/* Computes how the score depends on a feature: all rows of data get the same value of it, for up to
 * *count values at equally spaced quantiles of the data. *count is set to the number of points,
 * which is lower if the feature has fewer distinct values. */
GRADUS_API gradus_status gradus_partial_dependence(gradus_context *context,
                                                   const gradus_model *model,
                                                   const gradus_dataset *data, size_t feature,
                                                   gradus_dependence *points, size_t *count,
                                                   gradus_error *err);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_EXPLANATIONS_H */
