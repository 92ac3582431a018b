/* SPDX-License-Identifier: Apache-2.0 */
/* gradus/evaluation.h - metrics and statistics.
 * A part of gradus.h, which has the conventions; include that. */
#ifndef GRADUS_EVALUATION_H
#define GRADUS_EVALUATION_H
#include "gradus/datasets.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Metrics ----
 *
 * Example: NDCG and MAP of a model and of a single feature.
 *
 *     double *scores = malloc(gradus_dataset_rows(test) * sizeof *scores);
 *     gradus_options *measures = gradus_options_new("evaluate", &err);
 *     gradus_result of_model, of_feature;
 *
 *     if (!scores || gradus_model_score(context, best, test, scores, &err) != GRADUS_OK ||
 *         gradus_options_set(measures, "metric", "ndcg@10,map", &err) != GRADUS_OK)
 *         return 1;
 *     gradus_evaluation *a = gradus_evaluate(context, test, baseline, measures, &err);
 *     gradus_evaluation *b = gradus_evaluate(context, test, scores, measures, &err);
 *     for (size_t i = 0; gradus_evaluation_at(a, i, &of_feature); i++)
 *         if (gradus_evaluation_at(b, i, &of_model))
 *             printf("%s %.4f %.4f\n", of_model.metric, of_feature.mean, of_model.mean);
 *     printf("convention %s\n", gradus_evaluation_convention(a));
 */

typedef struct gradus_evaluation gradus_evaluation;

/* Evaluates scores (one per row of data). options: operation "evaluate", or NULL. Returns NULL on
 * failure. */
GRADUS_API gradus_evaluation *gradus_evaluate(gradus_context *context, const gradus_dataset *data,
                                              const double *scores, const gradus_options *options,
                                              gradus_error *err);
/* Evaluates a TREC run file against TREC relevance judgements. The queries are the topics of the
 * judgements, so that runs can be compared query by query; topics missing from the run have no
 * value, unless the option "complete" is set. */
GRADUS_API gradus_evaluation *gradus_evaluate_run(gradus_context *context, const char *qrels_path,
                                                  const char *run_path,
                                                  const gradus_options *options, gradus_error *err);
/* Frees an evaluation and the arrays of its results. */
GRADUS_API void gradus_evaluation_free(gradus_evaluation *evaluation);

typedef struct gradus_result {
    const char *metric;     /* "ndcg@10", also if requested as "NDCG@10" or "ndcg_cut_10" */
    double mean;            /* NAN if no query has a value */
    size_t counted;         /* queries in the mean */
    size_t empty;           /* queries without a relevant document, or without a pair to order */
    size_t short_lists;     /* queries with fewer documents than the metric's cutoff */
    const double *by_query; /* one per query; NAN: the query is left out */
    bool lower_is_better;   /* true for errors and risks */
    bool geometric;         /* mean is the geometric mean of by_query, floored at 1e-5 (gmap) */
} gradus_result;

/* Gets the result of metric `index`. Its string and array belong to the evaluation. Returns false
 * past the last metric. */
GRADUS_API bool gradus_evaluation_at(const gradus_evaluation *evaluation, size_t index,
                                     gradus_result *result);
/* Returns the number of queries: the length of gradus_result.by_query. */
GRADUS_API size_t gradus_evaluation_queries(const gradus_evaluation *evaluation);
/* Returns the id of a query; "" if it has none, or past the last. */
GRADUS_API const char *gradus_evaluation_query_name(const gradus_evaluation *evaluation,
                                                    size_t query);
/* Returns the convention's name and the switches that were overridden: "letor4, ties expected". */
GRADUS_API const char *gradus_evaluation_convention(const gradus_evaluation *evaluation);
/* Returns all switches of the convention: "gain exp, discount log2, ...". */
GRADUS_API const char *gradus_evaluation_switches(const gradus_evaluation *evaluation);
/* Sets *mean to the mean of one metric over queries, under the default convention; NAN if no query
 * has a value. */
GRADUS_API gradus_status gradus_evaluate_metric(const gradus_dataset *data, const double *scores,
                                                const char *metric, double *mean,
                                                gradus_error *err);

typedef struct gradus_metric_facts {
    bool lower_is_better;
    bool geometric;  /* the mean over queries is geometric (gmap) */
    bool uses_gains; /* depends on the gains of labels (options gain and label-gain) */
} gradus_metric_facts;
/* Describes a metric such as "ndcg@10". */
GRADUS_API gradus_status gradus_metric_describe(const char *metric, gradus_metric_facts *facts,
                                                gradus_error *err);

enum { GRADUS_MAX_GRADES = 256 };

/* Fills the confusion matrix of labels and predicted grades (one per row). grade_values (length
 * GRADUS_MAX_GRADES) receives the *grades distinct grades, ascending; counts (length
 * GRADUS_MAX_GRADES squared) receives at [i * *grades + k] the total weight of rows with label i
 * and prediction k of that list. More grades, or a non-finite one, are GRADUS_BAD_NUMBER. */
GRADUS_API gradus_status gradus_confusion(const gradus_dataset *data, const double *predicted,
                                          size_t *grades, double *grade_values, double *counts,
                                          gradus_error *err);

/* ---- Statistics ----
 *
 * Example: is the model better than the feature?
 *
 *     gradus_contrast contrast;
 *     if (!gradus_evaluation_at(a, 0, &of_feature) || !gradus_evaluation_at(b, 0, &of_model))
 *         return 1;
 *     const double *const values[] = { of_feature.by_query, of_model.by_query };
 *     gradus_comparison *comparison =
 *         gradus_compare(context, 2, gradus_evaluation_queries(a), values, NULL, &err);
 *     if (comparison && gradus_comparison_at(comparison, 0, &contrast))
 *         printf("%+.4f [%+.4f, %+.4f], p %.3g\n", contrast.difference, contrast.low,
 *                contrast.high, contrast.p);
 *     gradus_comparison_free(comparison);
 *     gradus_evaluation_free(a);
 *     gradus_evaluation_free(b);
 */

/* A paired comparison of systems a and b over queries. */
typedef struct gradus_contrast {
    size_t a, b;               /* indices into `values` */
    size_t queries;            /* with a value for both systems */
    double mean_a, mean_b;     /* over those queries */
    double difference;         /* mean_b - mean_a */
    double low, high;          /* two-sided confidence interval of the difference; NAN if none */
    double statistic;          /* of the test; NAN if it has none */
    double df;                 /* degrees of freedom; NAN if the test has none */
    double p;                  /* NAN if there are too few queries for the test */
    double p_adjusted;         /* Holm's correction over all contrasts with a p-value */
    size_t wins, ties, losses; /* queries where b is better, equal, worse */
} gradus_contrast;

typedef struct gradus_comparison gradus_comparison;

/* Compares systems query by query: values[s][q] is the value of system s on query q; if NAN, the
 * query is left out of comparisons with s. Every pair is compared, in the order (0, 1), (0, 2),
 * ..., (1, 2), ...; one-sided tests test whether b, the second of the pair, is better. options:
 * operation "compare", or NULL: two-sided paired t-test. Returns NULL on failure. */
GRADUS_API gradus_comparison *gradus_compare(gradus_context *context, size_t systems,
                                             size_t queries, const double *const *values,
                                             const gradus_options *options, gradus_error *err);
/* Gets the comparison of pair `index`. Returns false past the last. */
GRADUS_API bool gradus_comparison_at(const gradus_comparison *comparison, size_t index,
                                     gradus_contrast *contrast);
/* Frees a comparison. */
GRADUS_API void gradus_comparison_free(gradus_comparison *comparison);
/* Combines independent p-values by Fisher's method: *statistic is chi-squared with 2 * count
 * degrees of freedom, *combined its p-value; either may be NULL. */
GRADUS_API gradus_status gradus_combine_p(const double *p, size_t count, double *statistic,
                                          double *combined, gradus_error *err);
/* Adjusts p-values by Holm's step-down correction. NAN stays NAN and is not counted; adjusted may
 * alias p. */
GRADUS_API gradus_status gradus_adjust_p(const double *p, size_t count, double *adjusted,
                                         gradus_error *err);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_EVALUATION_H */
