/* SPDX-License-Identifier: Apache-2.0 */
/* Text topics against the rest, as tasks for regression, ranking and CRR: with all positives and
 * with fewer. 20 newsgroups substitutes for RCV1; without it, generated texts are used. */
#ifndef GR_EXPERIMENTS_PAPERS_CRR_TOPICS_H
#define GR_EXPERIMENTS_PAPERS_CRR_TOPICS_H

#include "experiments/papers/paper_crr.h"

enum { GR_TOPIC_ALPHAS = 9, GR_TOPIC_TASKS = 3 * GR_CRR_GROUPS };
extern const double gr_topic_alphas[GR_TOPIC_ALPHAS];

typedef enum gr_topics_kind {
    GR_TOPICS_TABLE,   /* topics by three fractions of positives, three methods */
    GR_TOPICS_ALPHAS,  /* topics with 1 % positives, by alpha */
    GR_TOPICS_SUBJECTS /* subjects of several topics by four fractions of positives, three methods */
} gr_topics_kind;

typedef struct gr_topics {
    gr_run *run;
    gradus_dataset *train, *test;
    const char *name;
    gr_topics_kind kind;
    size_t groups; /* topics or subjects */
    size_t steps, seeds;
    size_t first;     /* the first seed of means */
    const char *rule; /* options of the step rule; "": the paper's */
} gr_topics;

/* Reads or generates the texts; free with gr_topics_end, even on failure. */
gradus_status gr_topics_open(gr_topics *t, gradus_error *err);
void gr_topics_end(gr_topics *t);

size_t gr_topics_shares(const gr_topics *t); /* fractions of positives */
const char *gr_topics_share_name(const gr_topics *t, size_t share);
/* Tasks: those of the first fraction of positives, then those of the next. */
size_t gr_topics_tasks(const gr_topics *t);
const char *gr_topics_subject(size_t group); /* name of a subject */

/* The number of steps of some passes over the training rows. */
size_t gr_topics_steps(const gr_topics *t, double passes);

/* Runs all tasks with all seeds that the journal does not have. */
gradus_status gr_topics_run(gr_topics *t, gradus_error *err);

/* Gets the results of an alpha on a task, averaged over seeds; false if the journal lacks some.
 * way: how lambda is selected. */
bool gr_topics_figures(const gr_topics *t, size_t task, double alpha, int way,
                       gr_crr_values *values);

#endif
