/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the content of a part in parallel. The first violation in index order is reported, so that
 * the message does not depend on the number of threads. */
#include "data/sections.h"

#include "base/ranges.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_CHUNK = 1 << 16 };

typedef struct search {
    const gradus_dataset *data;
    gr_part part;
    const gr_names *names;
    uint64_t (*first_fault)(const struct search *search, uint64_t from, uint64_t to);
    uint64_t count; /* items to check */
    atomic_ullong fault;
    atomic_ullong *seen; /* one bit per row */
} search;

static const uint64_t NONE = UINT64_MAX;

static uint64_t fault_in_floats(const float *numbers, uint64_t from, uint64_t to, bool negative_too)
{
    for (uint64_t i = from; i < to; i++)
        if (!isfinite(numbers[i]) || (!negative_too && numbers[i] < 0.0f))
            return i;
    return NONE;
}

static uint64_t fault_in_labels(const search *s, uint64_t from, uint64_t to)
{
    return fault_in_floats(s->data->arrays.labels, from, to, true);
}

static uint64_t fault_in_row_weights(const search *s, uint64_t from, uint64_t to)
{
    return fault_in_floats(s->data->arrays.row_weights, from, to, false);
}

static uint64_t fault_in_query_weights(const search *s, uint64_t from, uint64_t to)
{
    return fault_in_floats(s->data->arrays.query_weights, from, to, false);
}

static uint64_t fault_in_row_starts(const search *s, uint64_t from, uint64_t to)
{
    const uint64_t *starts = s->data->arrays.row_starts;

    for (uint64_t r = from; r < to; r++)
        if (starts[r] > starts[r + 1])
            return r;
    return NONE;
}

/* Every query must have at least one row. */
static uint64_t fault_in_query_starts(const search *s, uint64_t from, uint64_t to)
{
    const gradus_arrays *a = &s->data->arrays;

    for (uint64_t q = from; q < to; q++)
        if (a->query_starts[q] >= a->query_starts[q + 1] || a->query_starts[q + 1] > a->rows ||
            (q == 0 && a->query_starts[0] != 0) ||
            (q + 1 == a->queries && a->query_starts[q + 1] != a->rows))
            return q;
    return NONE;
}

static uint64_t fault_in_columns(const search *s, uint64_t from, uint64_t to)
{
    const gradus_arrays *a = &s->data->arrays;

    for (uint64_t r = from; r < to; r++) {
        uint64_t least = 0;

        for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++) {
            if (a->columns[e] < least || a->columns[e] >= a->features)
                return r;
            least = (uint64_t)a->columns[e] + 1;
        }
    }
    return NONE;
}

static uint64_t fault_in_file_rows(const search *s, uint64_t from, uint64_t to)
{
    for (uint64_t r = from; r < to; r++) {
        const uint64_t place = s->data->file_rows[r];
        const unsigned long long bit = 1ull << place % 64;

        if (place >= s->data->arrays.rows ||
            atomic_fetch_or_explicit(&s->seen[place / 64], bit, memory_order_relaxed) & bit)
            return 0; /* which of two duplicates is found depends on the threads */
    }
    return NONE;
}

/* Name i occupies starts[i] to starts[i + 1] and ends with its only NUL. */
static uint64_t fault_in_names(const search *s, uint64_t from, uint64_t to)
{
    const uint64_t *starts = s->names->starts;
    const uint64_t bytes = starts[s->names->count];

    for (uint64_t i = from; i < to; i++) {
        if (starts[i] >= starts[i + 1] || starts[i + 1] > bytes)
            return i;
        const size_t size = (size_t)(starts[i + 1] - starts[i]);
        const char *name = s->names->bytes + starts[i];

        if (memchr(name, '\0', size) != name + size - 1)
            return i;
    }
    return NONE;
}

static void search_chunk(void *argument, gr_range range)
{
    search *s = argument;
    unsigned long long fault = s->first_fault(s, range.first, range.end);
    unsigned long long least = atomic_load(&s->fault);

    while (fault < least && !atomic_compare_exchange_weak(&s->fault, &least, fault))
        ;
}

static gradus_status run_search(search *s, gr_pool *pool, gradus_error *err)
{
    s->fault = NONE;
    if (s->part == GR_FILE_ROWS) {
        s->seen = gr_new_array(s->data->arrays.rows / 64 + 1, sizeof *s->seen);
        if (!s->seen)
            return gr_fail_memory(err, "row positions");
    }
    gr_for_ranges(pool, (size_t)s->count, ROW_CHUNK, search_chunk, s);
    free(s->seen);
    s->seen = NULL;
    return GRADUS_OK;
}

static void prepare(search *s)
{
    const gradus_dataset *data = s->data;

    switch (s->part) {
    case GR_ROW_STARTS:
        s->first_fault = fault_in_row_starts;
        s->count = data->arrays.rows;
        break;
    case GR_COLUMNS:
        s->first_fault = fault_in_columns;
        s->count = data->arrays.rows;
        break;
    case GR_LABELS:
        s->first_fault = fault_in_labels;
        s->count = data->arrays.rows;
        break;
    case GR_QUERY_STARTS:
        s->first_fault = fault_in_query_starts;
        s->count = data->arrays.queries;
        break;
    case GR_ROW_WEIGHTS:
        s->first_fault = fault_in_row_weights;
        s->count = data->arrays.rows;
        break;
    case GR_QUERY_WEIGHTS:
        s->first_fault = fault_in_query_weights;
        s->count = data->arrays.queries;
        break;
    case GR_FILE_ROWS:
        s->first_fault = fault_in_file_rows;
        s->count = data->arrays.rows;
        break;
    case GR_QUERY_NAMES:
    case GR_DOCUMENT_NAMES:
    case GR_FEATURE_NAMES:
        s->names = s->part == GR_QUERY_NAMES      ? &data->query_names
                   : s->part == GR_DOCUMENT_NAMES ? &data->document_names
                                                  : &data->feature_names;
        s->first_fault = fault_in_names;
        s->count = s->names->count;
        break;
    default: /* any bits are valid values; name bytes are checked with their offsets */
        break;
    }
}

static gradus_status tell_offsets(const char *name, const uint64_t *starts, unsigned long long at,
                                  const char *rule, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "%s[%llu] is %llu and [%llu] is %llu: %s", name, at,
                   (unsigned long long)starts[at], at + 1, (unsigned long long)starts[at + 1],
                   rule);
}

static gradus_status tell_number(const char *name, const float *numbers, unsigned long long at,
                                 const char *allowed, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_NUMBER, "%s[%llu] is %g, not %s", name, at, (double)numbers[at],
                   allowed);
}

static gradus_status tell_columns(const gradus_arrays *a, unsigned long long row, gradus_error *err)
{
    for (uint64_t e = a->row_starts[row]; e < a->row_starts[row + 1]; e++)
        if (a->columns[e] >= a->features)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "columns[%llu] is %llu, but there are %zu features",
                           (unsigned long long)e, (unsigned long long)a->columns[e], a->features);
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "columns[%llu] to [%llu], one row, do not ascend",
                   (unsigned long long)a->row_starts[row],
                   (unsigned long long)a->row_starts[row + 1] - 1);
}

/* Reports the violation; indices refer to the arrays, from 0. */
static gradus_status tell(const search *s, gradus_error *err)
{
    const gradus_arrays *a = &s->data->arrays;
    const unsigned long long at = atomic_load(&s->fault);

    switch (s->part) {
    case GR_LABELS:
        return tell_number("labels", a->labels, at, "a finite number", err);
    case GR_ROW_WEIGHTS:
        return tell_number("row_weights", a->row_weights, at, "a finite number >= 0", err);
    case GR_QUERY_WEIGHTS:
        return tell_number("query_weights", a->query_weights, at, "a finite number >= 0", err);
    case GR_QUERY_STARTS:
        return tell_offsets("query_starts", a->query_starts, at,
                            "must increase from 0 to the number of rows", err);
    case GR_ROW_STARTS:
        return tell_offsets("row_starts", a->row_starts, at, "must not decrease", err);
    case GR_COLUMNS:
        return tell_columns(a, at, err);
    case GR_FILE_ROWS:
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "%s are not a permutation", gr_part_name(s->part));
    default:
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "%s: [%llu] is not a NUL-terminated name",
                       gr_part_name(s->part), at);
    }
}

gradus_status gr_part_check(const gradus_dataset *data, gr_part part, gr_pool *pool,
                            gradus_error *err)
{
    search s = { .data = data, .part = part };

    prepare(&s);
    if (!s.first_fault)
        return GRADUS_OK;
    GR_TRY(run_search(&s, pool, err));
    return atomic_load(&s.fault) == NONE ? GRADUS_OK : tell(&s, err);
}
