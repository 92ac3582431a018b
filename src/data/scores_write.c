/* SPDX-License-Identifier: Apache-2.0 */
/* Writes score files. */
#include "data/scores.h"

#include "base/sink.h"
#include "base/sort.h"
#include "base/text.h"
#include "data/row_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gradus_status check_finite(const gradus_dataset *data, const double *values, size_t columns,
                                  gradus_error *err)
{
    for (size_t r = 0; r < data->arrays.rows; r++)
        for (size_t c = 0; c < columns; c++)
            if (!isfinite(values[r * columns + c]))
                return gr_fail(err, GRADUS_BAD_NUMBER, "the score of row %llu is %g, not finite",
                               (unsigned long long)gr_file_row(data, r) + 1,
                               values[r * columns + c]);
    return GRADUS_OK;
}

static gradus_status write_numbers(const double *numbers, size_t count, gr_sink *sink,
                                   gradus_error *err)
{
    for (size_t c = 0; c < count; c++) {
        char number[GRADUS_NUMBER_SIZE + 1];
        size_t length = gr_format_double(numbers[c], number);

        number[length++] = c + 1 < count ? ' ' : '\n';
        GR_TRY(gr_sink_write(sink, number, length, err));
    }
    return GRADUS_OK;
}

/* Writes the rows in file order. */
static gradus_status write_list(const gradus_dataset *data, const double *values, size_t columns,
                                gr_sink *sink, gradus_error *err)
{
    gradus_status status = GRADUS_OK;
    gr_keyed *order;

    GR_TRY(gr_file_order(data, &order, err));
    for (size_t i = 0; i < data->arrays.rows && status == GRADUS_OK; i++)
        status = write_numbers(values + (order ? order[i].item : i) * columns, columns, sink, err);
    free(order);
    return status;
}

/* Scratch memory for the largest query: its order, and the search for duplicate documents. */
typedef struct scratch {
    size_t *order;
    gr_keyed *keyed; /* two per row */
} scratch;

static gradus_status make_scratch(const gradus_dataset *data, scratch *room, gradus_error *err)
{
    const uint64_t *starts = data->arrays.query_starts;
    uint64_t most = 0;

    for (size_t q = 0; q < data->arrays.queries; q++)
        most = starts[q + 1] - starts[q] > most ? starts[q + 1] - starts[q] : most;
    room->order = gr_new_array((size_t)most, sizeof *room->order);
    room->keyed = gr_new_array((size_t)most, 2 * sizeof *room->keyed);
    return room->order && room->keyed ? GRADUS_OK : gr_fail_memory(err, "a run");
}

/* Rejects duplicate documents, which a reader of the run could not distinguish. */
static gradus_status check_documents(const gradus_dataset *data, size_t query, scratch *room,
                                     gradus_error *err)
{
    const size_t first = (size_t)data->arrays.query_starts[query];
    const size_t rows = (size_t)data->arrays.query_starts[query + 1] - first;
    char a[GR_SHORT_NAME], b[GR_SHORT_NAME];
    gr_keyed *keyed = room->keyed;

    for (size_t r = 0; r < rows; r++) {
        const char *name = gr_docno_name(data, first + r, a);

        keyed[r] = (gr_keyed){ gr_hash(name, strlen(name)), first + r };
    }
    gr_sort_keyed(keyed, rows, keyed + rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = i + 1; j < rows && keyed[j].key == keyed[i].key; j++) {
            const char *name = gr_docno_name(data, (size_t)keyed[i].item, a);

            if (strcmp(name, gr_docno_name(data, (size_t)keyed[j].item, b)) == 0)
                return gr_fail(err, GRADUS_BAD_ARGUMENT,
                               "query '%.60s' has document '%.60s' twice, which a TREC run does "
                               "not allow; write one score per line",
                               gr_name_at(&data->query_names, query), name);
        }
    return GRADUS_OK;
}

static gradus_status write_run_line(gr_sink *sink, const char *query, const char *document,
                                    size_t rank, double score, const char *run_name,
                                    gradus_error *err)
{
    char number[2][GRADUS_NUMBER_SIZE];
    const char *const parts[] = { query, " Q0 ",    document, " ",      number[0],
                                  " ",   number[1], " ",      run_name, "\n" };

    gr_format_count(rank, number[0]);
    gr_format_double(score, number[1]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        GR_TRY(gr_sink_write(sink, parts[i], strlen(parts[i]), err));
    return GRADUS_OK;
}

static gradus_status write_query(const gradus_dataset *data, const double *scores, size_t query,
                                 const char *run_name, scratch *room, gr_sink *sink,
                                 gradus_error *err)
{
    const size_t first = (size_t)data->arrays.query_starts[query];
    const size_t rows = (size_t)data->arrays.query_starts[query + 1] - first;
    char made[GR_SHORT_NAME], made_document[GR_SHORT_NAME];
    const char *name = gr_topic_name(data, query, made);

    if (name[strcspn(name, " \t\r\n")])
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "query '%.60s' has a blank in its name, which a TREC run does not allow; "
                       "write one score per line",
                       name);
    GR_TRY(check_documents(data, query, room, err));
    gr_sort_descending(scores + first, rows, room->order, room->keyed);
    for (size_t i = 0; i < rows; i++) {
        const size_t r = first + room->order[i];

        GR_TRY(write_run_line(sink, name, gr_docno_name(data, r, made_document), i + 1, scores[r],
                              run_name, err));
    }
    return GRADUS_OK;
}

static gradus_status write_run(const gradus_dataset *data, const double *scores,
                               const char *run_name, gr_sink *sink, gradus_error *err)
{
    scratch room = { NULL, NULL };
    gradus_status status = make_scratch(data, &room, err);

    for (size_t q = 0; q < data->arrays.queries && status == GRADUS_OK; q++)
        status = write_query(data, scores, q, run_name, &room, sink, err);
    free(room.order);
    free(room.keyed);
    return status;
}

gradus_status gr_scores_write(const gradus_dataset *data, const double *scores, const char *path,
                              const char *run_name, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gradus_status status;
    gr_sink *sink;

    if (run_name && (!*run_name || run_name[strcspn(run_name, " \t\r\n")]))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a run name must be one word, not '%.60s'",
                       run_name);
    GR_TRY(check_finite(data, scores, 1, err));
    sink = gr_sink_open(path, gr_packing_of_name(path), &failure);
    if (!sink)
        return gr_fail(err, failure.status, "%s", failure.message);
    status = run_name ? write_run(data, scores, run_name, sink, err)
                      : write_list(data, scores, 1, sink, err);
    if (status == GRADUS_OK)
        return gr_sink_close(sink, err);
    gr_sink_abandon(sink);
    return status;
}

static gradus_status write_heading(gr_sink *sink, const char *heading, gradus_error *err)
{
    GR_TRY(gr_sink_write(sink, "# ", 2, err));
    GR_TRY(gr_sink_write(sink, heading, strlen(heading), err));
    return gr_sink_write(sink, "\n", 1, err);
}

gradus_status gr_columns_write(const gradus_dataset *data, const double *values, size_t columns,
                               const char *heading, const char *path, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gradus_status status = GRADUS_OK;
    gr_sink *sink;

    GR_TRY(check_finite(data, values, columns, err));
    sink = gr_sink_open(path, gr_packing_of_name(path), &failure);
    if (!sink)
        return gr_fail(err, failure.status, "%s", failure.message);
    if (heading)
        status = write_heading(sink, heading, err);
    if (status == GRADUS_OK)
        status = write_list(data, values, columns, sink, err);
    if (status == GRADUS_OK)
        return gr_sink_close(sink, err);
    gr_sink_abandon(sink);
    return status;
}
