/* SPDX-License-Identifier: Apache-2.0 */
/* Table 2 of the AdaBoost.MH calibration paper with its own sizes of trees and products, number of
 * rounds T and rate c, over several seeds, and one line for each hypothesis why the figures differ. */
#include "experiments/jobs.h"
#include "experiments/papers/calibrated_parts.h"
#include "experiments/published.h"

#include "base/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE "calibrated_paper"

enum { MAX_BASES = 18, CPC = 5, CALIBRATIONS = 13, MEMBERS = MAX_BASES * CALIBRATIONS };

/* The lines of the table; those from NOT_RESCALED on are run with the first seed only. */
enum { LINE_CPC, LINE_RBC, LINE_BOTH, NOT_RESCALED, BY_TEST, FULL_TRAIN, ABSTAIN, OFFSET, LINES };

static const char *const lines[LINES] = {
    "ensemble CPC",
    "ensemble RBC",
    "ensemble CPC+RBC",
    "CPC+RBC, members of CPC not rescaled",
    "CPC, weights by the test part (an oracle)",
    "CPC, base models on the full training part",
    "CPC, abstaining votes",
    "CPC, edge offset .01",
};

static const struct {
    const char *folder, *title, *measure, *convention;
} sets[] = {
    { "ohsumed", "OHSUMED, NDCG@10", "ndcg@10", "letor3" },
    { "mq2008", "MQ2008, mean NDCG", "mean-ndcg", "letor4" },
    { "mq2007", "MQ2007, mean NDCG", "mean-ndcg", "letor4" },
    { "mq2007-partial", "MQ2007 (partial), mean NDCG", "mean-ndcg", "letor4" },
};
enum { SETS = sizeof sets / sizeof sets[0] };

typedef struct work {
    gr_run *run;
    const gr_folds *folds;
    size_t set, seeds;
} work;

static void key_of(const work *w, size_t fold, size_t seed, char key[160])
{
    snprintf(key, 160, "Table 2 with the paper's T and c | %s | seed %zu",
             w->folds->folds[fold].name, seed);
}

/* Scores of the members on the validation and the test part. */
typedef struct board {
    const gr_fold *fold;
    size_t bases, calibrations, rows[2];
    double *scores[2], *mixed;
    double values[MEMBERS][2]; /* NDCG@10 per member and part */
} board;

static const gradus_dataset *part_of(const board *b, size_t p)
{
    return p ? b->fold->test : b->fold->valid;
}

static void end_board(board *b)
{
    free(b->scores[0]);
    free(b->scores[1]);
    free(b->mixed);
}

static gradus_status start_board(const work *w, const gr_fold *fold, board *b, gradus_error *err)
{
    *b = (board){ .fold = fold, .bases = w->run->scale < 1.0 ? 2 : MAX_BASES };
    for (size_t p = 0; p < 2; p++) {
        b->rows[p] = gradus_dataset_rows(part_of(b, p));
        b->scores[p] = gr_new_array(MEMBERS * b->rows[p], sizeof(double));
    }
    b->mixed = gr_new_array(b->rows[1], sizeof(double));
    return b->scores[0] && b->scores[1] && b->mixed ? GRADUS_OK : gr_fail_memory(err, "scores");
}

static gradus_status put_member(const gradus_model *model, const gradus_dataset *calibrate,
                                size_t member, board *b, gradus_context *context, gradus_error *err)
{
    double *scores[2] = { b->scores[0] + member * b->rows[0], b->scores[1] + member * b->rows[1] };
    const char *words = gr_paper_setting_at(TABLE, "calibration", member % b->calibrations);

    return gr_calibrated_member(model, calibrate, words ? words : "", b->fold, scores,
                                b->values[member], context, err);
}

/* Trains the base models and fits the first `calibrations` calibrations of each. */
static gradus_status fill_board(const work *w, const gradus_dataset *train,
                                const gradus_dataset *calibrate, const char *extra,
                                size_t calibrations, board *b, gradus_context *context,
                                gradus_error *err)
{
    const bool ohsumed = strcmp(sets[w->set].folder, "ohsumed") == 0;
    const size_t rounds = gr_paper_count(TABLE, ohsumed ? "rounds of OHSUMED" : "rounds", 0);
    gradus_status status = GRADUS_OK;

    b->calibrations = calibrations;
    for (size_t base = 0; base < b->bases && status == GRADUS_OK; base++) {
        char words[200];

        snprintf(words, sizeof words, "%s %s rounds=%zu %s %s", gr_paper_words(TABLE, "method"),
                 gr_paper_setting_at(TABLE, "base", base), gr_scaled(w->run, rounds, 2),
                 gr_paper_words(TABLE, "common"), extra);
        gradus_model *model = gr_train_words(train, words, context, err);

        status = model ? GRADUS_OK : err->status;
        for (size_t c = 0; c < calibrations && status == GRADUS_OK; c++)
            status = put_member(model, calibrate, base * calibrations + c, b, context, err);
        gradus_model_free(model);
    }
    return status;
}

/* Which members are combined, and how. */
typedef struct mixing {
    bool cpc, rbc;
    bool rescaled
        [2];   /* members of CPC and of RBC: to [0, 1] by their range on the validation part */
    size_t by; /* weights by the NDCG@10 of this part: 0 validation, 1 test */
} mixing;

static void add_member(board *b, size_t member, double weight, bool rescaled)
{
    const double *valid = b->scores[0] + member * b->rows[0];
    const double *test = b->scores[1] + member * b->rows[1];
    double low = INFINITY, high = -INFINITY;

    for (size_t r = 0; rescaled && r < b->rows[0]; r++) {
        low = fmin(low, valid[r]);
        high = fmax(high, valid[r]);
    }
    if (!rescaled || !(high > low)) {
        low = 0.0;
        high = 1.0;
    }
    for (size_t r = 0; r < b->rows[1]; r++)
        b->mixed[r] += weight * (test[r] - low) / (high - low);
}

/* The paper's measure of an ensemble on the test part. */
static gradus_status mix(const work *w, board *b, mixing how, double *value,
                         gradus_context *context, gradus_error *err)
{
    const double rate = gr_paper_number(TABLE, "rate", 0);
    double best = 0.0;

    for (size_t m = 0; m < b->bases * b->calibrations; m++)
        best = fmax(best, b->values[m][how.by]);
    for (size_t r = 0; r < b->rows[1]; r++)
        b->mixed[r] = 0.0;
    for (size_t m = 0; m < b->bases * b->calibrations; m++) {
        const bool rbc = m % b->calibrations >= CPC;

        if (rbc ? how.rbc : how.cpc)
            add_member(b, m, gr_exp(rate * (b->values[m][how.by] - best)), how.rescaled[rbc]);
    }
    return gr_measure_by(part_of(b, 1), b->mixed, sets[w->set].measure, sets[w->set].convention,
                         value, context, err);
}

static gradus_status take_paper(const work *w, board *b, bool all, double values[LINES],
                                gradus_context *context, gradus_error *err)
{
    const mixing cpc = { .cpc = true }, rbc = { .rbc = true, .rescaled = { true, true } };
    const mixing both = { .cpc = true, .rbc = true, .rescaled = { true, true } };
    const mixing raw = { .cpc = true, .rbc = true, .rescaled = { false, true } };
    const mixing test = { .cpc = true, .by = 1 };

    GR_TRY(mix(w, b, cpc, &values[LINE_CPC], context, err));
    GR_TRY(mix(w, b, rbc, &values[LINE_RBC], context, err));
    GR_TRY(mix(w, b, both, &values[LINE_BOTH], context, err));
    if (all) {
        GR_TRY(mix(w, b, raw, &values[NOT_RESCALED], context, err));
        GR_TRY(mix(w, b, test, &values[BY_TEST], context, err));
    }
    return GRADUS_OK;
}

static gradus_status take_fold(const work *w, const gr_fold *fold, size_t seed,
                               gradus_dataset *parts[2], board *b, double values[LINES],
                               gradus_context *context, gradus_error *err)
{
    static const char *const extras[LINES] = {
        [FULL_TRAIN] = "", [ABSTAIN] = "abstain=true", [OFFSET] = "edge-offset=0.01"
    };
    const mixing cpc = { .cpc = true };

    GR_TRY(gr_calibration_cut(w->run->seed + seed, fold->train, parts, context, err));
    GR_TRY(start_board(w, fold, b, err));
    GR_TRY(fill_board(w, parts[0], parts[1], "", CALIBRATIONS, b, context, err));
    GR_TRY(take_paper(w, b, seed == 0, values, context, err));
    for (size_t l = FULL_TRAIN; seed == 0 && l < LINES; l++) {
        const gradus_dataset *train = l == FULL_TRAIN ? fold->train : parts[0];

        GR_TRY(fill_board(w, train, parts[1], extras[l], CPC, b, context, err));
        GR_TRY(mix(w, b, cpc, &values[l], context, err));
    }
    return GRADUS_OK;
}

static gradus_status run_fold(void *argument, size_t index, gradus_context *context,
                              gradus_error *err)
{
    const work *w = argument;
    const size_t seed = index / w->folds->count, fold = index % w->folds->count;
    gradus_dataset *parts[2] = { NULL, NULL };
    gr_json_writer value = { 0 };
    double values[LINES];
    board b = { .bases = 0 };
    char key[160];

    key_of(w, fold, seed, key);
    if (gr_journal_find(w->run->journal, key))
        return GRADUS_OK;
    for (size_t l = 0; l < LINES; l++)
        values[l] = (double)NAN;
    gradus_status status =
        take_fold(w, &w->folds->folds[fold], seed, parts, &b, values, context, err);

    if (status == GRADUS_OK) {
        gr_json_open(&value, NULL, '{');
        gr_json_put_count(&value, "queries", gradus_dataset_queries(w->folds->folds[fold].test));
        gr_json_put_numbers(&value, "values", values, LINES);
        gr_json_close(&value, '}');
        status = gr_journal_add(w->run->journal, key, &value, err);
    }
    gr_json_writer_free(&value);
    gradus_dataset_free(parts[0]);
    gradus_dataset_free(parts[1]);
    end_board(&b);
    return status;
}

/* Means over the queries of all folds, for one seed. */
static gradus_status read_seed(const work *w, size_t seed, double means[LINES], gradus_error *err)
{
    double queries = 0.0;

    for (size_t l = 0; l < LINES; l++)
        means[l] = 0.0;
    for (size_t f = 0; f < w->folds->count; f++) {
        char key[160];
        size_t count = 0;
        double weight = 0.0;

        key_of(w, f, seed, key);
        const gr_json *found = gr_journal_find(w->run->journal, key);
        double *values = gr_json_numbers(gr_json_find(found, "values"), &count);

        if (!values || count != LINES || !gr_json_number(gr_json_find(found, "queries"), &weight)) {
            free(values);
            return gr_fail(err, GRADUS_BAD_FORMAT, "the journal has other lines of Table 2");
        }
        for (size_t l = 0; l < LINES; l++)
            means[l] += weight * values[l];
        queries += weight;
        free(values);
    }
    for (size_t l = 0; l < LINES; l++)
        means[l] /= queries;
    return GRADUS_OK;
}

/* What the lines with the first seed only are to be compared with. */
static void put_first(const work *w, gr_table *table, const double first[LINES])
{
    for (size_t l = 0; l <= LINE_BOTH; l++) {
        char name[64];

        snprintf(name, sizeof name, "%s, the first seed", lines[l]);
        gr_table_put(table, sets[w->set].title, name, (gr_found){ .ours = first[l] });
    }
}

static gradus_status put_set(const work *w, gr_table *table, gradus_error *err)
{
    double sums[LINES] = { 0.0 }, squares[LINES] = { 0.0 }, first[LINES] = { 0.0 };
    const double seeds = (double)w->seeds;

    for (size_t s = w->seeds; s-- > 0;) {
        GR_TRY(read_seed(w, s, first, err));
        for (size_t l = 0; l <= LINE_BOTH; l++) {
            sums[l] += first[l];
            squares[l] += first[l] * first[l];
        }
    }
    for (size_t l = 0; l < LINES; l++) {
        const double mean = l <= LINE_BOTH ? sums[l] / seeds : first[l];
        const double spread =
            w->seeds > 1 ? sqrt(fmax(squares[l] - seeds * mean * mean, 0.0) / (seeds - 1.0)) : 0.0;

        if (l == NOT_RESCALED)
            put_first(w, table, first);
        gr_table_put(table, sets[w->set].title, lines[l],
                     (gr_found){ .ours = mean,
                                 .error = l <= LINE_BOTH ? spread : 0.0,
                                 .paper = l <= LINE_BOTH
                                              ? gr_published(TABLE, sets[w->set].folder, lines[l])
                                              : 0.0 });
    }
    return GRADUS_OK;
}

static gradus_status run_paper(gr_run *run, gradus_error *err)
{
    gr_table *table = gr_results_table(
        run->results,
        "the paper's sizes, T and c; means over seeds, ±: standard deviation over seeds; lines "
        "without a published value test hypotheses, with the first seed",
        GR_WANT_HIGHER, TABLE, 4);
    work w = { .run = run, .seeds = gr_run_seeds(run, gr_paper_count(TABLE, "seeds", 0)) };

    if (run->scale < 1.0)
        w.seeds = 1;
    for (w.set = 0; w.set < SETS; w.set++) {
        gr_folds folds;

        if (!gr_folds_are_there(run, sets[w.set].folder))
            continue;
        w.folds = &folds;
        gradus_status status = gr_folds_read(run, sets[w.set].folder, &folds, err);

        if (status == GRADUS_OK)
            status = gr_jobs_run(run->context, "folds and seeds", folds.count * w.seeds, run_fold,
                                 &w, err);
        if (status == GRADUS_OK)
            status = put_set(&w, table, err);
        gr_folds_free(&folds);
        GR_TRY(status);
    }
    gr_results_note(run->results,
                    "Trees of 5 to 45 leaves, products of 2 to 10 terms, T = 100 (OHSUMED) and 50, "
                    "c = 100. Seeds differ in the queries that calibrate. sigma of SN is .01 in "
                    "the paper's units: gains of 2^l - 1 and the paper's 2^l + 1 have the same "
                    "differences, and the objective differs by a constant.");
    return GRADUS_OK;
}

const gr_experiment gr_experiment_calibrated_paper = {
    .about = { "calibrated-paper", "calibrated ensembles with the paper's sizes, T and c",
               "Table 2's ensembles of AdaBoost.MH with the paper's sizes of trees and products, "
               "numbers of rounds and rate, over ten seeds; and one line for each hypothesis that "
               "might explain the differences." },
    .family = "calibrated",
    .needs = "ohsumed mq2008",
    .takes = "3 h",
    .uses = "mq2007 mq2007-partial",
    .variant = 5,
    .run = run_paper,
};
