/* SPDX-License-Identifier: Apache-2.0 */
/* Describes labels: a few distinct values are listed with their counts; more, as in regression
 * targets, are only counted. */
#include "data/describe.h"

#include "data/value_hash.h"

#include <math.h>
#include <stdlib.h>

enum { LISTED = GRADUS_LABELS_LISTED, SLOTS = 4096 };

typedef struct label_count {
    uint32_t bits;
    size_t rows; /* 0: an empty slot */
} label_count;

typedef struct label_table {
    label_count slots[SLOTS];
    size_t used;
} label_table;

/* False once there are too many distinct labels to list. */
static bool count_label(label_table *table, uint32_t bits)
{
    size_t slot = (size_t)(gr_value_hash(bits, 0) >> 32) % SLOTS;

    for (; table->slots[slot].rows; slot = (slot + 1) % SLOTS)
        if (table->slots[slot].bits == bits) {
            table->slots[slot].rows++;
            return true;
        }
    table->slots[slot] = (label_count){ bits, 1 };
    return ++table->used <= LISTED;
}

static double value_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Compares by value; missing labels come last. */
static int by_value(const void *left, const void *right)
{
    const double a = value_of(((const label_count *)left)->bits);
    const double b = value_of(((const label_count *)right)->bits);

    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return a < b ? -1 : a > b;
}

static gradus_status list_labels(label_table *table, gradus_description *d, gradus_error *err)
{
    double *values = gr_new_array(table->used, sizeof *values);
    size_t *rows = gr_new_array(table->used, sizeof *rows);
    size_t kept = 0;

    d->labels = table->used;
    d->label_values = values;
    d->label_rows = rows;
    if (!values || !rows)
        return gr_fail_memory(err, "labels");
    for (size_t slot = 0; slot < SLOTS; slot++)
        if (table->slots[slot].rows)
            table->slots[kept++] = table->slots[slot];
    qsort(table->slots, kept, sizeof *table->slots, by_value);
    for (size_t i = 0; i < kept; i++) {
        values[i] = value_of(table->slots[i].bits);
        rows[i] = table->slots[i].rows;
    }
    return GRADUS_OK;
}

/* Radix sort in two passes of 16 bits. The order of values does not matter, only that equal ones
 * become adjacent. */
static void group_equals(uint32_t *bits, uint32_t *spare, size_t count, size_t *starts)
{
    enum { BUCKETS = 1 << 16 };

    for (int shift = 0; shift <= 16; shift += 16) {
        const uint32_t *from = shift ? spare : bits;
        uint32_t *to = shift ? bits : spare;
        size_t sum = 0;

        memset(starts, 0, BUCKETS * sizeof *starts);
        for (size_t i = 0; i < count; i++)
            starts[from[i] >> shift & (BUCKETS - 1)]++;
        for (size_t b = 0; b < BUCKETS; b++) {
            const size_t here = starts[b];
            starts[b] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            to[starts[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
    }
}

/* Counts distinct labels when there are too many to list. Uses 8 bytes per row temporarily. */
static gradus_status count_distinct(const float *labels, size_t rows, size_t *distinct,
                                    gradus_error *err)
{
    uint32_t *bits = gr_new_array(rows, 2 * sizeof *bits);
    size_t *starts = gr_new_array((size_t)1 << 16, sizeof *starts);
    gradus_status status = GRADUS_OK;

    if (bits && starts) {
        for (size_t r = 0; r < rows; r++)
            bits[r] = gr_value_bits(labels[r]);
        group_equals(bits, bits + rows, rows, starts);
        *distinct = rows > 0;
        for (size_t r = 1; r < rows; r++)
            *distinct += bits[r] != bits[r - 1];
    } else {
        status = gr_fail_memory(err, "labels");
    }
    free(starts);
    free(bits);
    return status;
}

static void sum_up(const float *labels, size_t rows, gradus_description *d)
{
    double sum = 0.0;

    d->graded = true;
    d->label_min = d->label_max = d->label_mean = (double)NAN;
    for (size_t r = 0; r < rows; r++) {
        const double label = (double)labels[r];

        d->graded &= label >= 0.0 && label == floor(label) && !isinf(label);
        if (!(label >= d->label_min))
            d->label_min = label;
        if (!(label <= d->label_max))
            d->label_max = label;
        sum += label;
    }
    if (rows)
        d->label_mean = sum / (double)rows;
}

gradus_status gr_describe_labels(const gradus_dataset *data, gradus_description *d,
                                 gradus_error *err)
{
    const float *labels = data->arrays.labels;
    const size_t rows = data->arrays.rows;
    label_table *table = calloc(1, sizeof *table);
    bool few = true;
    gradus_status status;

    if (!table)
        return gr_fail_memory(err, "labels");
    sum_up(labels, rows, d);
    for (size_t r = 0; r < rows && few; r++)
        few = count_label(table, gr_value_bits(labels[r]));
    status = few ? list_labels(table, d, err) : count_distinct(labels, rows, &d->labels, err);
    free(table);
    return status;
}
