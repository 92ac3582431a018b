/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs of a learner to probabilities of grades, and to the one score that ranks. */
#ifndef GR_SCORING_SCORING_H
#define GR_SCORING_SCORING_H

#include "reductions/reduction.h"

typedef enum gr_score_rule {
    GR_SCORE_OUTPUT,         /* the output itself (of methods with one) */
    GR_SCORE_SUM,            /* the sum of the outputs: COCR, equation 6 */
    GR_SCORE_COUNT,          /* how many outputs reach one half (COCR, equation 2), or how many
                                thresholds the output reaches: a grade */
    GR_SCORE_EXPECTED_GRADE, /* sum of P(grade) * grade */
    GR_SCORE_EXPECTED_GAIN,  /* sum of P(grade) * gain, (2^grade - 1) or by a table */
    GR_SCORE_HARD,           /* the most probable grade, the lowest of those alike */
    GR_SCORE_MEDIAN_GRADE,   /* the lowest grade that P(<= grade) is one half or more of */
    GR_SCORE_COST_RATIO,     /* the best order under a cost of pairs: see choose.h */
    GR_SCORE_WEIGHTS_AND_SCALES
} gr_score_rule;
enum { GR_PLAIN_RULES = GR_SCORE_COST_RATIO }; /* the first, which need nothing but the outputs */

extern const char *const gr_score_rules[]; /* their names; NULL ends it */

/* What is done to estimates of P(grade >= k) that cross or leave [0, 1]. */
typedef enum gr_repair {
    GR_REPAIR_USUAL,      /* expectations over P(grade <= k) take them as they come, as McRank does;
                             all else takes the projection */
    GR_REPAIR_PROJECTION, /* the nearest (in squares) probabilities of grades */
    GR_REPAIR_PAV,        /* adjacent violators are pooled: the nearest P(grade >= k) that fall */
    GR_REPAIR_NONE        /* expectations take them as they come */
} gr_repair;

extern const char *const gr_repairs[]; /* their names; NULL ends it */

/* What a model keeps of how its outputs become scores. All arrays have an item a level, but
 * weights. Every rule that is not one of outputs, nor hard nor median-grade, is
 *     sum of values * P(grade) / sum of divisors * P(grade). */
typedef struct gr_scorer {
    gr_meaning meaning;
    gr_score_rule rule;
    size_t outputs, levels;
    double *level_labels; /* NULL if there are none */
    double *weights;      /* outputs x levels, of GR_MEANS_ABOVE with a cost; NULL: all 1 */
    double *shares;       /* of the training rows, by weight; NULL: there are no levels */
    double *values;       /* NULL: what the rule says of the grade */
    double *divisors;     /* not negative, not all 0; NULL: the score is no ratio */
    double *factors;      /* P(grade) is multiplied by them, for another population; NULL: none */
    gr_repair repair;
    /* Of meanings with thresholds: sets x (levels - 1). The last set is in force. Models made by
     * rounds keep that of every round, from before the first on; others have one. */
    size_t threshold_sets;
    double *thresholds;
} gr_scorer;

/* Values and divisors are at most so large, and the largest divisor at least its inverse, so that
 * ratios are finite. */
#define GR_LARGEST_VALUE 1e100

bool gr_score_rule_is_ratio(gr_score_rule rule);
/* Whether outputs of a meaning can be scored by a rule. */
bool gr_scorer_can(gr_meaning meaning, gr_score_rule rule);
/* Costs that are the same for two neighbouring grades leave open which of them a row has. */
bool gr_scorer_knows_probabilities(const gr_scorer *scorer);
/* Whether models of a meaning have thresholds beside their one output. */
bool gr_meaning_has_thresholds(gr_meaning meaning);
/* The thresholds in force, levels - 1; NULL: there are none. */
const double *gr_scorer_thresholds(const gr_scorer *scorer);
/* Replaces the thresholds by a copy of sets x (levels - 1) numbers. */
gradus_status gr_scorer_set_thresholds(gr_scorer *scorer, const double *thresholds, size_t sets,
                                       gradus_error *err);
/* The rule that gives the predicted grade: the most probable of classes and of P(grade <= k), else
 * a count. Not for GR_MEANS_SCORE, which knows no grades. */
gr_score_rule gr_scorer_grade_rule(const gr_scorer *scorer);
/* Whether the outputs determine what a rule needs of them. */
bool gr_scorer_takes(const gr_scorer *scorer, gr_score_rule rule);
/* Whether values, divisors, factors, shares and repair suit the rule and each other. */
gradus_status gr_scorer_check(const gr_scorer *scorer, gradus_error *err);

/* outputs of one row: outputs[k * stride]. A divisor below 2^-52 of the largest is taken for that:
 * then the row is as good as certain to be of a grade that divides by 0. */
double gr_scorer_score(const gr_scorer *scorer, const double *outputs, size_t stride);
/* levels probabilities, none negative, that add up to 1: repaired in any case (as for "projection"
 * with "usual" and "none") and of the population that `factors` speak of. With a cost, output k of
 * GR_MEANS_ABOVE estimates sum_{y > k} w_k(y) P_y / sum_y w_k(y) P_y: P is recovered from these
 * equations (recover.h), or they are solved before "pav" and "none". */
void gr_scorer_probabilities(const gr_scorer *scorer, const double *outputs, size_t stride,
                             double *probabilities);
gradus_status gr_scorer_copy(const gr_scorer *from, gr_scorer *to, gradus_error *err);
void gr_scorer_free(gr_scorer *scorer);

#endif
