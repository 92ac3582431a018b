/* SPDX-License-Identifier: Apache-2.0 */
/* The hyperparameter search: successive halving over brackets of settings of all methods. A rung
 * trains the surviving settings of a bracket with a fraction of the full budget. */
#include "experiments/tuning.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THIRD = 3, TIMED_BRACKET = 9 };
#define ALL_METHODS SIZE_MAX

/* Part of a time budget within which the defaults of several methods are trained. */
static const double defaults_part = 0.75;

gr_halving gr_halving_plan(size_t settings)
{
    gr_halving plan = { .rungs = 1 };
    uint64_t part = 1;

    for (size_t left = settings / THIRD; left > 0 && plan.rungs < GR_MAX_RUNGS; left /= THIRD)
        plan.rungs++;
    for (size_t i = plan.rungs; i-- > 0; part *= THIRD)
        plan.parts[i] = part;
    plan.sizes[0] = settings;
    for (size_t i = 1; i < plan.rungs; i++)
        plan.sizes[i] = plan.sizes[i - 1] / THIRD;
    return plan;
}

bool gr_tuning_better(const gr_tuning_run *run, double value, double than)
{
    if (isnan(value) || isnan(than))
        return !isnan(value) && isnan(than);
    return run->lower_is_better ? value < than : value > than;
}

/* Orders settings: those trained longer first, then by value. */
static bool goes_before(const gr_tuning_run *run, const gr_record *a, const gr_record *b)
{
    const bool first = a->complete && !a->failed, second = b->complete && !b->failed;

    if (first != second || !first)
        return first && !second;
    return a->part != b->part ? a->part < b->part : gr_tuning_better(run, a->valid, b->valid);
}

size_t gr_entrant_best(const gr_tuning_run *run, const gr_entrant *entrant)
{
    size_t best = SIZE_MAX;

    for (size_t s = 0; s < entrant->record_count; s++) {
        const gr_record *record = &entrant->records[s];

        if (record->complete && !record->failed &&
            (best == SIZE_MAX || goes_before(run, record, &entrant->records[best])))
            best = s;
    }
    return best;
}

/* One rung: the surviving settings of all methods, run as a cross-validation. */
typedef struct gr_rung {
    gr_crossval cv;
    gr_cv_candidate *candidates;
    uint64_t *parts;
    size_t *entrant; /* entrant of each candidate */
    const char **settings;
    size_t settings_used;
    size_t *measured; /* per setting: number of folds completed */
    size_t *first;    /* per candidate: offset of its settings in `settings` and `measured` */
} rung;

static void end_rung(rung *r)
{
    free(r->candidates);
    free(r->parts);
    free(r->entrant);
    free(r->settings);
    free(r->measured);
    free(r->first);
}

static gradus_status begin_rung(gr_tuning_run *run, size_t step, rung *r, gradus_error *err)
{
    size_t all = 0;

    *r = (rung){ .cv = run->cv };
    for (size_t e = 0; e < run->count; e++)
        all += run->entrants[e].alive_count + 1;
    r->candidates = gr_new_array(run->count, sizeof *r->candidates);
    r->parts = gr_new_array(run->count, sizeof *r->parts);
    r->entrant = gr_new_array(run->count, sizeof *r->entrant);
    r->settings = gr_new_array(all, sizeof *r->settings);
    r->measured = gr_new_array(all, sizeof *r->measured);
    r->first = gr_new_array(run->count, sizeof *r->first);
    if (!r->candidates || !r->parts || !r->entrant || !r->settings || !r->measured || !r->first)
        return gr_fail_memory(err, "trials");
    for (size_t e = 0; e < run->count; e++) {
        const gr_entrant *entrant = &run->entrants[e];
        const size_t c = r->cv.count;

        if (entrant->alive_count == 0 || step >= entrant->plan.rungs)
            continue;
        r->entrant[c] = e;
        r->parts[c] = entrant->plan.parts[step];
        r->first[c] = r->settings_used;
        r->candidates[c] = (gr_cv_candidate){ entrant->method, r->settings + r->settings_used };
        for (size_t s = 0; s < entrant->alive_count; s++)
            r->settings[r->settings_used++] = entrant->settings.list[entrant->alive[s]];
        r->settings[r->settings_used++] = NULL;
        r->cv.count++;
    }
    r->cv.candidates = r->candidates;
    r->cv.parts = r->parts;
    return GRADUS_OK;
}

static double square(double number)
{
    return number * number;
}

static double valid_on(const gr_tuning_run *run, const rung *r, size_t c, size_t s, size_t f)
{
    return gr_json_real(gr_crossval_trial(&r->cv, run->journal, c, s, f), "valid");
}

/* What training chose on a fold; NULL: nothing. */
static const char *chosen_on(const gr_tuning_run *run, const rung *r, size_t c, size_t s, size_t f)
{
    const char *words = NULL;

    gr_json_text(gr_json_find(gr_crossval_trial(&r->cv, run->journal, c, s, f), "chosen"), &words);
    return words;
}

/* What most folds chose; the first of several. */
static void take_choice(const gr_tuning_run *run, const rung *r, size_t c, size_t s,
                        gr_record *record)
{
    size_t most = 0;

    record->chosen[0] = '\0';
    for (size_t f = 0; f < r->cv.fold_count; f++) {
        const char *words = chosen_on(run, r, c, s, f);
        size_t same = 0;

        for (size_t g = 0; words && g < r->cv.fold_count; g++) {
            const char *other = chosen_on(run, r, c, s, g);

            same += other && strcmp(words, other) == 0;
        }
        if (same > most) {
            most = same;
            snprintf(record->chosen, sizeof record->chosen, "%s", words);
        }
    }
}

/* Aggregates a setting over its folds; false if a fold is missing. */
static bool sum_folds(gr_tuning_run *run, const rung *r, size_t c, size_t s, gr_record *record,
                      const char **failed)
{
    const size_t folds = r->cv.fold_count;
    double sum = 0.0, squares = 0.0, seconds = 0.0;
    double rounds = 0.0;

    *failed = NULL;
    for (size_t f = 0; f < folds; f++) {
        const gr_json *value = gr_crossval_trial(&r->cv, run->journal, c, s, f);

        if (!value)
            return false;
        if (gr_json_text(gr_json_find(value, "failed"), failed))
            return true;
        gr_json_flag(gr_json_find(value, "lower_is_better"), &run->lower_is_better);
        sum += gr_json_real(value, "valid");
        rounds += gr_json_real(value, "rounds");
        seconds += gr_json_real(value, "seconds");
    }
    record->valid = sum / (double)folds;
    record->rounds = rounds / (double)folds;
    record->seconds += seconds;
    take_choice(run, r, c, s, record);
    for (size_t f = 0; f < folds; f++)
        squares += square(valid_on(run, r, c, s, f) - record->valid);
    record->error = folds > 1 ? sqrt(squares / (double)(folds - 1) / (double)folds) : (double)NAN;
    return true;
}

/* Copies the journal's results of the rung into the records. *all: none is missing. */
static gradus_status take_up(gr_tuning_run *run, const rung *r, bool *all, gradus_error *err)
{
    *all = true;
    for (size_t c = 0; c < r->cv.count; c++) {
        gr_entrant *entrant = &run->entrants[r->entrant[c]];

        for (size_t s = 0; s < entrant->alive_count; s++) {
            gr_record *record = &entrant->records[entrant->alive[s]];
            const char *failed;

            if (!sum_folds(run, r, c, s, record, &failed)) {
                *all = false;
                continue;
            }
            record->complete = true;
            record->part = r->parts[c];
            if (failed && !record->failed && !(record->failed = strdup(failed)))
                return gr_fail_memory(err, "trials");
        }
    }
    return GRADUS_OK;
}

/* The default settings survive every rung, so that the selected settings have been compared with
 * them at full length. */
static bool is_default(size_t setting)
{
    return setting == 0;
}

/* Keeps the best `keep` settings and the defaults, in the order they were drawn. Returns by how
 * many this exceeds `keep`. */
static size_t thin(const gr_tuning_run *run, gr_entrant *entrant, size_t keep)
{
    size_t kept = 0;

    for (size_t i = 0; i < entrant->alive_count; i++) {
        const gr_record *record = &entrant->records[entrant->alive[i]];
        size_t before = 0;

        for (size_t j = 0; j < entrant->alive_count; j++) {
            const gr_record *other = &entrant->records[entrant->alive[j]];

            before += j != i && (goes_before(run, other, record) ||
                                 (j < i && !goes_before(run, record, other)));
        }
        if ((before < keep || is_default(entrant->alive[i])) && !record->failed)
            entrant->records[entrant->alive[i]].goes_on = true;
    }
    for (size_t i = 0; i < entrant->alive_count; i++) {
        gr_record *record = &entrant->records[entrant->alive[i]];

        if (record->goes_on)
            entrant->alive[kept++] = entrant->alive[i];
        else
            gr_crossval_drop(&run->cv, entrant->method, entrant->settings.list[entrant->alive[i]]);
        record->goes_on = false;
    }
    entrant->alive_count = kept;
    return kept > keep ? kept - keep : 0;
}

/* Ends the search early enough for the final training: of the best settings of all methods if they
 * are tested again, and of the winner. At most half of the time is kept for it. */
static void keep_time(gr_tuning_run *run)
{
    const double threads = 0.75 * (double)gradus_context_threads(run->context);
    const gr_entrant *best = NULL;
    double reserve = 0.0;

    for (size_t e = 0; e < run->count; e++) {
        const gr_entrant *entrant = &run->entrants[e];

        if (!best || gr_tuning_better(run, entrant->best, best->best))
            best = entrant;
        reserve += run->data.test ? entrant->refit : 0.0;
    }
    if (best && run->options.refit != GR_REFIT_NONE)
        reserve += best->refit;
    reserve = fmin(reserve / fmax(threads, 1.0), 0.5 * run->budget.seconds);
    run->clock.most = run->stage * (run->budget.seconds - reserve);
}

/* Notes how long a full training of a setting would take. */
static void expect(gr_tuning_run *run, const rung *r, size_t c, const gr_record *record)
{
    gr_entrant *entrant = &run->entrants[r->entrant[c]];

    atomic_store(&run->some, true);
    if (run->budget.settings || !gr_tuning_better(run, record->valid, entrant->best))
        return;
    entrant->best = record->valid;
    entrant->refit = record->seconds / (double)r->cv.fold_count * (double)r->parts[c];
    keep_time(run);
}

/* Counts one more completed fold of a setting; after its last fold, the setting may become the best
 * so far. */
static void consider(gr_tuning_run *run, rung *r, size_t c, size_t s)
{
    gradus_tuning_state *state = &run->state;
    gr_record record = { .part = 0 };
    const char *failed;

    state->done++;
    if (++r->measured[r->first[c] + s] == r->cv.fold_count &&
        sum_folds(run, r, c, s, &record, &failed) && !failed) {
        expect(run, r, c, &record);
        if (gr_tuning_better(run, record.valid, state->best)) {
            state->best = record.valid;
            state->best_method = r->candidates[c].name;
            state->best_settings = gr_setting_words(r->candidates[c].settings[s]);
        }
    }
    state->lower_is_better = run->lower_is_better;
}

/* Called for every completed trial. */
static void hear(void *user, size_t c, size_t s, size_t f, const gr_json *value)
{
    gr_tuning_run *run = user;
    rung *r = run->rung;
    gradus_tuning_state *state = &run->state;

    consider(run, r, c, s);
    state->used = gr_seconds() - run->clock.start;
    state->method = r->candidates[c].name;
    state->settings = gr_setting_words(r->candidates[c].settings[s]);
    state->fold = f + 1;
    state->part = (size_t)r->parts[c];
    state->valid = gr_json_real(value, "valid");
    if (run->input->watch)
        run->input->watch(run->input->user, state);
}

/* Counts the trials already in the journal as completed. */
static void count_kept(gr_tuning_run *run, rung *r)
{
    for (size_t c = 0; c < r->cv.count; c++)
        for (size_t s = 0; r->candidates[c].settings[s]; s++)
            for (size_t f = 0; f < r->cv.fold_count; f++)
                if (gr_crossval_trial(&r->cv, run->journal, c, s, f))
                    consider(run, r, c, s);
}

static double weight_of(const rung *r)
{
    double weight = 0.0;

    for (size_t c = 0; c < r->cv.count; c++)
        for (size_t s = 0; r->candidates[c].settings[s]; s++)
            weight += (double)r->cv.fold_count / (double)r->parts[c];
    return weight;
}

/* Runs one rung of all methods. *all: it was completed. */
static gradus_status run_rung(gr_tuning_run *run, size_t step, bool *all, gradus_error *err)
{
    rung r;
    gradus_status status = begin_rung(run, step, &r, err);

    if (status == GRADUS_OK) {
        r.cv.ended = hear;
        r.cv.user = run;
        run->rung = &r;
        run->weight_now = weight_of(&r);
        count_kept(run, &r);
        status = gr_crossval_run_trials(run->context, &r.cv, run->journal, err);
        if (status == GRADUS_CANCELLED && run->dropped)
            status = GRADUS_OK;
        run->weight_done += run->weight_now;
        run->rung = NULL;
    }
    if (status == GRADUS_OK)
        status = take_up(run, &r, all, err);
    end_rung(&r);
    return status;
}

/* Adds the next settings of a method. The defaults always come first, even on a grid; points 0:
 * nothing but the defaults. */
static gradus_status draw_settings(const gr_tuning_run *run, gr_entrant *entrant, size_t count,
                                   size_t points, gradus_error *err)
{
    uint64_t first = 0;

    if (run->options.search != GR_SEARCH_GRID)
        return gr_setting_list_draw(&entrant->space, entrant->method, run->options.seed, count,
                                    &entrant->next, &entrant->settings, err);
    if (entrant->settings.count == 0)
        GR_TRY(gr_setting_list_draw(&entrant->space, entrant->method, run->options.seed, 1, &first,
                                    &entrant->settings, err));
    return points ? gr_setting_list_grid(&entrant->space, entrant->method, points, count,
                                         &entrant->next, &entrant->settings, err)
                  : GRADUS_OK;
}

/* Draws the settings of a method's next bracket, and allocates their results. */
static gradus_status draw_bracket(const gr_tuning_run *run, gr_entrant *entrant, size_t count,
                                  size_t points, gradus_error *err)
{
    const size_t before = entrant->settings.count;

    GR_TRY(draw_settings(run, entrant, count, points, err));
    const size_t now = entrant->settings.count;
    gr_record *records = realloc(entrant->records, (now + 1) * sizeof *records);
    size_t *alive = realloc(entrant->alive, (now - before + 1) * sizeof *alive);

    if (records)
        entrant->records = records;
    if (alive)
        entrant->alive = alive;
    if (!records || !alive)
        return gr_fail_memory(err, "trials");
    for (size_t s = before; s < now; s++) {
        records[s] = (gr_record){ .valid = (double)NAN };
        alive[entrant->alive_count++] = s;
    }
    entrant->record_count = now;
    entrant->plan = gr_halving_plan(entrant->alive_count);
    if (run->options.search != GR_SEARCH_HALVING)
        entrant->plan = (gr_halving){ 1, { entrant->alive_count }, { 1 } };
    return GRADUS_OK;
}

/* Draws the settings of the next bracket of all methods, or of one. *some: whether there are any.
 */
static gradus_status draw_brackets(gr_tuning_run *run, size_t only, size_t count, size_t points,
                                   bool *some, gradus_error *err)
{
    *some = false;
    for (size_t e = 0; e < run->count; e++) {
        gr_entrant *entrant = &run->entrants[e];

        entrant->alive_count = 0;
        if (entrant->failed || (only != ALL_METHODS && only != e))
            continue;
        GR_TRY(draw_bracket(run, entrant, count, points, err));
        *some = *some || entrant->alive_count;
    }
    return GRADUS_OK;
}

/* Adds the trials of one rung to the amount of planned work; unknown if the budget is a time. */
static void add_weight(gr_tuning_run *run, size_t settings, uint64_t part)
{
    const size_t trainings = settings * run->data.folds.count;

    run->weight_all += (double)trainings / (double)part;
    if (run->budget.settings)
        run->state.planned += trainings;
}

/* Computes the amount of planned work, for progress. */
static void weigh(gr_tuning_run *run)
{
    for (size_t e = 0; e < run->count; e++) {
        const gr_entrant *entrant = &run->entrants[e];

        for (size_t i = 0; entrant->alive_count && i < entrant->plan.rungs; i++)
            add_weight(run, entrant->plan.sizes[i], entrant->plan.parts[i]);
    }
}

/* Runs the rungs of a bracket. *all: it was completed. */
static gradus_status run_bracket(gr_tuning_run *run, bool *all, gradus_error *err)
{
    gradus_status status = GRADUS_OK;
    bool more = true;

    *all = true;
    for (size_t step = 0; status == GRADUS_OK && more && *all; step++) {
        status = run_rung(run, step, all, err);
        more = false;
        for (size_t e = 0; status == GRADUS_OK && *all && e < run->count; e++) {
            gr_entrant *entrant = &run->entrants[e];

            if (step + 1 >= entrant->plan.rungs)
                entrant->alive_count = 0;
            else
                add_weight(run, thin(run, entrant, entrant->plan.sizes[step + 1]),
                           entrant->plan.parts[step + 1]);
            more = more || entrant->alive_count;
        }
    }
    return status;
}

/* Grid points per range: as many as the budget allows. */
static gradus_status configure_grid(const gr_tuning_run *run, size_t *points, gradus_error *err)
{
    *points = 3;
    if (run->options.search != GR_SEARCH_GRID || !run->budget.settings)
        return GRADUS_OK;
    for (size_t e = 0; e < run->count; e++) {
        const gr_space *space = &run->entrants[e].space;
        const size_t least = gr_space_grid(space, 2);

        if (least > run->budget.settings)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "the grid of '%s' has at least %zu points, but 'budget' is %zu: raise "
                           "it, narrow 'space', or search at random",
                           run->entrants[e].method, least, run->budget.settings);
    }
    for (*points = 2; *points < 1000; (*points)++)
        for (size_t e = 0; e < run->count; e++)
            if (gr_space_grid(&run->entrants[e].space, *points + 1) > run->budget.settings)
                return GRADUS_OK;
    return GRADUS_OK;
}

/* ---- A time as the budget ---- */

/* The method that `train` uses by default is trained first, then those that are faster. */
static double order_of(const gr_entrant *entrant)
{
    return strcmp(entrant->method, "lambdamart") == 0 ? 0.0 : gr_method_cost(entrant->method);
}

static void sort_by_cost(gr_tuning_run *run)
{
    for (size_t e = 1; e < run->count; e++) {
        const gr_entrant moved = run->entrants[e];
        size_t at = e;

        for (; at > 0 && order_of(&moved) < order_of(&run->entrants[at - 1]); at--)
            run->entrants[at] = run->entrants[at - 1];
        run->entrants[at] = moved;
    }
}

static void begin_stage(gr_tuning_run *run, double stage)
{
    run->stage = stage;
    run->dropped = false;
    keep_time(run);
}

/* Trains the defaults of all methods to the end. Methods that part of the time is not enough for
 * are left out, unless it is not enough for any. */
static gradus_status run_defaults(gr_tuning_run *run, gradus_error *err)
{
    bool some, all;

    if (strcmp(run->options.method, "all") == 0)
        sort_by_cost(run);
    GR_TRY(draw_brackets(run, ALL_METHODS, 1, 0, &some, err));
    begin_stage(run, run->count > 1 ? defaults_part : 1.0);
    GR_TRY(run_rung(run, 0, &all, err));
    if (!all && !atomic_load(&run->some)) {
        begin_stage(run, 1.0);
        GR_TRY(run_rung(run, 0, &all, err));
    }
    run->out_of_time = !all;
    begin_stage(run, 1.0);
    return GRADUS_OK;
}

/* The method with the best value, of those not marked; its defaults were trained to the end, or
 * cannot be trained. ALL_METHODS: no method. */
static size_t next_method(const gr_tuning_run *run, const bool *marked)
{
    size_t next = ALL_METHODS;

    for (size_t e = 0; e < run->count; e++) {
        const gr_entrant *entrant = &run->entrants[e];

        if (!marked[e] && entrant->record_count && entrant->records[0].complete &&
            (next == ALL_METHODS || gr_tuning_better(run, entrant->best, run->entrants[next].best)))
            next = e;
    }
    return next;
}

/* One bracket of each method, the best first. A bracket ends with a full training, and those of one
 * method are all completed before the next one's begin: otherwise nothing but trials that were
 * stopped early would be left when the time is over. *some: any method had settings left. */
static gradus_status run_each(gr_tuning_run *run, bool *marked, size_t points, bool *some,
                              bool *all, gradus_error *err)
{
    size_t e;

    *some = false;
    *all = true;
    memset(marked, 0, run->count * sizeof *marked);
    while (*all && (e = next_method(run, marked)) != ALL_METHODS) {
        bool drawn;

        marked[e] = true;
        GR_TRY(draw_brackets(run, e, TIMED_BRACKET, points, &drawn, err));
        if (drawn)
            GR_TRY(run_bracket(run, all, err));
        *some = *some || drawn;
    }
    return GRADUS_OK;
}

static gradus_status search_in_time(gr_tuning_run *run, size_t points, gradus_error *err)
{
    bool *marked = gr_new_array(run->count, sizeof *marked), some = true, all = true;
    gradus_status status = marked ? run_defaults(run, err) : gr_fail_memory(err, "methods");

    while (status == GRADUS_OK && some && all)
        status = run_each(run, marked, points, &some, &all, err);
    run->out_of_time = run->out_of_time || !all;
    free(marked);
    return status;
}

gradus_status gr_search(gr_tuning_run *run, gradus_error *err)
{
    size_t points;
    bool some, all;

    GR_TRY(configure_grid(run, &points, err));
    run->state.best = (double)NAN;
    if (!run->budget.settings)
        return search_in_time(run, points, err);
    GR_TRY(draw_brackets(run, ALL_METHODS, run->budget.settings, points, &some, err));
    weigh(run);
    if (some)
        GR_TRY(run_bracket(run, &all, err));
    return GRADUS_OK;
}
