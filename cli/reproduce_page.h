/* SPDX-License-Identifier: Apache-2.0 */
/* The page and the summary of gradus reproduce all, from the results of experiments as JSON. */
#ifndef CLI_REPRODUCE_PAGE_H
#define CLI_REPRODUCE_PAGE_H

#include "common.h"
#include "gradus_experiments.h"
#include "reproduce_read.h"

#define LEAST_P 1e-300 /* results have smaller p-values as this one */

/* One experiment: what became of it, and its results. Strings are owned. */
typedef struct outcome {
    gradus_experiment about;
    char *state;  /* "done", "failed", "no data", "not run" */
    char *reason; /* of a state other than done */
    char *build, *command, *date;
    double seconds, scale;
    uint64_t seed, seeds;
    bool selected; /* for this run; others only keep their results and their record */
    bool reduced;  /* less than this run has, or of another seed: kept until this run has its own */
    char *bytes;   /* the text behind results */
    gr_json *root; /* the results; NULL unless done */
} outcome;

typedef struct outcomes {
    size_t count;
    outcome *list;
    const char *folder;
    char *build, *command, *date; /* of this run */
    double scale;
    uint64_t seed, seeds;
} outcomes;

/* Verdicts of cells beside published values, and of claims. */
typedef struct verdict_counts {
    size_t agree, better, differ, inconclusive, without;
    size_t confirmed, not_confirmed, open;
} verdict_counts;

verdict_counts outcome_count(const outcome *one);

/* Adds the page as Markdown. notes: a file of comments, see --notes; NULL: none. figures: the folder
 * of the figures, relative to the page, "" or ending in '/'. Exit status. */
int page_add(text *t, const outcomes *all, const char *notes, const char *figures);
/* Adds the summary as JSON. Exit status. */
int summary_add(text *t, const outcomes *all);

#endif
