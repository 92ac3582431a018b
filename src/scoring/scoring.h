/* Outputs of a learner to probabilities of grades, and to the one score that ranks. */
#ifndef GR_SCORING_SCORING_H
#define GR_SCORING_SCORING_H

#include "reductions/reduction.h"

typedef enum gr_score_rule {
    GR_SCORE_OUTPUT,         /* the output itself (of methods with one) */
    GR_SCORE_SUM,            /* the sum of the outputs: COCR, equation 6 */
    GR_SCORE_COUNT,          /* how many outputs reach one half: COCR, equation 2 */
    GR_SCORE_EXPECTED_GRADE, /* sum of P(grade) * grade */
    GR_SCORE_EXPECTED_GAIN   /* sum of P(grade) * (2^grade - 1) */
} gr_score_rule;

extern const char *const gr_score_rules[]; /* their names; NULL ends it */

/* What a model keeps of how its outputs become scores. */
typedef struct gr_scorer {
    gr_meaning meaning;
    gr_score_rule rule;
    size_t outputs, levels;
    double *level_labels; /* levels; NULL if there are none */
    double *weights;      /* outputs x levels, of GR_MEANS_ABOVE with a cost; NULL: all 1 */
} gr_scorer;

/* Whether outputs of a meaning can be scored by a rule. */
bool gr_scorer_can(gr_meaning meaning, gr_score_rule rule);
bool gr_scorer_knows_probabilities(const gr_scorer *scorer);
/* outputs of one row: outputs[k * stride]. Expectations over P(grade <= k) take the estimates as
 * they come, as McRank does, even where they cross. */
double gr_scorer_score(const gr_scorer *scorer, const double *outputs, size_t stride);
/* levels probabilities, none negative, that add up to 1. Estimates that cross or leave [0, 1] are
 * repaired: the differences are replaced by the nearest (in squares) probabilities there are. With
 * a cost, output k of GR_MEANS_ABOVE estimates sum_{y > k} w_k(y) P_y / sum_y w_k(y) P_y: these
 * equations are solved for P first. */
void gr_scorer_probabilities(const gr_scorer *scorer, const double *outputs, size_t stride,
                             double *probabilities);
gradus_status gr_scorer_copy(const gr_scorer *from, gr_scorer *to, gradus_error *err);
void gr_scorer_free(gr_scorer *scorer);

#endif
