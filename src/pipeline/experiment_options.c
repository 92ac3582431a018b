/* SPDX-License-Identifier: Apache-2.0 */
/* The options of "tune", "auto" and "reproduce". These operations are in libgradus-experiments, which reads
 * the values as text; the tables are here, so that gradus_options_new, help and bindings find the
 * options of every operation in one place. */
#include "metrics/convention.h"
#include "objectives/label_gains.h"
#include "pipeline/operations.h"

typedef struct tune_options {
    const char *method, *metric;
    int convention;
    gr_gain_options gains;
    int search;
    const char *budget, *space;
    uint64_t folds;
    const char *fold_dirs, *journal;
    int refit;
    bool one_query;
    uint64_t seed;
} tune_options;

typedef struct auto_options {
    const char *methods, *metric;
    int convention;
    gr_gain_options gains;
    const char *budget;
    uint64_t folds, members, max_rounds;
    bool probabilities;
    const char *journal;
    uint64_t seed;
} auto_options;

typedef struct reproduce_options {
    const char *data, *journal;
    double scale;
    uint64_t seeds, seed;
} reproduce_options;

static const char *const searches[] = { "halving", "random", "grid", NULL };
static const char *const refits[] = { "train", "all", "none", NULL };

static const gr_param tune_params[] = {
    GR_PARAM_TEXT(tune_options, method, "method", "LIST", "lambdamart",
                  "methods to tune, comma-separated, or all: all but calibrated, which takes "
                  "much longer and is not better (gradus help methods)"),
    GR_PARAM_TEXT(tune_options, metric, "metric", "NAME", "ndcg@10",
                  "metric that selects settings and rounds"),
    GR_PARAM_CHOICE(tune_options, convention, "convention", "NAME", "gradus", gr_convention_names,
                    "convention of the metric (gradus help conventions)"),
    GR_PARAM_GROUP(tune_options, gains, gr_gain_options, gr_gain_params),
    GR_PARAM_CHOICE(tune_options, search, "search", "HOW", "halving", searches,
                    "halving: many settings for a few rounds, then the best third for three "
                    "times as many, and so on; random: train all to the end; grid: all points "
                    "of a grid"),
    GR_PARAM_TEXT(tune_options, budget, "budget", "N", "9",
                  "settings to try per method, or a total time: 90s, 10min, 1h; only with a "
                  "time do results depend on the machine"),
    GR_PARAM_TEXT(tune_options, space, "space", "LIST", "",
                  "what to try: 'leaves=8..256:log, cost=absolute|oerr, rounds=500'; default: "
                  "the default ranges of each method"),
    GR_PARAM_COUNT(tune_options, folds, "folds", "K", 0, 0, 1000,
                   "split the training data into K parts by query: each part is the test part "
                   "once and the validation part once; 0: validate on --valid"),
    GR_PARAM_PATH(tune_options, fold_dirs, "fold-dirs", "LIST", "", GRADUS_PATH_READ_FOLDERS,
                  "folders with train.txt, vali.txt and test.txt, one per fold, or one folder "
                  "with Fold1 to Fold5 or S1.txt to S5.txt"),
    GR_PARAM_PATH(tune_options, journal, "journal", "FILE", "", GRADUS_PATH_WRITTEN,
                  "record finished trials in FILE (JSON lines) and resume from it"),
    GR_PARAM_CHOICE(tune_options, refit, "refit", "WHAT", "train", refits,
                    "data to retrain the best settings on: train: --train, validated on "
                    "--valid; all: the validation data too, for the best number of rounds; "
                    "none. After several folds: all of their data, for the folds' mean number "
                    "of rounds"),
    GR_PARAM_FLAG(tune_options, one_query, "one-query",
                  "treat data without query ids as one query, for methods that compare rows "
                  "within a query"),
    GR_PARAM_COUNT(tune_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "seed for settings, folds and training"),
    GR_PARAM_END,
};

const gr_operation gr_operation_tune = {
    .name = "tune",
    .summary = "search for the best settings and the best method",
    .params = tune_params,
    .size = sizeof(tune_options),
};

static const gr_param auto_params[] = {
    GR_PARAM_TEXT(auto_options, budget, "budget", "N", "40",
                  "settings to try, or a total time: 90s, 10min, 1h; only with a time does the "
                  "model depend on the machine"),
    GR_PARAM_TEXT(auto_options, methods, "methods", "LIST", "",
                  "methods to try, comma-separated, in this order; default: those that rank well "
                  "in reasonable time"),
    GR_PARAM_TEXT(auto_options, metric, "metric", "NAME", "ndcg@10",
                  "metric that selects rounds, settings and members"),
    GR_PARAM_CHOICE(auto_options, convention, "convention", "NAME", "gradus", gr_convention_names,
                    "convention of the metric (gradus help conventions)"),
    GR_PARAM_GROUP(auto_options, gains, gr_gain_options, gr_gain_params),
    GR_PARAM_COUNT(auto_options, members, "members", "N", 12, 1, 256,
                   "maximum members of the ensemble; 1: the best single model"),
    GR_PARAM_FLAG(auto_options, probabilities, "probabilities",
                  "use only methods that estimate grade probabilities, and average these, so that "
                  "the model can be scored by any cost"),
    GR_PARAM_COUNT(auto_options, folds, "folds", "K", 0, 0, 100,
                   "split the data into K parts by query, each held out once; 1: hold out a fifth; "
                   "0: 5, or 1 from 500,000 rows on"),
    GR_PARAM_COUNT(auto_options, max_rounds, "max-rounds", "N", 0, 0, 1000000,
                   "stop every training after N rounds; 0: the methods' own limits"),
    GR_PARAM_PATH(auto_options, journal, "journal", "FILE", "", GRADUS_PATH_WRITTEN,
                  "record finished trials in FILE (JSON lines) and resume from it"),
    GR_PARAM_COUNT(auto_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "seed for settings, folds, training and selection"),
    GR_PARAM_END,
};

const gr_operation gr_operation_auto = {
    .name = "auto",
    .summary = "train an ensemble of the best methods",
    .params = auto_params,
    .size = sizeof(auto_options),
};

static const gr_param reproduce_params[] = {
    GR_PARAM_PATH(reproduce_options, data, "data", "DIR", "", GRADUS_PATH_READ_FOLDERS,
                  "folder of the data sets, one subfolder each"),
    GR_PARAM_PATH(reproduce_options, journal, "journal", "FILE", "", GRADUS_PATH_WRITTEN,
                  "record finished work in FILE and resume from it (default: named after the "
                  "experiment)"),
    GR_PARAM_REAL(reproduce_options, scale, "scale", "S", 1, 0.001, 1,
                  "size of a trial run, as a fraction of the full experiment"),
    GR_PARAM_COUNT(reproduce_options, seeds, "seeds", "N", 0, 0, 1000,
                   "limit of the seeds or random samples of experiments that average over several; "
                   "nothing is concluded from fewer than all; 0: all"),
    GR_PARAM_COUNT(reproduce_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "random seed"),
    GR_PARAM_END,
};

const gr_operation gr_operation_reproduce = {
    .name = "reproduce",
    .summary = "reproduce an experiment of the papers",
    .params = reproduce_params,
    .size = sizeof(reproduce_options),
};
