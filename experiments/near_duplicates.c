/* SPDX-License-Identifier: Apache-2.0 */
/* Finds queries that share most of their documents, by hashes of the documents (features and
 * label). Documents that many queries have, such as those without any feature value, are no
 * evidence and do not count; queries with the same documents throughout always do. */
#include "experiments/near_duplicates.h"

#include "base/memory.h"
#include "base/sort.h"
#include "data/value_hash.h"
#include "experiments/helpers.h"

#include <stdlib.h>

/* A document that more queries have is not evidence. */
enum { MAX_SHARED = 8 };

/* The documents of a set, and its whole queries, by hash. */
typedef struct hashed {
    size_t queries, rows;
    uint64_t *starts;    /* per query, and at the end: its first document */
    uint64_t *hashes;    /* per document; 0: no evidence */
    gr_keyed *documents; /* by hash; item: the query */
    gr_keyed *wholes;
} hashed;

static void free_hashed(hashed *h)
{
    free(h->starts);
    free(h->hashes);
    free(h->documents);
    free(h->wholes);
}

static uint64_t hash_row(const gradus_arrays *a, size_t row)
{
    const bool sparse = a->row_starts != NULL;
    const size_t from = sparse ? (size_t)a->row_starts[row] : row * a->stride;
    const size_t count = sparse ? (size_t)a->row_starts[row + 1] - from : a->features;
    const float *values = (sparse ? a->entries : a->values) + from;
    const uint32_t label = gr_value_bits(a->labels[row]);
    uint64_t hash = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = gr_value_bits(values[i]);

        if (bits)
            hash += gr_value_hash(bits, sparse ? a->columns[from + i] : i);
    }
    return hash && label ? hash + gr_value_hash(label, UINT32_MAX) : hash;
}

/* The sum over documents, whatever their order, and their number. */
static uint64_t hash_whole(const hashed *h, size_t query)
{
    const size_t from = (size_t)h->starts[query], to = (size_t)h->starts[query + 1];
    uint64_t sum = 0;

    for (size_t r = from; r < to; r++)
        sum += h->hashes[r] * (h->hashes[r] >> 32 | 1);
    return sum ? sum + (to - from) : 0;
}

static gradus_status hash_set(const gradus_dataset *data, hashed *h, gradus_error *err)
{
    const gradus_arrays a = gr_arrays_of(data);
    const size_t most = a.rows > a.queries ? a.rows : a.queries;
    gr_keyed *spare = gr_new_array(most, sizeof *spare);

    *h = (hashed){ .queries = a.queries,
                   .rows = a.rows,
                   .starts = gr_new_array(a.queries + 1, sizeof *h->starts),
                   .hashes = gr_new_array(a.rows, sizeof *h->hashes),
                   .documents = gr_new_array(a.rows, sizeof *h->documents),
                   .wholes = gr_new_array(a.queries, sizeof *h->wholes) };
    if (!spare || !h->starts || !h->hashes || !h->documents || !h->wholes) {
        free(spare);
        return gr_fail_memory(err, "documents");
    }
    for (size_t q = 0; q <= a.queries; q++)
        h->starts[q] = a.query_starts[q];
    for (size_t q = 0; q < a.queries; q++) {
        for (size_t r = (size_t)h->starts[q]; r < h->starts[q + 1]; r++) {
            h->hashes[r] = hash_row(&a, r);
            h->documents[r] = (gr_keyed){ h->hashes[r], q };
        }
        h->wholes[q] = (gr_keyed){ hash_whole(h, q), q };
    }
    gr_sort_keyed(h->documents, a.rows, spare);
    gr_sort_keyed(h->wholes, a.queries, spare);
    free(spare);
    return GRADUS_OK;
}

/* The entries with a hash; *count: how many. */
static const gr_keyed *find(const gr_keyed *entries, size_t all, uint64_t hash, size_t *count)
{
    size_t low = 0, high = all;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (entries[middle].key < hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < all && entries[low + *count].key == hash;)
        ++*count;
    return entries + low;
}

static size_t root_of(size_t *same_as, size_t query)
{
    while (same_as[query] != query)
        query = same_as[query] = same_as[same_as[query]];
    return query;
}

static void unite(size_t *same_as, size_t a, size_t b)
{
    const size_t one = root_of(same_as, a), other = root_of(same_as, b);

    same_as[one > other ? one : other] = one > other ? other : one;
}

/* How many documents of a query are in each query of a set. touched: scratch memory, as `shared` per
 * query of the set, which must be 0. Returns the number of queries touched. */
static size_t count_shared(const hashed *set, const hashed *other, size_t query, size_t *shared,
                           size_t *touched)
{
    size_t touches = 0;

    for (size_t r = (size_t)other->starts[query]; r < other->starts[query + 1]; r++) {
        size_t count = 0;
        const gr_keyed *at =
            other->hashes[r] ? find(set->documents, set->rows, other->hashes[r], &count) : NULL;

        for (size_t i = 0; at && count <= MAX_SHARED && i < count; i++) {
            const size_t q = (size_t)at[i].item;

            if (i > 0 && at[i - 1].item == at[i].item)
                continue;
            if (shared[q]++ == 0)
                touched[touches++] = q;
        }
    }
    return touches;
}

static size_t size_of(const hashed *h, size_t query)
{
    return (size_t)(h->starts[query + 1] - h->starts[query]);
}

static void unite_similar(const hashed *h, size_t *same_as, size_t *shared, size_t *touched)
{
    for (size_t i = 1; i < h->queries; i++)
        if (h->wholes[i].key && h->wholes[i].key == h->wholes[i - 1].key)
            unite(same_as, (size_t)h->wholes[i].item, (size_t)h->wholes[i - 1].item);
    for (size_t q = 0; q < h->queries; q++) {
        const size_t touches = count_shared(h, h, q, shared, touched), size = size_of(h, q);

        for (size_t i = 0; i < touches; i++) {
            if (size > 1 && 2 * shared[touched[i]] > size)
                unite(same_as, q, touched[i]);
            shared[touched[i]] = 0;
        }
    }
}

gradus_status gr_near_duplicates(const gradus_dataset *data, size_t *same_as, size_t *count,
                                 gradus_error *err)
{
    hashed h = { .queries = 0 };
    gradus_status status = hash_set(data, &h, err);
    size_t *shared = gr_new_array(h.queries, sizeof *shared);
    size_t *touched = gr_new_array(h.queries, sizeof *touched);

    *count = 0;
    if (status == GRADUS_OK && (!shared || !touched))
        status = gr_fail_memory(err, "documents");
    if (status == GRADUS_OK) {
        for (size_t q = 0; q < h.queries; q++)
            same_as[q] = q;
        unite_similar(&h, same_as, shared, touched);
        for (size_t q = 0; q < h.queries; q++)
            same_as[q] = root_of(same_as, q);
        for (size_t q = 0; q < h.queries; q++)
            shared[same_as[q]]++;
        for (size_t q = 0; q < h.queries; q++)
            *count += shared[same_as[q]] > 1;
    }
    free(shared);
    free(touched);
    free_hashed(&h);
    return status;
}

static void count_common(const hashed *first, const hashed *second, size_t *shared, size_t *touched,
                         gr_common_queries *common)
{
    for (size_t q = 0; q < second->queries; q++) {
        const uint64_t whole = hash_whole(second, q);
        const size_t touches = count_shared(first, second, q, shared, touched);
        const size_t size = size_of(second, q);
        size_t most = 0, same = 0;

        for (size_t i = 0; i < touches; i++) {
            most = shared[touched[i]] > most ? shared[touched[i]] : most;
            shared[touched[i]] = 0;
        }
        if (whole)
            find(first->wholes, first->queries, whole, &same);
        if (same || (size > 1 && 2 * most > size)) {
            common->queries++;
            common->whole += same > 0;
            common->documents += same ? size : most;
        }
    }
}

gradus_status gr_common_queries_find(const gradus_dataset *first, const gradus_dataset *second,
                                     gr_common_queries *common, gradus_error *err)
{
    hashed a = { .queries = 0 }, b = { .queries = 0 };
    gradus_status status = hash_set(first, &a, err);

    *common = (gr_common_queries){ .queries = 0 };
    if (status == GRADUS_OK)
        status = hash_set(second, &b, err);
    size_t *shared = gr_new_array(a.queries, sizeof *shared);
    size_t *touched = gr_new_array(a.queries, sizeof *touched);

    if (status == GRADUS_OK && (!shared || !touched))
        status = gr_fail_memory(err, "documents");
    if (status == GRADUS_OK)
        count_common(&a, &b, shared, touched, common);
    free(shared);
    free(touched);
    free_hashed(&a);
    free_hashed(&b);
    return status;
}
