/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings on the data of automatic training: what makes its result worse, or better than it
 * deserves. */
#include "base/memory.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/text.h"
#include "experiments/auto_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEW_QUERIES = 100 };

static gradus_status warn(gradus_auto_result *result, gradus_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static gradus_status warn(gradus_auto_result *result, gradus_error *err, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (result->warning_count == GR_AUTO_WARNINGS)
        return GRADUS_OK;
    result->warnings[result->warning_count] = gr_auto_keep(result, text);
    return result->warnings[result->warning_count++] ? GRADUS_OK : gr_fail_memory(err, "warnings");
}

/* A hash of the labels and values of a query's rows, whatever its id. */
static uint64_t hash_query(const gradus_arrays *a, size_t query)
{
    const size_t from = (size_t)a->query_starts[query], to = (size_t)a->query_starts[query + 1];
    uint64_t hash = gr_hash(a->labels + from, (to - from) * sizeof *a->labels);

    for (size_t r = from; r < to; r++) {
        uint64_t parts[3] = { hash, 0, 0 };

        if (a->row_starts) {
            const size_t first = (size_t)a->row_starts[r], end = (size_t)a->row_starts[r + 1];

            parts[1] = gr_hash(a->columns + first, (end - first) * sizeof *a->columns);
            parts[2] = gr_hash(a->entries + first, (end - first) * sizeof *a->entries);
        } else {
            parts[1] = gr_hash(a->values + r * a->stride, a->features * sizeof *a->values);
        }
        hash = gr_hash(parts, sizeof parts);
    }
    return hash;
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The hashes of all queries, ascending; NULL: out of memory. */
static uint64_t *hash_queries(const gradus_dataset *data, size_t *count)
{
    const gradus_arrays arrays = gr_arrays_of(data);
    uint64_t *hashes = gr_new_array(arrays.queries, sizeof *hashes);

    *count = arrays.queries;
    if (!hashes)
        return NULL;
    for (size_t q = 0; q < arrays.queries; q++)
        hashes[q] = hash_query(&arrays, q);
    qsort(hashes, arrays.queries, sizeof *hashes, compare_hashes);
    return hashes;
}

static size_t count_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    size_t common = 0;

    for (size_t i = 0, j = 0; j < b_count; j++) {
        while (i < a_count && a[i] < b[j])
            i++;
        common += i < a_count && a[i] == b[j];
    }
    return common;
}

/* Queries with the same documents and labels in two sets: the second is not held out. Sparse and
 * dense sets are not compared. */
static gradus_status warn_leak(gr_auto_run *run, const gradus_dataset *from, const char *from_name,
                               const gradus_dataset *to, const char *name, gradus_error *err)
{
    size_t from_count = 0, to_count = 0, common = 0;
    uint64_t *known = hash_queries(from, &from_count), *held = hash_queries(to, &to_count);
    const bool made = known && held;

    if (made)
        common = count_common(known, from_count, held, to_count);
    free(known);
    free(held);
    if (!made)
        return gr_fail_memory(err, "queries");
    return common ? warn(run->result, err,
                         "%zu of %zu %s queries, with the same documents and labels, are also %s "
                         "queries: results on them are too good",
                         common, to_count, name, from_name)
                  : GRADUS_OK;
}

static gradus_status warn_features(gr_auto_run *run, const gradus_description *d, gradus_error *err)
{
    if (d->constants)
        GR_TRY(warn(run->result, err, "%zu of %zu features %s constant and cannot help",
                    d->constants, d->features, gr_plural(d->constants, "is", "are")));
    if (d->duplicates)
        GR_TRY(warn(run->result, err, "%zu of %zu features %s another feature", d->duplicates,
                    d->features, gr_plural(d->duplicates, "duplicates", "duplicate")));
    return GRADUS_OK;
}

static gradus_status warn_queries(gr_auto_run *run, const gradus_description *d, gradus_error *err)
{
    if (d->queries_with_one_label)
        GR_TRY(warn(run->result, err,
                    "%zu of %zu queries %s only one label and cannot be ranked well or badly",
                    d->queries_with_one_label, d->queries,
                    gr_plural(d->queries_with_one_label, "has", "have")));
    if (d->queries < FEW_QUERIES)
        GR_TRY(warn(run->result, err,
                    "only %zu queries: the expected value is uncertain, and differences between "
                    "methods are mostly chance",
                    d->queries));
    return GRADUS_OK;
}

gradus_status gr_auto_warn(gr_auto_run *run, gradus_error *err)
{
    const gradus_tuning_input *input = run->input;
    gradus_description *d = gradus_describe(run->context, run->data.all, err);

    if (!d)
        return err->status;
    gradus_status status =
        d->queries_with_one_label == d->queries
            ? gr_fail(err, GRADUS_BAD_ARGUMENT,
                      "all documents of every query have the same label: there is nothing to rank")
            : warn_queries(run, d, err);

    if (status == GRADUS_OK)
        status = warn_features(run, d, err);
    gradus_description_free(d);
    GR_TRY(status);
    if (input->valid && gradus_dataset_has_queries(input->valid))
        GR_TRY(warn_leak(run, input->train, "training", input->valid, "validation", err));
    if (input->test && gradus_dataset_has_queries(input->test))
        GR_TRY(warn_leak(run, run->data.all, input->valid ? "training or validation" : "training",
                         input->test, "test", err));
    return GRADUS_OK;
}
