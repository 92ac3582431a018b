/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a value of gradus agrees with a published one. Which rule applies to a table is declared in
 * the head of its file in experiments/data:
 *
 *   # rule: same data          the paper's data, folds and queries: values agree within a tolerance
 *   # tolerance: 0.005         of this rule, which needs it
 *
 *   # rule: standard errors    the paper prints standard errors: values agree within two combined
 *                              standard errors, the root of the sum of their squares
 *   # errors: NAME             the file with the paper's standard errors
 *   # largest error: 0.005     a larger combined error is too large to show agreement: inconclusive
 *
 *   # rule: none               other data, or samples of unknown variation: no verdict
 */
#ifndef GR_EXPERIMENTS_VERDICTS_H
#define GR_EXPERIMENTS_VERDICTS_H

#include "base/error.h"

#include <stdbool.h>

typedef enum gr_rule_kind { GR_RULE_NONE, GR_RULE_SAME_DATA, GR_RULE_ERRORS } gr_rule_kind;

typedef struct gr_rule {
    gr_rule_kind kind;
    double tolerance;     /* of GR_RULE_SAME_DATA, otherwise 0 */
    double largest_error; /* of GR_RULE_ERRORS, otherwise 0 */
    char errors[64];      /* of GR_RULE_ERRORS, otherwise "" */
} gr_rule;

typedef enum gr_wanted { GR_WANT_NEAR, GR_WANT_HIGHER, GR_WANT_LOWER } gr_wanted;

typedef struct gr_found {
    double ours;
    double error;       /* standard error; 0: unknown */
    double paper;       /* 0: not in the paper */
    double paper_error; /* standard error that the paper prints; 0: none */
    double p;           /* p-value; 0: not tested; pass smaller p-values as 1e-300 */
    bool no_verdict;    /* the published value is compared elsewhere, here only shown */
} gr_found;

/* Reads the rule in the head of a file; name: for messages. A missing, unknown or repeated rule, a
 * number that is not positive, and a line of another rule are errors. */
gradus_status gr_rule_parse(const char *name, const char *text, gr_rule *rule, gradus_error *err);
const char *gr_rule_name(const gr_rule *rule); /* "same data", "standard errors", "none" */
enum { GR_CRITERION_SIZE = 200 };
/* Writes the rule as a sentence. */
void gr_rule_describe(const gr_rule *rule, char text[GR_CRITERION_SIZE]);

/* "agrees", "better", "differs" or "inconclusive"; "": nothing to compare with. trial: of a
 * scaled-down run, whose values show nothing. */
const char *gr_verdict(const gr_rule *rule, gr_wanted wanted, bool trial, const gr_found *found);

#endif
