/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the outputs of a learner into grade probabilities and into the score that ranks. */
#ifndef GR_SCORING_SCORING_H
#define GR_SCORING_SCORING_H

#include "reductions/reduction.h"

typedef enum gr_score_rule {
#define GR_RULE(name, text) GR_SCORE_##name,
#include "scoring/rules.def"
} gr_score_rule;
enum { GR_PLAIN_RULES = GR_SCORE_COST_RATIO }; /* the rules before it need only outputs */

extern const char *const gr_score_rules[]; /* NULL-terminated */

/* How to repair estimates of P(grade >= k) that cross or leave [0, 1]. */
typedef enum gr_repair {
    GR_REPAIR_USUAL,      /* expectations over P(grade <= k) unrepaired (McRank); else projection */
    GR_REPAIR_PROJECTION, /* the nearest probability distribution (least squares) */
    GR_REPAIR_PAV,        /* nearest non-increasing P(grade >= k): pool adjacent violators */
    GR_REPAIR_NONE        /* expectations use the unrepaired estimates */
} gr_repair;

extern const char *const gr_repairs[]; /* NULL-terminated */

/* How the outputs of a model become scores. Arrays have one item per level, except weights. All
 * rules except output, sum, count, hard and median-grade compute
 *     sum of values * P(grade) / sum of divisors * P(grade).
 */
typedef struct gr_scorer {
    gr_meaning meaning;
    gr_score_rule rule;
    size_t outputs, levels;
    double *level_labels; /* NULL: none */
    double *weights;      /* outputs x levels, for GR_MEANS_ABOVE with a cost; NULL: all 1 */
    double *shares;       /* of the grades in training, by weight; NULL: no levels */
    double *values;       /* NULL: computed from the grade by the rule */
    double *divisors;     /* not negative, not all 0; NULL: the score is not a ratio */
    double *factors;      /* multiply P(grade), for another population; NULL: none */
    gr_repair repair;
    /* For meanings with thresholds: sets x (levels - 1); the last set is the effective one.
     * Models trained in rounds keep a set for every round, starting before the first; others
     * have one set. */
    size_t threshold_sets;
    double *thresholds;
} gr_scorer;

/* Upper bound of values and divisors; the largest divisor is at least its inverse. This keeps
 * ratios finite. */
#define GR_LARGEST_VALUE 1e100

bool gr_score_rule_is_ratio(gr_score_rule rule);
/* Whether outputs of a meaning can be scored by a rule. */
bool gr_scorer_can(gr_meaning meaning, gr_score_rule rule);
/* Whether the outputs determine probabilities. Not if the cost is the same for two neighbouring
 * grades: the outputs then do not distinguish them. */
bool gr_scorer_knows_probabilities(const gr_scorer *scorer);
/* Whether models of a meaning have thresholds besides their single output. */
bool gr_meaning_has_thresholds(gr_meaning meaning);
/* The effective thresholds, levels - 1 of them; NULL: none. */
const double *gr_scorer_thresholds(const gr_scorer *scorer);
/* Replaces the thresholds with a copy of sets x (levels - 1) numbers. */
gradus_status gr_scorer_set_thresholds(gr_scorer *scorer, const double *thresholds, size_t sets,
                                       gradus_error *err);
/* The rule that predicts grades: count where it applies, else hard. Not for GR_MEANS_SCORE, which
 * has no grades. */
gr_score_rule gr_scorer_grade_rule(const gr_scorer *scorer);
/* Whether a rule applies, given what the outputs determine. */
bool gr_scorer_takes(const gr_scorer *scorer, gr_score_rule rule);

/* scoring_check.c */
/* Checks that values, divisors, factors, shares, thresholds and repair fit the rule and each
 * other. */
gradus_status gr_scorer_check(const gr_scorer *scorer, gradus_error *err);

/* scoring.c */
/* Whether the score is an expectation over unrepaired estimates. */
bool gr_scorer_takes_estimates(const gr_scorer *scorer);
/* Whether the equations of weighted outputs are solved exactly, not by a quadratic program. */
bool gr_scorer_solves_exactly(const gr_scorer *scorer);
/* The score of one row, with outputs[k * stride]. Divisors are at least 2^-52 of the largest one,
 * so that a row that almost certainly has a grade with divisor 0 gets a finite score. */
double gr_scorer_score(const gr_scorer *scorer, const double *outputs, size_t stride);
/* Writes `levels` probabilities that sum to 1: always repaired ("usual" and "none" by projection),
 * and for the population given by `factors`. With a cost, output k of GR_MEANS_ABOVE estimates
 * sum_{y > k} w_k(y) P_y / sum_y w_k(y) P_y; P is recovered from these equations (recover.h), or by
 * solving them exactly before "pav" and "none". */
void gr_scorer_probabilities(const gr_scorer *scorer, const double *outputs, size_t stride,
                             double *probabilities);
gradus_status gr_scorer_copy(const gr_scorer *from, gr_scorer *to, gradus_error *err);
void gr_scorer_free(gr_scorer *scorer);

#endif
