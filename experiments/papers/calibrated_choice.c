/* SPDX-License-Identifier: Apache-2.0 */
/* Why calibrated ensembles fall short: the cost of selecting rounds and rates on validation data,
 * bounds from selecting on test data, and the effect of more training queries. */
#include "experiments/jobs.h"
#include "experiments/papers/calibrated_parts.h"
#include "experiments/published.h"

#include "base/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE "calibrated_choice"

enum {
    BASES = 9,
    PAPER_BASES = 18,
    WAYS = 5,
    MEMBERS = PAPER_BASES * WAYS,
    STOPS = 4,
    RATES = 6,
    CELLS = STOPS * RATES
};
enum { MAX_FOLDS = 8 };

static const char *const ways[WAYS] = { "ls", "ewls", "el", "ell", "sn" };

static size_t rounds_at(size_t stop)
{
    return gr_paper_count(TABLE, "rounds", stop);
}

static double rate_at(size_t index)
{
    return gr_paper_number(TABLE, "rates", index);
}

/* The training data of base models. */
enum { MAX_OF_IT, TRAINING, BOTH, AMOUNTS };
static const char *const amounts[AMOUNTS] = { "80% of the training queries", "the training part",
                                              "training and validation parts" };

static const struct {
    const char *folder, *title, *measure, *convention;
} sets[] = {
    { "ohsumed", "OHSUMED, NDCG@10", "ndcg@10", "letor3" },
    { "mq2008", "MQ2008, mean NDCG", "mean-ndcg", "letor4" },
};
enum { SETS = sizeof sets / sizeof sets[0] };

/* The paper's value of ensemble CPC. */
static double published(size_t set)
{
    return gr_published("calibrated_table2", sets[set].folder, "ensemble CPC");
}

typedef struct work {
    gr_run *run;
    const gr_folds *folds;
    size_t set;
    bool paper; /* base models of the paper's sizes */
} work;

/* Results of one fold, as stored in the journal. */
typedef struct fold_values {
    double queries[2];   /* on the validation and the test part */
    double valid[CELLS]; /* weights from the validation part: its NDCG@10 */
    double test[CELLS];  /* the same, by the paper's measure on the test part */
    double seen[CELLS];  /* weights from the NDCG@10 of the test part itself */
    double
        plain[AMOUNTS * STOPS]; /* sum of the posteriors of all base models, without calibration */
} fold_values;

static void key_of(const work *w, size_t fold, char key[160])
{
    snprintf(key, 160, "choices of rounds and rates%s | %s", w->paper ? ", the paper's sizes" : "",
             w->folds->folds[fold].name);
}

/* Scores on the validation and the test part, member by member. */
typedef struct board {
    const gr_fold *fold;
    size_t members; /* scaled-down runs have fewer */
    size_t rows[2];
    double *scores[2];
    double values[MEMBERS][2]; /* NDCG@10 per member and part */
    double *mixed[2];
} board;

static const gradus_dataset *part_of(const board *b, size_t p)
{
    return p ? b->fold->test : b->fold->valid;
}

static void end_board(board *b)
{
    for (size_t p = 0; p < 2; p++) {
        free(b->scores[p]);
        free(b->mixed[p]);
    }
}

static gradus_status start_board(const work *w, const gr_fold *fold, board *b, gradus_error *err)
{
    *b = (board){ .fold = fold,
                  .members = WAYS * (w->run->scale < 1.0 ? 2
                                     : w->paper          ? PAPER_BASES
                                                         : BASES) };
    for (size_t p = 0; p < 2; p++) {
        b->rows[p] = gradus_dataset_rows(part_of(b, p));
        b->scores[p] = gr_new_array(MEMBERS * b->rows[p], sizeof(double));
        b->mixed[p] = gr_new_array(b->rows[p], sizeof(double));
        if (!b->scores[p] || !b->mixed[p])
            return gr_fail_memory(err, "scores");
    }
    return GRADUS_OK;
}

/* The paper's measure for a data set. */
static gradus_status measure(const work *w, gradus_context *context, const gradus_dataset *data,
                             const double *scores, double *value, gradus_error *err)
{
    return gr_measure_by(data, scores, sets[w->set].measure, sets[w->set].convention, value,
                         context, err);
}

static gradus_model *train_base(const work *w, const gradus_dataset *data, size_t base, size_t stop,
                                gradus_context *context, gradus_error *err)
{
    const char *own = gr_paper_setting_at(w->paper ? "calibrated_paper" : TABLE, "base", base);
    char words[160];

    snprintf(words, sizeof words, "%s %s rounds=%zu %s", gr_paper_words(TABLE, "method"),
             own ? own : "", gr_scaled(w->run, rounds_at(stop), 2),
             gr_paper_words(TABLE, "common"));
    return gr_train_words(data, words, context, err);
}

/* One member: a base model with one of the calibrations. */
static gradus_status put_member(const gradus_model *model, const gradus_dataset *calibrate,
                                size_t member, board *b, gradus_context *context, gradus_error *err)
{
    double *scores[2] = { b->scores[0] + member * b->rows[0], b->scores[1] + member * b->rows[1] };
    char words[40];

    snprintf(words, sizeof words, "how=%s", ways[member % WAYS]);
    return gr_calibrated_member(model, calibrate, words, b->fold, scores, b->values[member],
                                context, err);
}

/* Combines members with weights e^(rate * value), where values are those of one part; scores both
 * parts. */
static void mix(board *b, size_t by, double rate)
{
    double best = 0.0;

    for (size_t m = 0; m < b->members; m++)
        best = fmax(best, b->values[m][by]);
    for (size_t p = 0; p < 2; p++) {
        for (size_t r = 0; r < b->rows[p]; r++)
            b->mixed[p][r] = 0.0;
        for (size_t m = 0; m < b->members; m++) {
            const double weight = gr_exp(rate * (b->values[m][by] - best));

            for (size_t r = 0; r < b->rows[p]; r++)
                b->mixed[p][r] += weight * b->scores[p][m * b->rows[p] + r];
        }
    }
}

static gradus_status take_rates(const work *w, board *b, size_t stop, fold_values *v,
                                gradus_context *context, gradus_error *err)
{
    for (size_t c = 0; c < RATES; c++) {
        const size_t cell = stop * RATES + c;

        mix(b, 0, rate_at(c));
        GR_TRY(gradus_evaluate_metric(part_of(b, 0), b->mixed[0], "ndcg@10", &v->valid[cell], err));
        GR_TRY(measure(w, context, part_of(b, 1), b->mixed[1], &v->test[cell], err));
        mix(b, 1, rate_at(c));
        GR_TRY(measure(w, context, part_of(b, 1), b->mixed[1], &v->seen[cell], err));
    }
    return GRADUS_OK;
}

/* Trains base models for the given rounds on 80% of the queries, with all their calibrations. */
static gradus_status take_ensemble(const work *w, gradus_dataset *const parts[2], size_t stop,
                                   board *b, fold_values *v, gradus_context *context,
                                   gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    for (size_t base = 0; base < b->members / WAYS && status == GRADUS_OK; base++) {
        gradus_model *model = train_base(w, parts[0], base, stop, context, err);

        status = model ? GRADUS_OK : err->status;
        for (size_t way = 0; way < WAYS && status == GRADUS_OK; way++)
            status = put_member(model, parts[1], base * WAYS + way, b, context, err);
        gradus_model_free(model);
    }
    return status == GRADUS_OK ? take_rates(w, b, stop, v, context, err) : status;
}

/* Sums the scores of all base models, without calibration. */
static gradus_status take_plain(const work *w, const gradus_dataset *data, size_t stop, board *b,
                                double *value, gradus_context *context, gradus_error *err)
{
    double *sum = b->mixed[1], *scores = b->scores[1];

    for (size_t r = 0; r < b->rows[1]; r++)
        sum[r] = 0.0;
    for (size_t base = 0; base < b->members / WAYS; base++) {
        gradus_model *model = train_base(w, data, base, stop, context, err);
        gradus_status status =
            model ? gradus_model_score(context, model, part_of(b, 1), scores, err) : err->status;

        gradus_model_free(model);
        GR_TRY(status);
        for (size_t r = 0; r < b->rows[1]; r++)
            sum[r] += scores[r];
    }
    return measure(w, context, part_of(b, 1), sum, value, err);
}

static gradus_status take_fold(const work *w, const gr_fold *fold, gradus_dataset *parts[3],
                               board *b, fold_values *v, gradus_context *context, gradus_error *err)
{
    const gradus_dataset *const both[] = { fold->train, fold->valid };

    GR_TRY(gr_calibration_cut(w->run->seed, fold->train, parts, context, err));
    if (!(parts[2] = gradus_dataset_join(context, both, 2, err)))
        return err->status;
    const gradus_dataset *const learn[AMOUNTS] = { parts[0], fold->train, parts[2] };

    v->queries[0] = (double)gradus_dataset_queries(fold->valid);
    v->queries[1] = (double)gradus_dataset_queries(fold->test);
    for (size_t stop = 0; stop < STOPS; stop++) {
        for (size_t amount = 0; amount < AMOUNTS; amount++)
            GR_TRY(take_plain(w, learn[amount], stop, b, &v->plain[amount * STOPS + stop], context,
                              err));
        GR_TRY(take_ensemble(w, parts, stop, b, v, context, err));
    }
    return GRADUS_OK;
}

static gradus_status run_fold(void *argument, size_t fold, gradus_context *context,
                              gradus_error *err)
{
    const work *w = argument;
    gradus_dataset *parts[3] = { NULL, NULL, NULL };
    gr_json_writer value = { 0 };
    fold_values v;
    board b;
    char key[160];

    key_of(w, fold, key);
    if (gr_journal_find(w->run->journal, key))
        return GRADUS_OK;
    gradus_status status = start_board(w, &w->folds->folds[fold], &b, err);

    if (status == GRADUS_OK)
        status = take_fold(w, &w->folds->folds[fold], parts, &b, &v, context, err);
    if (status == GRADUS_OK) {
        gr_json_open(&value, NULL, '{');
        gr_json_put_numbers(&value, "queries", v.queries, 2);
        gr_json_put_numbers(&value, "valid", v.valid, CELLS);
        gr_json_put_numbers(&value, "test", v.test, CELLS);
        gr_json_put_numbers(&value, "seen", v.seen, CELLS);
        gr_json_put_numbers(&value, "plain", v.plain, AMOUNTS * STOPS);
        gr_json_close(&value, '}');
        status = gr_journal_add(w->run->journal, key, &value, err);
    }
    gr_json_writer_free(&value);
    for (size_t p = 0; p < 3; p++)
        gradus_dataset_free(parts[p]);
    end_board(&b);
    return status;
}

static gradus_status read_numbers(const gr_json *found, const char *what, size_t count, double *to,
                                  gradus_error *err)
{
    size_t had = 0;
    double *numbers = gr_json_numbers(gr_json_find(found, what), &had);
    const bool good = numbers && had == count;

    for (size_t i = 0; good && i < count; i++)
        to[i] = numbers[i];
    free(numbers);
    return good ? GRADUS_OK
                : gr_fail(err, GRADUS_BAD_FORMAT,
                          "the journal has a different set "
                          "of choices");
}

static gradus_status read_fold(const work *w, size_t fold, fold_values *v, gradus_error *err)
{
    char key[160];

    key_of(w, fold, key);
    const gr_json *found = gr_journal_find(w->run->journal, key);

    GR_TRY(read_numbers(found, "queries", 2, v->queries, err));
    GR_TRY(read_numbers(found, "valid", CELLS, v->valid, err));
    GR_TRY(read_numbers(found, "test", CELLS, v->test, err));
    GR_TRY(read_numbers(found, "seen", CELLS, v->seen, err));
    return read_numbers(found, "plain", AMOUNTS * STOPS, v->plain, err);
}

static size_t best_of(const double *values)
{
    size_t best = 0;

    for (size_t i = 1; i < CELLS; i++)
        if (values[i] > values[best])
            best = i;
    return best;
}

/* Means over the queries of all folds. */
typedef struct means {
    double valid[CELLS], test[CELLS], seen[CELLS], plain[AMOUNTS * STOPS];
    double by_fold; /* each fold uses the rounds and the rate selected on its validation part */
} means;

static gradus_status take_means(const work *w, means *m, gradus_error *err)
{
    double queries[2] = { 0.0, 0.0 };
    fold_values v[MAX_FOLDS];
    const size_t folds = w->folds->count < MAX_FOLDS ? w->folds->count : MAX_FOLDS;

    *m = (means){ .by_fold = 0.0 };
    for (size_t f = 0; f < folds; f++) {
        GR_TRY(read_fold(w, f, &v[f], err));
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): read_fold() filled it */
        queries[0] += v[f].queries[0];
        queries[1] += v[f].queries[1];
    }
    for (size_t f = 0; f < folds; f++) {
        const double share[] = { v[f].queries[0] / queries[0], v[f].queries[1] / queries[1] };

        m->by_fold += share[1] * v[f].test[best_of(v[f].valid)];
        for (size_t i = 0; i < CELLS; i++) {
            m->valid[i] += share[0] * v[f].valid[i];
            m->test[i] += share[1] * v[f].test[i];
            m->seen[i] += share[1] * v[f].seen[i];
        }
        for (size_t i = 0; i < AMOUNTS * STOPS; i++)
            m->plain[i] += share[1] * v[f].plain[i];
    }
    return GRADUS_OK;
}

static void put(gr_table *table, const char *row, const char *column, double value)
{
    gr_table_put(table, row, column, (gr_found){ .ours = value });
}

static void put_choices(gr_run *run, gr_table *table, size_t set, const means *m)
{
    const size_t once = best_of(m->valid), best = best_of(m->test), seen = best_of(m->seen);
    const double most = fmax(m->test[best], m->seen[seen]);

    put(table, sets[set].title, "selected per fold", m->by_fold);
    put(table, sets[set].title, "selected once", m->test[once]);
    put(table, sets[set].title, "best on test", m->test[best]);
    put(table, sets[set].title, "weights by test", m->seen[seen]);
    put(table, sets[set].title, "paper", published(set));
    gr_results_claim(run->results, most > published(set) - 0.01,
                     "the paper's ensemble of calibrated models (CPC) is within .01 of the best "
                     "that selection on the test parts gives here",
                     "%s: %zu rounds and rate %g are best on the test parts, %.4f, and %.4f with "
                     "weights from the test parts; the validation parts select %zu and %g, %.4f; "
                     "the paper has %.4f",
                     sets[set].title, rounds_at(best / RATES), rate_at(best % RATES), m->test[best],
                     m->seen[seen], rounds_at(once / RATES), rate_at(once % RATES), m->test[once],
                     published(set));
}

static void put_amounts(gr_run *run, gr_table *table, size_t set, const means *m)
{
    double best[AMOUNTS] = { 0.0 };

    for (size_t amount = 0; amount < AMOUNTS; amount++)
        for (size_t stop = 0; stop < STOPS; stop++) {
            const double value = m->plain[amount * STOPS + stop];
            char row[120], column[40];

            snprintf(row, sizeof row, "%s: %s", sets[set].title, amounts[amount]);
            snprintf(column, sizeof column, "%zu rounds", rounds_at(stop));
            put(table, row, column, value);
            best[amount] = fmax(best[amount], value);
        }
    gr_results_claim(
        run->results, best[BOTH] > best[MAX_OF_IT],
        "base models trained on more queries make better ensembles (means, differences "
        "not tested)",
        "%s: %.4f from 80%% of the training queries, %.4f from all of them, %.4f with "
        "the validation part",
        sets[set].title, best[MAX_OF_IT], best[TRAINING], best[BOTH]);
}

enum { SMALL_SIZES = 4, PAPER_SIZES = 8 };

static gradus_status run_set(gr_run *run, gr_table *choices, gr_table *learned, size_t set,
                             gradus_error *err)
{
    gr_folds folds;
    work w = {
        .run = run, .folds = &folds, .set = set, .paper = run->experiment->variant == PAPER_SIZES
    };
    means m;
    gradus_status status = gr_folds_read(run, sets[set].folder, &folds, err);

    if (status == GRADUS_OK)
        status = gr_jobs_run(run->context, "folds", folds.count, run_fold, &w, err);
    if (status == GRADUS_OK)
        status = take_means(&w, &m, err);
    if (status == GRADUS_OK) {
        put_choices(run, choices, set, &m);
        put_amounts(run, learned, set, &m);
    }
    gr_folds_free(&folds);
    return status;
}

static gradus_status run_choice(gr_run *run, gradus_error *err)
{
    gr_table *choices = gr_results_table(
        run->results, "ensemble CPC by how rounds and rate are selected", GR_WANT_HIGHER, NULL, 4);
    gr_table *learned = gr_results_table(
        run->results,
        "sum of the posteriors of all base models, without calibration, by training data",
        GR_WANT_HIGHER, NULL, 4);
    size_t there = 0;

    for (size_t s = 0; s < SETS; s++)
        if (gr_folds_are_there(run, sets[s].folder) || (!there && s + 1 == SETS)) {
            GR_TRY(run_set(run, choices, learned, s, err));
            there++;
        }
    gr_results_note(run->results,
                    "%s, five calibrations of each, rounds 10, 20, 50 or 100, rates 0, 5, "
                    "20, 50, 100 or 200. 'best on test' and 'weights by test' use the test "
                    "parts: they are not results, but bounds on what better selection could "
                    "achieve.",
                    run->experiment->variant == PAPER_SIZES
                        ? "18 base models (trees of 5 to 45 leaves, products of 2 to 10 terms)"
                        : "Nine base models (trees of 2, 3, 4, 6 and 8 leaves, products of 1 to 4 "
                          "terms)");
    return GRADUS_OK;
}

const gr_experiment gr_experiment_calibrated_choice = {
    .about = { "calibrated-choice", "effect of selection and training data on calibrated ensembles",
               "Ensembles of calibrated AdaBoost.MH by how rounds and rates are selected: per "
               "fold, once for all folds, or, as bounds, on the test parts; and by the number "
               "of training queries of base models. Explains the results of calibrated-table2." },
    .family = "calibrated",
    .needs = "ohsumed mq2008",
    .takes = "10 min",
    .variant = SMALL_SIZES,
    .run = run_choice,
};

const gr_experiment gr_experiment_calibrated_choice_paper = {
    .about = { "calibrated-choice-paper", "the same with the paper's sizes of base models",
               "calibrated-choice with trees of 5 to 45 leaves and products of 2 to 10 terms: T and "
               "c selected per fold, or once for all folds, and bounds from the test parts." },
    .family = "calibrated",
    .needs = "ohsumed mq2008",
    .takes = "40 min",
    .variant = PAPER_SIZES,
    .run = run_choice,
};
