/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of metrics, and the parser of metric lists such as "ndcg@10,map". */
#include "metrics/metric.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gr_metric *const metrics[] = {
#define GR_METRIC(name) &gr_metric_##name,
#include "metrics/metrics.def"
#undef GR_METRIC
};

enum { METRICS = sizeof metrics / sizeof metrics[0], LONGEST_DEPTH = 15 };

const gr_metric *gr_metric_number(size_t index)
{
    return index < METRICS ? metrics[index] : NULL;
}

const gr_about *gr_metrics_at(size_t index)
{
    return index < METRICS ? &metrics[index]->about : NULL;
}

size_t gr_relevant_between(const gr_ranked *ranked, size_t start, size_t end)
{
    size_t count = 0;

    for (size_t i = start; i < end; i++)
        count += gr_is_relevant(&ranked->settings->convention, ranked->labels[i]);
    return count;
}

double gr_relevant_found(const gr_ranked *ranked, size_t depth)
{
    const size_t last = gr_least(depth, ranked->count);
    double found = 0.0;

    for (size_t g = 0; g < ranked->groups; g++) {
        const size_t start = gr_group_start(ranked, g), end = ranked->ends[g];

        if (start >= last)
            break;
        const double relevant = (double)gr_relevant_between(ranked, start, end);

        found += end <= last ? relevant : relevant * (double)(last - start) / (double)(end - start);
    }
    return found;
}

static gradus_status unknown_metric(const char *word, gradus_error *err)
{
    const char *names[METRICS];

    for (size_t m = 0; m < METRICS; m++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no row of the table is NULL */
        names[m] = metrics[m]->about.name;
    return gr_fail_unknown(err, "metric", word, names, METRICS);
}

static gradus_status parse_depth(const char *word, const char *digits, gr_measure *measure,
                                 gradus_error *err)
{
    const char *end = digits + strlen(digits);
    uint64_t depth = 0;

    if (!measure->metric->takes_depth)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "metric '%.40s' takes no cutoff: write '%s'", word,
                       measure->metric->about.name);
    if (end - digits > LONGEST_DEPTH || gr_parse_count(digits, end, &depth) != end || depth == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the cutoff of metric '%.40s' must be a whole number from 1, not '%.20s'",
                       word, digits);
    measure->depth = (size_t)depth;
    return GRADUS_OK;
}

/* Whether the first `length` characters of `name` equal a known name, ignoring case and treating
 * '_' as '-'. */
static bool is_name(const char *name, size_t name_length, const char *word, size_t length)
{
    if (name_length != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        const int a = name[i] == '_' ? '-' : name[i];
        const int b = word[i] == '_' ? '-' : tolower((unsigned char)word[i]);

        if (a != b)
            return false;
    }
    return true;
}

static bool has_alias(const char *aliases, const char *word, size_t length)
{
    while (aliases && *aliases) {
        const size_t end = strcspn(aliases, " ");

        if (is_name(aliases, end, word, length))
            return true;
        aliases += end + (aliases[end] == ' ');
    }
    return false;
}

static const gr_metric *find_metric(const char *word, size_t length)
{
    for (size_t m = 0; m < METRICS; m++)
        if (is_name(metrics[m]->about.name, strlen(metrics[m]->about.name), word, length) ||
            has_alias(metrics[m]->aliases, word, length))
            return metrics[m];
    return NULL;
}

/* Returns the end of the name in "ndcg@10" or "ndcg_cut_10": the separator before the cutoff, or
 * the end of the text. */
static size_t name_length(const char *word)
{
    const size_t length = strlen(word), at = strcspn(word, "@");
    size_t digits = length;

    if (at < length)
        return at;
    while (digits > 0 && isdigit((unsigned char)word[digits - 1]))
        digits--;
    return digits < length && digits > 1 && word[digits - 1] == '_' ? digits - 1 : length;
}

/* Stores the canonical name and cutoff, as in the table. */
static gradus_status write_text(gr_measure *measure, gradus_error *err)
{
    char text[64];

    if (measure->depth == SIZE_MAX)
        snprintf(text, sizeof text, "%s", measure->metric->about.name);
    else
        snprintf(text, sizeof text, "%s@%zu", measure->metric->about.name, measure->depth);
    free(measure->text);
    measure->text = strdup(text);
    return measure->text ? GRADUS_OK : gr_fail_memory(err, "the name of a metric");
}

/* Resolves measure->text, the user's word, to a metric and cutoff. */
static gradus_status parse_measure(gr_measure *measure, gradus_error *err)
{
    char *word = measure->text;
    const size_t length = name_length(word);
    const bool deep = word[length] != '\0';

    if (!*word)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a metric is missing: write 'ndcg@10,map'");
    if (isdigit((unsigned char)*word))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%.40s' is not a metric: repeat the name, as in 'ndcg@1,ndcg@3'", word);
    measure->depth = SIZE_MAX;
    measure->metric = find_metric(word, length);
    if (!measure->metric) {
        word[length] = '\0';
        return unknown_metric(word, err);
    }
    if (deep)
        GR_TRY(parse_depth(word, word + length + 1, measure, err));
    return write_text(measure, err);
}

static size_t count_words(const char *list)
{
    size_t count = 1;

    for (; *list; list++)
        count += *list == ',';
    return count;
}

static gradus_status parse_words(const char *list, gr_measures *measures, gradus_error *err)
{
    for (const char *start = list;; start++) {
        const size_t length = strcspn(start, ",");
        gr_measure *measure = &measures->at[measures->count++];

        measure->text = strndup(start, length);
        if (!measure->text)
            return gr_fail_memory(err, "the name of a metric");
        GR_TRY(parse_measure(measure, err));
        start += length;
        if (!*start)
            return GRADUS_OK;
    }
}

gradus_status gr_measures_parse(const char *list, gr_measures *measures, gradus_error *err)
{
    gradus_status status;

    measures->count = 0;
    measures->at = gr_new_array(count_words(list), sizeof *measures->at);
    if (!measures->at)
        return gr_fail_memory(err, "a list of metrics");
    status = parse_words(list, measures, err);
    if (status != GRADUS_OK)
        gr_measures_free(measures);
    return status;
}

void gr_measures_free(gr_measures *measures)
{
    for (size_t m = 0; m < measures->count; m++)
        free(measures->at[m].text);
    free(measures->at);
    *measures = (gr_measures){ 0, NULL };
}
