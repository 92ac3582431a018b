/* SPDX-License-Identifier: Apache-2.0 */
/* Finds rows, queries and features common to two sets. All rows are hashed; the rows of the first
 * set go into a hash table, those of the second are looked up, and rows with equal hashes are
 * compared value by value.
 *
 * Several processes hash their rows, gather the hashes and look up their rows of the second set. If
 * the values of the first set are divided among them, too, they gather those of its rows whose hashes
 * are in the second set. */
#include "data/overlap.h"

#include "base/ranges.h"
#include "data/share_rows.h"
#include "data/value_hash.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_CHUNK = 1024 }; /* rows per task */

/* A set, and the results of one pass: a hash per row, and which features are ever nonzero. */
typedef struct hashed_set {
    const gradus_dataset *data;
    gradus_dataset *own;  /* this process's rows; NULL: all */
    uint64_t *hashes;     /* of the rows of `data` */
    atomic_uchar *filled; /* one per feature */
} hashed_set;

/* Iterates over the nonzero values of a dense or sparse row, in feature order. */
typedef struct row_walk {
    const gradus_arrays *arrays;
    const float *values;
    uint64_t at, end;
} row_walk;

static row_walk walk_row(const gradus_dataset *data, size_t r)
{
    const gradus_arrays *a = &data->arrays;

    if (gr_dataset_is_dense(data))
        return (row_walk){ a, a->values + r * a->stride, 0, a->features };
    return (row_walk){ a, a->entries, a->row_starts[r], a->row_starts[r + 1] };
}

/* The bit pattern and the feature of the next nonzero value; 0 at the end. */
static uint32_t next_value(row_walk *walk, size_t *feature)
{
    while (walk->at < walk->end) {
        const uint64_t here = walk->at++;
        const uint32_t bits = gr_value_bits(walk->values[here]);

        if (bits) {
            *feature = walk->arrays->row_starts ? walk->arrays->columns[here] : (size_t)here;
            return bits;
        }
    }
    return 0;
}

static bool rows_are_equal(const gradus_dataset *one, size_t r, const gradus_dataset *other,
                           size_t s)
{
    row_walk a = walk_row(one, r), b = walk_row(other, s);

    for (;;) {
        size_t in_one = 0, in_other = 0;
        const uint32_t left = next_value(&a, &in_one), right = next_value(&b, &in_other);

        if (left != right || in_one != in_other)
            return false;
        if (left == 0)
            return true;
    }
}

static void hash_rows(void *argument, gr_range range)
{
    hashed_set *set = argument;

    for (size_t r = range.first; r < range.end; r++) {
        row_walk walk = walk_row(set->data, r);
        uint64_t hash = 0;
        size_t f;

        for (uint32_t bits = next_value(&walk, &f); bits; bits = next_value(&walk, &f)) {
            hash += gr_value_hash(bits, f);
            if (!atomic_load_explicit(&set->filled[f], memory_order_relaxed))
                atomic_store_explicit(&set->filled[f], 1, memory_order_relaxed);
        }
        set->hashes[r] = hash;
    }
}

/* The rows of this process, with their hashes, which are those of `set`. */
static hashed_set own_rows(const hashed_set *set)
{
    hashed_set own = *set;

    if (set->own) {
        own.data = set->own;
        own.hashes += gr_share_first_row(set->own->share);
    }
    return own;
}

static gradus_status hash_set(hashed_set *set, gr_pool *pool, gradus_error *err)
{
    const size_t features = set->data->arrays.features;

    GR_TRY(gr_dataset_own_rows(set->data, pool, &set->own, err));
    set->hashes = gr_new_array(set->data->arrays.rows, sizeof *set->hashes);
    set->filled = gr_new_array(features, sizeof *set->filled);
    if (!set->hashes || !set->filled)
        return gr_fail_memory(err, "row hashes");
    hashed_set own = own_rows(set);

    gr_for_ranges(pool, own.data->arrays.rows, ROW_CHUNK, hash_rows, &own);
    if (!set->own)
        return GRADUS_OK;
    const gr_share *share = set->own->share;

    GR_TRY(
        gr_share_gather(share, share->row_cuts, sizeof *set->hashes, own.hashes, set->hashes, err));
    return gr_share_or(share, (uint8_t *)set->filled, features, err);
}

static int compare_hashes(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Rows of the first set whose hashes are in the second set: of this process, and of all. */
typedef struct candidates {
    size_t *rows, count;
    float *own_values, *own_labels;
    uint64_t *own_hashes, *cuts;
    float *values, *labels;
    uint64_t *hashes;
    gradus_dataset *data;
} candidates;

static gradus_status choose_candidates(const hashed_set *first, const hashed_set *second,
                                       candidates *c, gradus_error *err)
{
    const hashed_set own = own_rows(first);
    const size_t others = second->data->arrays.rows;
    uint64_t *sorted = gr_new_array(others, sizeof *sorted);

    c->rows = gr_new_array(own.data->arrays.rows, sizeof *c->rows);
    if (!sorted || !c->rows) {
        free(sorted);
        return gr_fail_memory(err, "rows in both sets");
    }
    memcpy(sorted, second->hashes, others * sizeof *sorted);
    qsort(sorted, others, sizeof *sorted, compare_hashes);
    for (size_t r = 0; r < own.data->arrays.rows; r++)
        if (bsearch(&own.hashes[r], sorted, others, sizeof *sorted, compare_hashes))
            c->rows[c->count++] = r;
    free(sorted);
    return GRADUS_OK;
}

static gradus_status gather_candidates(const hashed_set *first, candidates *c, gradus_error *err)
{
    const hashed_set own = own_rows(first);
    const gr_share *share = own.data->share;
    const size_t features = own.data->arrays.features;

    c->cuts = gr_new_array(share->with->size + 1, sizeof *c->cuts);
    c->own_values = gr_new_array(c->count * features, sizeof *c->own_values);
    c->own_labels = gr_new_array(c->count, sizeof *c->own_labels);
    c->own_hashes = gr_new_array(c->count, sizeof *c->own_hashes);
    if (!c->cuts || !c->own_values || !c->own_labels || !c->own_hashes)
        return gr_fail_memory(err, "rows in both sets");
    for (size_t i = 0; i < c->count; i++) {
        gr_dataset_row(own.data, c->rows[i], c->own_values + i * features);
        c->own_labels[i] = own.data->arrays.labels[c->rows[i]];
        c->own_hashes[i] = own.hashes[c->rows[i]];
    }
    GR_TRY(gr_share_count(share, c->count, c->cuts, err));
    const size_t all = (size_t)c->cuts[share->with->size];

    c->values = gr_new_array(all * features, sizeof *c->values);
    c->labels = gr_new_array(all, sizeof *c->labels);
    c->hashes = gr_new_array(all, sizeof *c->hashes);
    c->data = gr_dataset_new(err);
    if (!c->values || !c->labels || !c->hashes || !c->data)
        return gr_fail_memory(err, "rows in both sets");
    c->data->arrays = (gradus_arrays){ .rows = all,
                                       .features = features,
                                       .values = c->values,
                                       .stride = features,
                                       .labels = c->labels };
    GR_TRY(
        gr_share_gather(share, c->cuts, features * sizeof(float), c->own_values, c->values, err));
    GR_TRY(gr_share_gather(share, c->cuts, sizeof(float), c->own_labels, c->labels, err));
    return gr_share_gather(share, c->cuts, sizeof(uint64_t), c->own_hashes, c->hashes, err);
}

static void free_candidates(candidates *c)
{
    gradus_dataset_free(c->data);
    free(c->hashes);
    free(c->labels);
    free(c->values);
    free(c->cuts);
    free(c->own_hashes);
    free(c->own_labels);
    free(c->own_values);
    free(c->rows);
}

/* The distinct rows of the first set by hash, with or without the label. */
typedef struct row_table {
    const hashed_set *first, *second;
    uint64_t *slots; /* row + 1; 0: empty */
    size_t capacity;
    bool with_label;
    atomic_size_t found;
} row_table;

static uint64_t hash_of(const row_table *table, const hashed_set *set, size_t r)
{
    const uint32_t label = gr_value_bits(set->data->arrays.labels[r]);

    return table->with_label ? set->hashes[r] + gr_value_hash(label, UINT32_MAX) : set->hashes[r];
}

static bool same_row(const row_table *table, size_t r, const hashed_set *set, size_t s)
{
    if (table->first->hashes[r] != set->hashes[s])
        return false;
    if (table->with_label && gr_value_bits(table->first->data->arrays.labels[r]) !=
                                 gr_value_bits(set->data->arrays.labels[s]))
        return false;
    return rows_are_equal(table->first->data, r, set->data, s);
}

/* The slot of an equal row, or the empty slot where it would be inserted. */
static uint64_t *slot_of(const row_table *table, const hashed_set *set, size_t s)
{
    const unsigned __int128 wide = (unsigned __int128)hash_of(table, set, s) * table->capacity;
    size_t slot = (size_t)(wide >> 64);

    while (table->slots[slot] && !same_row(table, (size_t)table->slots[slot] - 1, set, s))
        slot = slot + 1 < table->capacity ? slot + 1 : 0;
    return &table->slots[slot];
}

static void look_up(void *argument, gr_range range)
{
    row_table *table = argument;
    size_t found = 0;

    for (size_t s = range.first; s < range.end; s++)
        found += *slot_of(table, table->second, s) != 0;
    atomic_fetch_add(&table->found, found);
}

/* Counts the rows of the second set that are also in the first. */
static gradus_status count_shared(const hashed_set *first, const hashed_set *second,
                                  bool with_label, gr_pool *pool, size_t *count, gradus_error *err)
{
    const size_t rows = first->data->arrays.rows;
    const hashed_set looked_up = own_rows(second);
    row_table table = { .first = first, .second = &looked_up, .with_label = with_label };

    table.capacity = rows + rows / 2 + 1;
    table.slots = gr_new_array(table.capacity, sizeof *table.slots);
    if (!table.slots)
        return gr_fail_memory(err, "a table of rows");
    for (size_t r = 0; r < rows; r++) {
        uint64_t *slot = slot_of(&table, first, r);

        if (*slot == 0)
            *slot = r + 1;
    }
    gr_for_ranges(pool, looked_up.data->arrays.rows, ROW_CHUNK, look_up, &table);
    free(table.slots);
    uint64_t found = atomic_load(&table.found);

    GR_TRY(gr_share_sum_words(second->own ? second->own->share : NULL, &found, 1, err));
    *count = (size_t)found;
    return GRADUS_OK;
}

static gradus_status count_rows(const hashed_set *first, const hashed_set *second, gr_pool *pool,
                                gradus_overlap *overlap, gradus_error *err)
{
    GR_TRY(count_shared(first, second, false, pool, &overlap->rows, err));
    if (overlap->rows == 0)
        return GRADUS_OK;
    return count_shared(first, second, true, pool, &overlap->labelled_rows, err);
}

static gradus_status count_gathered_rows(const hashed_set *first, const hashed_set *second,
                                         gr_pool *pool, gradus_overlap *overlap, gradus_error *err)
{
    candidates c = { 0 };
    gradus_status status = choose_candidates(first, second, &c, err);

    if (status == GRADUS_OK)
        status = gather_candidates(first, &c, err);
    if (status == GRADUS_OK) {
        const hashed_set gathered = { .data = c.data, .hashes = c.hashes };

        status = count_rows(&gathered, second, pool, overlap, err);
    }
    free_candidates(&c);
    return status;
}

static bool is_filled(const hashed_set *set, size_t f)
{
    return f < set->data->arrays.features &&
           atomic_load_explicit(&set->filled[f], memory_order_relaxed);
}

/* Lists the features that are nonzero in one set but not in the other. */
static gradus_status list_only(const hashed_set *one, const hashed_set *other, size_t *count,
                               const size_t **features, gradus_error *err)
{
    const size_t all = one->data->arrays.features;
    size_t *list, listed = 0;

    *count = 0;
    for (size_t f = 0; f < all; f++)
        *count += is_filled(one, f) && !is_filled(other, f);
    *features = list = gr_new_array(*count, sizeof *list);
    if (!list)
        return gr_fail_memory(err, "a list of features");
    for (size_t f = 0; f < all; f++)
        if (is_filled(one, f) && !is_filled(other, f))
            list[listed++] = f;
    return GRADUS_OK;
}

static gradus_status mark_shared(const gr_names *first, const gr_names *second, gr_name_set *set,
                                 bool *shared, gradus_error *err)
{
    for (size_t q = 0; q < first->count; q++) {
        const char *name = gr_name_at(first, q);

        if (gr_name_set_add(set, name, strlen(name)) == SIZE_MAX)
            return gr_fail_memory(err, "query names");
    }
    for (size_t q = 0; q < second->count; q++) {
        const char *name = gr_name_at(second, q);
        const size_t found = gr_name_set_find(set, name, strlen(name));

        if (found != SIZE_MAX)
            shared[found] = true;
    }
    return GRADUS_OK;
}

/* Names are unique within a set, so the number of a name is the index of its query. */
static gradus_status list_queries(const gr_names *first, const gr_names *second,
                                  gradus_overlap *overlap, gradus_error *err)
{
    gr_name_set set = { 0 };
    bool *shared = gr_new_array(first->count, sizeof *shared);
    size_t *list = gr_new_array(first->count, sizeof *list);
    gradus_status status = shared && list ? mark_shared(first, second, &set, shared, err)
                                          : gr_fail_memory(err, "query names");

    overlap->query_first = list;
    for (size_t q = 0; status == GRADUS_OK && q < first->count; q++)
        if (shared[q])
            list[overlap->queries++] = q;
    gr_name_set_free(&set);
    free(shared);
    return status;
}

static gradus_status find_overlap(hashed_set *first, hashed_set *second, gr_pool *pool,
                                  gradus_overlap *overlap, gradus_error *err)
{
    GR_TRY(hash_set(first, pool, err));
    GR_TRY(hash_set(second, pool, err));
    GR_TRY(list_queries(&first->data->query_names, &second->data->query_names, overlap, err));
    GR_TRY(list_only(first, second, &overlap->only_first, &overlap->only_first_features, err));
    GR_TRY(list_only(second, first, &overlap->only_second, &overlap->only_second_features, err));
    return gr_dataset_is_divided(first->data)
               ? count_gathered_rows(first, second, pool, overlap, err)
               : count_rows(first, second, pool, overlap, err);
}

static void free_set(hashed_set *set)
{
    gradus_dataset_free(set->own);
    free(set->filled);
    free(set->hashes);
}

gradus_overlap *gr_overlap_find(const gradus_dataset *first, const gradus_dataset *second,
                                gr_pool *pool, gradus_error *err)
{
    hashed_set one = { .data = first }, other = { .data = second };
    gradus_overlap *overlap = calloc(1, sizeof *overlap);

    if (!overlap)
        gr_fail_memory(err, "an overlap");
    if (overlap && find_overlap(&one, &other, pool, overlap, err) != GRADUS_OK) {
        gradus_overlap_free(overlap);
        overlap = NULL;
    }
    free_set(&other);
    free_set(&one);
    return overlap;
}

void gradus_overlap_free(gradus_overlap *overlap)
{
    if (!overlap)
        return;
    free((size_t *)(uintptr_t)overlap->query_first);
    free((size_t *)(uintptr_t)overlap->only_first_features);
    free((size_t *)(uintptr_t)overlap->only_second_features);
    free(overlap);
}
