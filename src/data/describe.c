/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a dataset. Queries are described here, labels and columns in describe_labels.c and
 * describe_columns.c. */
#include "data/describe.h"

#include "base/bisect.h"
#include "data/share_rows.h"

#include <stdlib.h>

static size_t documents_of(const gradus_dataset *data, size_t q)
{
    const uint64_t *starts = data->arrays.query_starts;

    return (size_t)(starts[q + 1] - starts[q]);
}

/* The number of queries with at most `documents` documents. */
static size_t queries_up_to(const gradus_dataset *data, size_t documents)
{
    size_t count = 0;

    for (size_t q = 0; q < data->arrays.queries; q++)
        count += documents_of(data, q) <= documents;
    return count;
}

/* The number of documents of the query at position `place` in ascending order of documents.
 * Bisection needs neither a copy nor a sort. */
static size_t documents_at(const gradus_dataset *data, size_t place, size_t low, size_t high)
{
    return GR_BISECT(low, high, documents, queries_up_to(data, documents) <= place);
}

static void count_documents(const gradus_dataset *data, gradus_description *d)
{
    d->documents_min = d->queries ? documents_of(data, 0) : 0;
    for (size_t q = 0; q < d->queries; q++) {
        const size_t documents = documents_of(data, q);

        if (documents < d->documents_min)
            d->documents_min = documents;
        if (documents > d->documents_max)
            d->documents_max = documents;
    }
    if (d->queries) {
        const size_t low = d->documents_min, high = d->documents_max;

        d->documents_median = ((double)documents_at(data, (d->queries - 1) / 2, low, high) +
                               (double)documents_at(data, d->queries / 2, low, high)) /
                              2.0;
    }
}

/* The next of 1, 2, 5, 10, 20, 50, ... (or only of powers of ten); 1 after 0. */
static size_t next_edge(size_t edge, bool tens)
{
    size_t power = 1;

    if (edge == 0)
        return 1;
    while (power <= edge / 10)
        power *= 10;
    if (tens || edge / power >= 5)
        return 10 * power;
    return edge / power >= 2 ? 5 * power : 2 * power;
}

/* Bin edges from at or below low to above high. Returns the number of bins, at most
 * GRADUS_HISTOGRAM_BINS + 1 (too many). */
static size_t rising_edges(size_t low, size_t high, bool tens, size_t *edges)
{
    size_t bins = 0, edge = 0;

    while (next_edge(edge, tens) <= low)
        edge = next_edge(edge, tens);
    for (edges[0] = edge; edge <= high; edges[bins] = edge) {
        edge = next_edge(edge, tens);
        if (++bins > GRADUS_HISTOGRAM_BINS)
            break;
    }
    return bins;
}

static size_t even_edges(size_t low, size_t high, size_t *edges)
{
    size_t step = 1, bins = 0;

    while ((high / step) - (low / step) + 1 > GRADUS_HISTOGRAM_BINS)
        step = next_edge(step, false);
    for (edges[0] = low / step * step; edges[bins] <= high; bins++)
        edges[bins + 1] = edges[bins] + step;
    return bins;
}

/* Uses bins of equal width unless the largest query is far above the median; then bins grow. */
static void fill_histogram(const gradus_dataset *data, gradus_description *d)
{
    size_t edges[GRADUS_HISTOGRAM_BINS + 2]; /* one extra: rising_edges may overshoot */
    const size_t low = d->documents_min, high = d->documents_max;

    if (high - low < GRADUS_HISTOGRAM_BINS || (double)high <= 4.0 * d->documents_median)
        d->histogram_bins = even_edges(low, high, edges);
    else if ((d->histogram_bins = rising_edges(low, high, false, edges)) > GRADUS_HISTOGRAM_BINS)
        d->histogram_bins = rising_edges(low, high, true, edges);
    for (size_t b = 0; b <= d->histogram_bins; b++)
        d->histogram_edges[b] = edges[b];
    for (size_t q = 0; q < d->queries; q++) {
        size_t b = 0;

        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the last is largest */
        while (documents_of(data, q) >= edges[b + 1])
            b++;
        d->histogram[b]++;
    }
}

static void count_useless(const gradus_dataset *data, gradus_description *d)
{
    const gradus_arrays *a = &data->arrays;

    for (size_t q = 0; q < a->queries; q++) {
        bool relevant = false, differs = false;

        for (uint64_t r = a->query_starts[q]; r < a->query_starts[q + 1]; r++) {
            relevant |= a->labels[r] > 0.0f;
            differs |= a->labels[r] != a->labels[a->query_starts[q]];
        }
        d->queries_without_relevant += !relevant;
        d->queries_with_one_label += !differs;
    }
}

void gr_describe_queries(const gradus_dataset *data, gradus_description *d)
{
    count_documents(data, d);
    if (d->queries)
        fill_histogram(data, d);
    count_useless(data, d);
}

static gradus_status describe(const gradus_dataset *data, gr_pool *pool, gradus_description *d,
                              gradus_error *err)
{
    gradus_dataset *own;

    GR_TRY(gr_dataset_own_rows(data, pool, &own, err));
    d->rows = data->arrays.rows;
    d->features = data->arrays.features;
    d->queries = data->arrays.queries;
    d->sparse = !gr_dataset_is_dense(data);
    d->has_queries = !data->lacks_queries;
    d->has_documents = data->document_names.count > 0;
    d->first_id = data->first_id;
    gr_describe_queries(data, d);
    gradus_status status = gr_describe_labels(data, d, err);

    if (status == GRADUS_OK)
        status = gr_describe_columns(own ? own : data, pool, d, err);
    gradus_dataset_free(own);
    return status;
}

gradus_description *gr_describe(const gradus_dataset *data, gr_pool *pool, gradus_error *err)
{
    gradus_description *d = calloc(1, sizeof *d);

    if (!d) {
        gr_fail_memory(err, "a description");
        return NULL;
    }
    if (describe(data, pool, d, err) != GRADUS_OK) {
        gradus_description_free(d);
        return NULL;
    }
    return d;
}

void gradus_description_free(gradus_description *d)
{
    if (!d)
        return;
    free((double *)(uintptr_t)d->label_values);
    free((size_t *)(uintptr_t)d->label_rows);
    free((size_t *)(uintptr_t)d->constant_features);
    free((size_t *)(uintptr_t)d->duplicate_features);
    free((size_t *)(uintptr_t)d->duplicate_of);
    free(d);
}
