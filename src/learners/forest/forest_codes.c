/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns byte codes to the thresholds of a forest (see kernels/forest_masks.h). Each feature has
 * one column of sorted distinct thresholds, or several if it has more thresholds than a code can
 * count. */
#include "base/sort.h"
#include "learners/forest/compile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An integer that sorts like the float. */
static uint32_t ordered(float number)
{
    const float plain = number == 0.0f ? 0.0f : number; /* -0 is 0 */
    uint32_t bits;

    memcpy(&bits, &plain, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static size_t collect(const gr_compiled *compiled, gr_keyed *keys)
{
    const gr_forest *forest = compiled->forest;
    const uint64_t origin = forest->starts[compiled->first];
    size_t count = 0;

    for (size_t t = compiled->first; t < compiled->end; t++) {
        if (gr_tree_splits(forest, t) >= GR_MASK_LEAVES)
            continue;
        for (uint64_t s = forest->starts[t]; s < forest->starts[t + 1]; s++) {
            const gr_split *split = &forest->splits[s];

            keys[count].key = (uint64_t)split->feature << 32 | ordered(split->threshold);
            keys[count++].item = s - origin;
        }
    }
    return count;
}

/* Divides the sorted splits into columns. Counts the columns and the floats of their tables, and
 * also writes them once compiled->column is allocated. */
static void cut_columns(gr_compiled *compiled, const gr_keyed *keys, size_t count,
                        gr_coded_split *coded, size_t *columns, size_t *floats)
{
    const gr_split *splits = compiled->forest->splits + compiled->forest->starts[compiled->first];
    uint32_t used = 0; /* thresholds of the current column */

    *columns = *floats = 0;
    for (size_t i = 0; i < count; i++) {
        const bool another = i == 0 || keys[i].key != keys[i - 1].key;
        const bool other_feature = i == 0 || keys[i].key >> 32 != keys[i - 1].key >> 32;

        if (other_feature || (another && used == GR_MASK_CODES)) {
            *floats += used ? gr_code_table_size(used) : 0;
            used = 0;
            if (compiled->column)
                compiled->column[*columns] =
                    (gr_code_column){ .feature = (uint32_t)(keys[i].key >> 32),
                                      .table = (uint32_t)*floats };
            ++*columns;
        }
        used += another;
        if (!compiled->column)
            continue;
        gr_code_column *column = &compiled->column[*columns - 1];

        const uint8_t missing = splits[keys[i].item].missing_left ? 0 : GR_MISSING_CODE;

        column->mixed = column->count && (column->mixed || column->missing != missing);
        column->missing = column->mixed ? GR_MISSING_CODE : missing;
        column->count = used;
        compiled->tables[column->table + GR_CODE_BLOCK + used - 1] = splits[keys[i].item].threshold;
        coded[keys[i].item] = (gr_coded_split){ (uint32_t)(*columns - 1), (uint8_t)(used - 1) };
    }
    *floats += used ? gr_code_table_size(used) : 0;
}

static void finish_columns(gr_compiled *compiled)
{
    for (size_t c = 0; c < compiled->columns; c++) {
        float *table = compiled->tables + compiled->column[c].table;

        for (size_t b = 0; b < compiled->column[c].count / GR_CODE_BLOCK; b++)
            table[b] = table[GR_CODE_BLOCK + (b + 1) * GR_CODE_BLOCK - 1];
        compiled->mixed = compiled->mixed || compiled->column[c].mixed;
    }
}

gradus_status gr_code_splits(gr_compiled *compiled, gr_coded_split *coded, gradus_error *err)
{
    const uint64_t *starts = compiled->forest->starts;
    const size_t splits = (size_t)(starts[compiled->end] - starts[compiled->first]);
    gr_keyed *keys = gr_new_array(splits, sizeof *keys);
    gr_keyed *spare = gr_new_array(splits, sizeof *spare);
    gradus_status status = GRADUS_OK;
    size_t count, floats = 0;

    if (!keys || !spare) {
        status = gr_fail_memory(err, "thresholds");
        goto done;
    }
    count = collect(compiled, keys);
    gr_sort_keyed(keys, count, spare);
    cut_columns(compiled, keys, count, coded, &compiled->columns, &floats);
    if (floats > UINT32_MAX || compiled->columns > UINT32_MAX / GR_TILE) {
        status = gr_fail(err, GRADUS_NO_MEMORY, "the forest has too many thresholds, %zu", count);
        goto done;
    }
    compiled->tables = gr_new_array(floats, sizeof *compiled->tables);
    compiled->column = gr_new_array(compiled->columns, sizeof *compiled->column);
    if (!compiled->tables || !compiled->column) {
        status = gr_fail_memory(err, "thresholds");
        goto done;
    }
    for (size_t i = 0; i < floats; i++)
        compiled->tables[i] = NAN;
    cut_columns(compiled, keys, count, coded, &compiled->columns, &floats);
    finish_columns(compiled);
done:
    free(keys);
    free(spare);
    return status;
}
