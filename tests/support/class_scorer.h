/* SPDX-License-Identifier: Apache-2.0 */
/* Scorers, probabilities and costs for the tests of scoring rules. */
#ifndef GR_TESTS_CLASS_SCORER_H
#define GR_TESTS_CLASS_SCORER_H

#include "checks.h"
#include "notes.h"

#include "base/rng.h"
#include "scoring/choose.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_GRADES = 6, MAX_ITEMS = 5 };

/* A scorer of classes: outputs are log-probabilities. Grades are 0 to levels - 1. */
typedef struct bench {
    double grades[MAX_GRADES], shares[MAX_GRADES];
    gr_scorer scorer;
} bench;

void bench_start(bench *b, size_t levels);

/* A choice with only the rule set. */
gr_score_choice choice_of(const gr_score_rule *rule);

gr_scorer choose_noting(const bench *b, const gr_score_choice *choice,
                        const gradus_context *context);

gr_scorer choose(const bench *b, const gr_score_choice *choice);

double score_p(const gr_scorer *scorer, const double *p);

/* Some are close to certain, some are not. */
void draw_p(gr_rng *rng, size_t levels, double *p);

/* Writes a levels x levels matrix to a file; the caller unlinks it. */
void write_matrix(char path[], const double *costs, size_t levels);

#endif
