/* SPDX-License-Identifier: Apache-2.0 */
/* Reads score files. */
#include "data/scores.h"

#include "base/sort.h"
#include "base/text.h"
#include "data/row_names.h"
#include "data/trec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_WORDS = 6 };

static const char *file_of(const gr_lines *lines)
{
    return gr_source_name(lines->source);
}

static gradus_status read_number(const gr_lines *lines, const char *at, double *number,
                                 gradus_error *err)
{
    const char *end = lines->end, *stop;

    while (end > at && gr_is_blank(end[-1]))
        end--;
    stop = gr_parse_double(at, end, number);
    if (stop != end)
        return gr_lines_expected(lines, GRADUS_BAD_FORMAT, "a number", at, end, err);
    if (!isfinite(*number))
        return gr_lines_expected(lines, GRADUS_BAD_NUMBER, "a finite number", at, end, err);
    return GRADUS_OK;
}

/* Reads all numbers, stores the first `rows` and counts them all. */
static gradus_status read_numbers(gr_lines *lines, double *numbers, size_t rows, size_t *count,
                                  gradus_error *err)
{
    bool more;

    for (*count = 0;; ++*count) {
        double number;

        GR_TRY(gr_lines_next_content(lines, &more, err));
        if (!more)
            return GRADUS_OK;
        GR_TRY(read_number(lines, gr_skip_blanks(lines->line, lines->end), &number, err));
        if (*count < rows)
            numbers[*count] = number;
    }
}

static gradus_status read_list(gr_lines *lines, const gradus_dataset *data, double *scores,
                               gradus_error *err)
{
    const size_t rows = data->arrays.rows;
    size_t count;

    GR_TRY(read_numbers(lines, scores, rows, &count, err));
    if (count != rows)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s has %zu %s for %zu %s", file_of(lines),
                       count, gr_plural(count, "score", "scores"), rows,
                       gr_plural(rows, "row", "rows"));
    return GRADUS_OK;
}

/* Reorders scores from file order to row order. */
static gradus_status regroup(const gradus_dataset *data, double *scores, gradus_error *err)
{
    const size_t rows = data->arrays.rows;
    gr_keyed *order;
    double *read;

    GR_TRY(gr_file_order(data, &order, err));
    if (!order)
        return GRADUS_OK;
    read = gr_new_array(rows, sizeof *read);
    if (!read) {
        free(order);
        return gr_fail_memory(err, "scores");
    }
    memcpy(read, scores, rows * sizeof *read);
    for (size_t i = 0; i < rows; i++)
        scores[order[i].item] = read[i];
    free(read);
    free(order);
    return GRADUS_OK;
}

static gradus_status no_score(const gr_lines *lines, const gradus_dataset *data,
                              const char *document, const char *query, gradus_error *err)
{
    char shown_document[GR_SHOWN], shown_query[GR_SHOWN];

    gr_show_text(shown_document, document, document + strlen(document));
    gr_show_text(shown_query, query, query + strlen(query));
    return gr_fail(err, GRADUS_BAD_FORMAT, "%.220s: no score for document '%s' of query '%s'%s",
                   file_of(lines), shown_document, shown_query,
                   data->document_names.count ? "" : " (the data have no document names)");
}

/* Looks up the scores of the rows of one query, and marks the entries of the run that were used. */
static gradus_status match_query(const gr_lines *lines, const gr_trec *run,
                                 const gradus_dataset *data, size_t query, unsigned char *used,
                                 double *scores, gradus_error *err)
{
    const uint64_t *starts = data->arrays.query_starts;
    char made_query[GR_SHORT_NAME], made[GR_SHORT_NAME];
    const char *name = gr_topic_name(data, query, made_query);
    const size_t topic = gr_trec_find_topic(run, name);

    for (size_t r = (size_t)starts[query]; r < starts[query + 1]; r++) {
        const char *document = gr_docno_name(data, r, made);
        const size_t entry = topic == SIZE_MAX ? SIZE_MAX : gr_trec_find(run, topic, document);

        if (entry == SIZE_MAX)
            return no_score(lines, data, document, name, err);
        scores[r] = run->values[entry];
        used[entry] = 1;
    }
    return GRADUS_OK;
}

static gradus_status match_run(const gr_lines *lines, const gr_trec *run,
                               const gradus_dataset *data, gradus_context *context, double *scores,
                               gradus_error *err)
{
    unsigned char *used = gr_new_array(run->count, 1);
    gradus_status status = used ? GRADUS_OK : gr_fail_memory(err, "a run");
    size_t extra = run->count;

    for (size_t q = 0; q < data->arrays.queries && status == GRADUS_OK; q++)
        status = match_query(lines, run, data, q, used, scores, err);
    for (size_t i = 0; i < run->count && status == GRADUS_OK; i++)
        extra -= used[i];
    if (status == GRADUS_OK && extra > 0)
        gr_note(context, "%.300s: %zu of %zu %s for documents that are not in the data",
                file_of(lines), extra, run->count, gr_plural(run->count, "line is", "lines are"));
    free(used);
    return status;
}

static gradus_status read_run(gr_lines *lines, const gradus_dataset *data, gradus_context *context,
                              double *scores, gradus_error *err)
{
    gr_trec run = { .count = 0 };
    gradus_status status;

    GR_TRY(gr_trec_read_lines(lines, GR_TREC_RUN, &run, err));
    status = match_run(lines, &run, data, context, scores, err);
    gr_trec_free(&run);
    return status;
}

static size_t count_words(const gr_lines *lines)
{
    size_t words = 0;

    for (const char *at = lines->line; (at = gr_skip_blanks(at, lines->end)) < lines->end; words++)
        at = gr_skip_word(at, lines->end);
    return words;
}

gradus_status gr_scores_read(gr_lines *lines, const gradus_dataset *data, gradus_context *context,
                             double *scores, gradus_error *err)
{
    size_t words;
    bool more;

    GR_TRY(gr_lines_next_content(lines, &more, err));
    if (!more)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s has 0 scores for %zu %s", file_of(lines),
                       data->arrays.rows, gr_plural(data->arrays.rows, "row", "rows"));
    words = count_words(lines);
    if (words != 1 && words != RUN_WORDS)
        return gr_lines_expected(lines, GRADUS_BAD_FORMAT,
                                 "a number or the six fields of a TREC run",
                                 gr_skip_blanks(lines->line, lines->end), lines->end, err);
    gr_lines_again(lines);
    if (words == RUN_WORDS)
        return read_run(lines, data, context, scores, err);
    GR_TRY(read_list(lines, data, scores, err));
    return regroup(data, scores, err);
}
