/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of gradus train. */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "device_option.h"
#include "distributed.h"
#include "evaluation_table.h"
#include "common.h"

enum { SET_TRAIN, SET_VALID, SET_TEST, SETS, MAX_VALID_SETS = 16 };
extern const char *const set_names[SETS]; /* names of the options, without "--" */

/* When and where checkpoints are saved. */
typedef struct checkpoints {
    char *path;
    size_t every;   /* rounds; 0: not by rounds */
    double seconds; /* 0: not by time */
    double written; /* time of the last one (seconds_now) */
    bool ours;      /* the file was written or resumed from by this run */
} checkpoints;

struct job;

/* How progress is shown, round by round. */
typedef struct rounds {
    const struct job *of;
    enum { ROUNDS_UNSEEN, ROUNDS_BAR, ROUNDS_LINES, ROUNDS_EVENTS } form;
    double started, shown; /* seconds */
    size_t first;          /* rounds done before this run */
    size_t next;           /* round of the next line */
} rounds;

/* A set of --valid. */
typedef struct valid_set {
    char *name;
    const char **files;
    size_t count;
    gradus_dataset *data;
} valid_set;

typedef struct job {
    arguments *given;
    const char *model_path;
    const char *paths[SETS];    /* the first file of each; NULL: none */
    gradus_dataset *sets[SETS]; /* SET_VALID: the first of valids */
    valid_set valids[MAX_VALID_SETS];
    size_t valid_count;
    const gradus_dataset *others[MAX_VALID_SETS]; /* the valids after the first */
    double *initial[SETS];                        /* initial scores; NULL: none */
    gradus_model *start;
    bool resumes;
    checkpoints saving;
    rounds shown;
    ranks ranks;
    chosen_device device;
    bool together;   /* all ranks end at this point */
    int stop_status; /* exit status after a signal */
    gradus_training *training;
    gradus_model *model;
    double *train_scores;     /* of a distributed training, whose ranks compute them together */
    gradus_error score_error; /* the reason if the training rows were not scored */
    column columns[SETS + MAX_VALID_SETS]; /* the model on each set */
    size_t column_count;
    double read_seconds, evaluate_seconds;
} job;

/* valid_sets.c */
/* Groups the files of --valid into sets, and reads them. Exit status, or -1 to continue. */
int valid_sets_begin(job *j);
gradus_status valid_sets_read(job *j, const gradus_options *options, gradus_error *err);
void valid_sets_free(job *j);

/* checkpoint.c */
/* Sets path and intervals from the options, and refuses to overwrite a file that is not a
 * checkpoint. Exit status, or -1 to continue. */
int checkpoints_begin(job *j);
/* With --resume: reads the checkpoint, if there is one, as j->start. Exit status, or -1. */
int checkpoints_resume(job *j);
/* Writes a checkpoint if one is due; a failure is noted and does not end training. */
void checkpoints_tend(job *j, const gradus_training_state *state);
gradus_status checkpoints_write(job *j, gradus_error *err);
/* Removes the checkpoint once the model is written. */
void checkpoints_end(job *j);

/* rounds.c */
void rounds_begin(rounds *r, const job *j, const gradus_training_state *state);
void rounds_show(rounds *r, const gradus_training_state *state);
void rounds_end(rounds *r); /* clears the line of the bar */

/* train_report.c */
/* With --json: prints one JSON object per line on standard output. */
void event_start(const job *j, const gradus_training_state *state);
void event_saved(const job *j, const char *what, const gradus_training_state *state);
/* Prints the results, as a JSON event or as text. Exit status. */
int report_training(const job *j, const gradus_training_state *state);

#endif
