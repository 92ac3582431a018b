/* Several ways to rank on the same folds: settings are chosen on validation parts, and what was
 * chosen is measured on test parts, query by query. Every trial (settings x fold) goes through the
 * journal. */
#ifndef GR_EXPERIMENTS_CONTEST_H
#define GR_EXPERIMENTS_CONTEST_H

#include "experiments/journal.h"

typedef struct gr_fold {
    const char *name; /* "MQ2008 fold 1", for the journal */
    const gradus_dataset *train;
    const gradus_dataset *valid; /* NULL: nothing to choose by; the first settings are taken */
    const gradus_dataset *test;  /* NULL: nothing to measure on */
} gr_fold;

typedef struct gr_contestant {
    const char *name;
    const char *const *settings; /* options of "train", "method=cocr cost=oerr"; NULL ends them */
} gr_contestant;

typedef struct gr_contest {
    const gr_contestant *contestants;
    size_t count;
    const gr_fold *folds;
    size_t fold_count;
    const char *common;   /* options of all, which settings may change; NULL: none */
    const char *choose;   /* the metric that rounds and settings are chosen by */
    const char *measures; /* metrics of the test parts, "err,ndcg@10" */
    const char *convention;
} gr_contest;

enum { GR_MOST_MEASURES = 16 };

/* How a contestant did. */
typedef struct gr_standing {
    const char *name;
    size_t *chosen;       /* a fold: place of the settings that were taken */
    double *chosen_valid; /* a fold: their value on the validation part; NAN: none */
    uint64_t *rounds;     /* a fold: rounds of the model that was taken */
    size_t queries;       /* of all test parts */
    size_t measures;
    double *values; /* measures x queries, fold after fold; NAN where a query is left out */
    double mean[GR_MOST_MEASURES], error[GR_MOST_MEASURES]; /* standard error of the mean */
    double seconds;                                         /* of all its trials */
} gr_standing;

/* *standings: one a contestant; end with gr_standings_free. */
gradus_status gr_contest_run(gradus_context *context, const gr_contest *contest,
                             gr_journal *journal, gr_standing **standings, gradus_error *err);
/* A trial of the journal: "valid", "train" (NAN: not measured), "rounds", "seconds", "values".
 * NULL: it was not run. */
const gr_json *gr_contest_trial(const gr_contest *contest, gr_journal *journal, size_t contestant,
                                size_t setting, size_t fold);
void gr_standings_free(gr_standing *standings, size_t count); /* NULL is accepted */

/* b against a by a test of the catalogue "tests", on one measure. */
gradus_status gr_standings_compare(gradus_context *context, const gr_standing *a,
                                   const gr_standing *b, size_t measure, const char *test,
                                   bool one_sided, gradus_contrast *contrast, gradus_error *err);

#endif
