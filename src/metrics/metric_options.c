/* SPDX-License-Identifier: Apache-2.0 */
/* The options of "evaluate", and their conversion to settings: a convention with overridden
 * switches, the metrics, the cost. */
#include "metrics/evaluate.h"

#include "base/memory.h"
#include "base/text.h"
#include "metrics/gains.h"

#include <math.h>

static const char *const gains[] = { "preset", "exp", "linear", "letor", "mslr", NULL };
static const char *const discounts[] = { "preset", "log2", "letor", "rank", "none", NULL };
static const char *const empties[] = { "preset", "zero", "half", "one", "skip", NULL };
static const char *const shorts[] = { "preset", "pad", "cut", "zero", "drop", NULL };
static const char *const ties[] = { "preset",     "input",    "docno", "pessimistic",
                                    "optimistic", "expected", NULL };
static const char *const divisors[] = { "preset", "relevant", "depth", "found", NULL };
static const char *const withins[] = { "query", "all", NULL };
static const char *const unjudgeds[] = { "zero", "condensed", NULL };

static const gr_param evaluate_params[] = {
    GR_PARAM_TEXT(gr_evaluate_options, metric, "metric", "LIST", "ndcg@10,err@10,map,p@10,mrr",
                  "metrics, comma-separated, each with @k where a cutoff applies"),
    GR_PARAM_CHOICE(gr_evaluate_options, convention, "convention", "NAME", "gradus",
                    gr_convention_names, "the tool to reproduce; sets the switches below"),
    GR_PARAM_CHOICE(gr_evaluate_options, gain, "gain", "RULE", "preset", gains,
                    "gain of a label in NDCG: 2^y-1, y, or a script's table"),
    GR_PARAM_TEXT(gr_evaluate_options, label_gain, "label-gain", "LIST", "",
                  "gains of the labels 0, 1, ... in NDCG, comma-separated: 0,1,3,7,15"),
    GR_PARAM_CHOICE(gr_evaluate_options, discount, "discount", "RULE", "preset", discounts,
                    "weight of rank i: 1/log2(1+i), LETOR's 1, 1, 1/log2(i), 1/i, or 1"),
    GR_PARAM_TEXT(gr_evaluate_options, rank_discounts, "rank-discounts", "LIST", "",
                  "weights of the ranks 1, 2, ... instead, comma-separated; the last one applies "
                  "to all further ranks: 1,0.5,0.2,0"),
    GR_PARAM_CHOICE(gr_evaluate_options, empty, "empty", "RULE", "preset", empties,
                    "value of a query without relevant documents; skip leaves it out"),
    GR_PARAM_CHOICE(gr_evaluate_options, short_lists, "short", "RULE", "preset", shorts,
                    "lists shorter than the cutoff: pad, cut the cutoff, count 0, or drop"),
    GR_PARAM_CHOICE(gr_evaluate_options, ties, "ties", "RULE", "preset", ties,
                    "order of documents with equal scores; expected averages all orders"),
    GR_PARAM_REAL(gr_evaluate_options, relevant, "relevant", "LABEL", 0, 0, 1e9,
                  "minimum label of a relevant document (0: the convention's, mostly 1)"),
    GR_PARAM_COUNT(gr_evaluate_options, max_grade, "max-grade", "K", 0, 0, 1023,
                   "largest grade of ERR (0: the convention's, or the largest label)"),
    GR_PARAM_CHOICE(gr_evaluate_options, map_divisor, "map-divisor", "RULE", "preset", divisors,
                    "MAP@k divides by: all relevant, min(relevant, k), or those found"),
    GR_PARAM_CHOICE(gr_evaluate_options, within, "within", "SCOPE", "query", withins,
                    "rank each query, or all rows as one list"),
    GR_PARAM_PATH(gr_evaluate_options, cost, "cost", "COST", "linear", GRADUS_PATH_READ,
                  "cost for risk: a name, or a matrix file"),
    GR_PARAM_REAL(gr_evaluate_options, push_power, "push-power", "P", 4, 1, 1000,
                  "power p of "
                  "push"),
    GR_PARAM_REAL(gr_evaluate_options, persistence, "persistence", "P", 0.8, 0, 0.9999,
                  "rbp: probability that the user continues to the next document"),
    GR_PARAM_COUNT(gr_evaluate_options, bins, "bins", "N", 10, 1, 1000000, "number of bins of ece"),
    GR_PARAM_CHOICE(gr_evaluate_options, unjudged, "unjudged", "RULE", "zero", unjudgeds,
                    "TREC runs: unjudged documents are irrelevant, or removed from the list"),
    GR_PARAM_FLAG(gr_evaluate_options, complete, "complete",
                  "TREC runs: average over all judged topics, missing ones as empty lists"),
    GR_PARAM_END,
};

const gr_operation gr_operation_evaluate = {
    .name = "evaluate",
    .summary = "measure how well scores rank documents",
    .params = evaluate_params,
    .size = sizeof(gr_evaluate_options),
};

static void add_word(char *text, const char *what, const char *word)
{
    if (*text)
        gr_text_append(text, GR_SWITCHES_SIZE, ", ");
    gr_text_append(text, GR_SWITCHES_SIZE, what);
    gr_text_append(text, GR_SWITCHES_SIZE, " ");
    gr_text_append(text, GR_SWITCHES_SIZE, word);
}

static void add_number(char *text, const char *what, double number)
{
    char word[GRADUS_NUMBER_SIZE];

    gr_format_double(number, word);
    add_word(text, what, word);
}

/* Overrides a switch of the convention if the option was set; if that changes it, adds it to the
 * name. */
static int take(gr_evaluation *evaluation, const char *what, const char *const *words, int chosen,
                int preset)
{
    if (chosen == 0)
        return preset;
    if (chosen - 1 != preset)
        add_word(evaluation->name, what, words[chosen]);
    return chosen - 1;
}

/* --empty and --short also replace a convention's special rule for a single metric. */
static void take_lists(gr_evaluation *evaluation, const gr_evaluate_options *options)
{
    gr_convention *now = &evaluation->settings.convention;

    now->empty = (gr_empty_rule)take(evaluation, "empty", empties, options->empty, (int)now->empty);
    now->short_lists = (gr_short_rule)take(evaluation, "short", shorts, options->short_lists,
                                           (int)now->short_lists);
    if (options->empty)
        now->empty_map = now->empty;
    if (options->short_lists)
        now->short_lists_p = now->short_lists;
}

static void take_numbers(gr_evaluation *evaluation, const gr_evaluate_options *options)
{
    gr_convention *now = &evaluation->settings.convention;

    if (options->relevant > 0.0) {
        if (options->relevant != now->relevant || now->relevant_above)
            add_number(evaluation->name, "relevant", options->relevant);
        now->relevant = options->relevant;
        now->relevant_above = false;
        now->relevant_most = INFINITY;
    }
    if (options->max_grade > 0) {
        if (options->max_grade != now->max_grade)
            add_number(evaluation->name, "max-grade", (double)options->max_grade);
        now->max_grade = (unsigned)options->max_grade;
        now->stop = GR_STOP_GRADE;
    }
}

gr_ties gr_evaluate_ties(const gr_evaluate_options *options)
{
    return options->ties ? (gr_ties)(options->ties - 1)
                         : gr_convention_number((size_t)options->convention)->ties;
}

/* The tie rule for pairs. A convention's rule applies to ranked lists only: tools that break ties
 * in lists still count tied pairs as one half. */
static double tied_pairs(const gr_evaluate_options *options)
{
    const bool chosen = options->ties != 0;

    if (chosen && gr_evaluate_ties(options) == GR_TIES_PESSIMISTIC)
        return 1.0;
    return chosen && gr_evaluate_ties(options) == GR_TIES_OPTIMISTIC ? 0.0 : 0.5;
}

/* The gains of labels: the convention's rule, another rule, or a table. */
static gradus_status take_gains(gr_evaluation *evaluation, const gr_evaluate_options *options,
                                gradus_error *err)
{
    gr_settings *settings = &evaluation->settings;
    gr_convention *now = &settings->convention;

    now->gain = (gr_gain_rule)take(evaluation, "gain", gains, options->gain, (int)now->gain);
    settings->gains = (gr_gains){ .rule = now->gain };
    if (!options->label_gain || !*options->label_gain)
        return GRADUS_OK;
    if (options->gain)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "--gain and --label-gain exclude each other");
    GR_TRY(gr_label_gains_parse(options->label_gain, &evaluation->label_gains,
                                &settings->gains.count, err));
    settings->gains.rule = now->gain = GR_GAIN_TABLE;
    settings->gains.table = evaluation->label_gains;
    add_word(evaluation->name, "label-gain", options->label_gain);
    return GRADUS_OK;
}

static gradus_status take_discounts(gr_evaluation *evaluation, const gr_evaluate_options *options,
                                    gradus_error *err)
{
    gr_settings *settings = &evaluation->settings;
    gr_convention *now = &settings->convention;

    now->discount = (gr_discount_rule)take(evaluation, "discount", discounts, options->discount,
                                           (int)now->discount);
    if (!options->rank_discounts || !*options->rank_discounts)
        return GRADUS_OK;
    if (options->discount)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "--discount and --rank-discounts exclude each other");
    GR_TRY(gr_discounts_parse(options->rank_discounts, &evaluation->discounts,
                              &settings->discount_count, err));
    now->discount = GR_DISCOUNT_TABLE;
    settings->discounts = evaluation->discounts;
    add_word(evaluation->name, "rank-discounts", options->rank_discounts);
    return GRADUS_OK;
}

static gradus_status take_switches(gr_evaluation *evaluation, const gr_evaluate_options *options,
                                   gradus_error *err)
{
    gr_convention *now = &evaluation->settings.convention;

    *now = *gr_convention_number((size_t)options->convention);
    gr_text_copy(evaluation->name, sizeof evaluation->name, now->about.name, "");
    GR_TRY(take_gains(evaluation, options, err));
    GR_TRY(take_discounts(evaluation, options, err));
    take_lists(evaluation, options);
    now->ties = (gr_ties)take(evaluation, "ties", ties, options->ties, (int)now->ties);
    take_numbers(evaluation, options);
    now->divisor = (gr_divisor)take(evaluation, "map-divisor", divisors, options->map_divisor,
                                    (int)now->divisor);
    if (options->map_divisor)
        now->whole_map = false;
    return GRADUS_OK;
}

/* "relevant 1 to 2", "relevant above 0.5" */
static void add_relevant(char *text, const gr_convention *convention)
{
    char most[GRADUS_NUMBER_SIZE];

    add_number(text, convention->relevant_above ? "relevant above" : "relevant",
               convention->relevant);
    if (isfinite(convention->relevant_most)) {
        gr_format_double(convention->relevant_most, most);
        gr_text_append(text, GR_SWITCHES_SIZE, " to ");
        gr_text_append(text, GR_SWITCHES_SIZE, most);
    }
}

/* Describes every switch, with the value of K that ERR uses. */
static void write_switches(gr_evaluation *evaluation, const gr_evaluate_options *options)
{
    const gr_convention *now = &evaluation->settings.convention;
    char *text = evaluation->switches;

    if (now->gain == GR_GAIN_TABLE)
        add_word(text, "label-gain", options->label_gain);
    else
        add_word(text, "gain", gains[now->gain + 1]);
    if (now->discount == GR_DISCOUNT_TABLE)
        add_word(text, "rank-discounts", options->rank_discounts);
    else
        add_word(text, "discount", discounts[now->discount + 1]);
    add_word(text, "empty", empties[now->empty + 1]);
    if (now->empty_map != now->empty)
        add_word(text, "empty in map", empties[now->empty_map + 1]);
    add_word(text, "short", shorts[now->short_lists + 1]);
    if (now->short_lists_p != now->short_lists)
        add_word(text, "short in p", shorts[now->short_lists_p + 1]);
    add_word(text, "ties", ties[now->ties + 1]);
    add_relevant(text, now);
    if (now->stop == GR_STOP_LABEL)
        add_word(text, "err by", "label");
    else
        add_number(text, "max-grade", evaluation->settings.max_grade);
    add_word(text, "map-divisor", divisors[now->divisor + 1]);
}

static double largest_label(const gr_lists *lists)
{
    const float *labels = lists->judgements ? lists->judgements : lists->labels;
    const uint64_t rows =
        lists->judgements ? lists->judgement_starts[lists->queries] : lists->starts[lists->queries];
    float most = 0.0f;

    for (uint64_t r = 0; r < rows; r++)
        if (labels[r] > most)
            most = labels[r];
    return (double)most;
}

/* K of ERR. Labels above 1 cannot be stopping probabilities, so they are treated as grades. */
static void settle_grades(const gr_lists *lists, gr_settings *settings)
{
    const double most = largest_label(lists);
    gr_convention *convention = &settings->convention;

    settings->max_grade = convention->max_grade > 0 ? (double)convention->max_grade : most;
    if (most > 1.0)
        convention->stop = GR_STOP_GRADE;
}

static bool asks_for(const gr_evaluation *evaluation, const gr_metric *metric)
{
    for (size_t m = 0; m < evaluation->measures.count; m++)
        if (evaluation->measures.at[m].metric == metric)
            return true;
    return false;
}

enum { DISCOUNTS = 1024 }; /* number of precomputed discounts; few lists are longer */

static gradus_status make_discounts(const gr_lists *lists, gr_evaluation *evaluation,
                                    gradus_error *err)
{
    const uint64_t judged = lists->judgements ? lists->judgement_starts[lists->queries] : 0;
    const uint64_t rows = lists->starts[lists->queries];
    const size_t count = gr_least((size_t)(judged > rows ? judged : rows), DISCOUNTS);

    if (evaluation->discounts) /* those of --rank-discounts */
        return GRADUS_OK;
    evaluation->discounts = gr_new_array(count, sizeof *evaluation->discounts);
    if (!evaluation->discounts)
        return gr_fail_memory(err, "the discounts of ranks");
    for (size_t i = 0; i < count; i++)
        evaluation->discounts[i] = gr_discount_at(evaluation->settings.convention.discount, i);
    evaluation->settings.discounts = evaluation->discounts;
    evaluation->settings.discount_count = count;
    return GRADUS_OK;
}

gradus_status gr_evaluation_configure(const gr_lists *lists, const gr_evaluate_options *options,
                                      gr_evaluation *evaluation, gradus_error *err)
{
    gr_settings *settings = &evaluation->settings;

    GR_TRY(gr_measures_parse(options->metric, &evaluation->measures, err));
    GR_TRY(take_switches(evaluation, options, err));
    settings->push_power = options->push_power;
    settings->persistence = options->persistence;
    settings->tied_pairs = tied_pairs(options);
    settings->bins = (size_t)options->bins;
    settle_grades(lists, settings);
    write_switches(evaluation, options);
    evaluation->condensed = options->unjudged == GR_UNJUDGED_CONDENSED;
    if (asks_for(evaluation, &gr_metric_risk))
        GR_TRY(gr_cost_choose(options->cost, &settings->cost, err));
    return make_discounts(lists, evaluation, err);
}
