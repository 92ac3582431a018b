/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the root histograms of all outputs of a round in one pass over the rows. For each chunk of
 * rows, the words of up to seven outputs are packed into one vector per row; then tasks of four
 * features each add these vectors to vector-valued histogram entries, which stay in the L1 cache.
 * At the end the histogram of each output is extracted from its lane. */
#include "learners/tree/grow.h"

#include "base/ranges.h"
#include "kernels/histogram.h"
#include "kernels/histogram_outputs.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 16384,    /* rows whose words and vectors stay in the L2 cache */
    MAKE_ROWS = 2048, /* rows whose vectors one task packs */
    ROW_CHUNKS = CHUNK / MAKE_ROWS,
    PIECES = 2 /* per block: four features each */
};

/* The rows of a chunk that have the mask bit of a group, as indices in the chunk. Each chunk of
 * MAKE_ROWS rows has its own list, which starts where the chunk starts. */
typedef struct masked_list {
    uint16_t at[CHUNK];
    size_t counts[ROW_CHUNKS];
} masked_list;

typedef struct job {
    gr_grower *grower;
    size_t first_output, outputs; /* the outputs currently packed into vectors */
    bool counted;                 /* vectors of 32-bit gradients and one row count */
    uint64_t *vectors;            /* of the chunk's rows */
    masked_list *lists;           /* of the chunk, one per group with a row mask */
    uint64_t *bin_sums;           /* GR_VECTOR_WORDS words per bin_sum of the layout */
    size_t first, count;          /* the chunk */
} job;

static void list_masks(const job *j, size_t first, size_t count)
{
    const gr_bins *bins = j->grower->bins;
    const uint32_t *picked = j->grower->round.rows;
    const uint8_t *row_masks = bins->row_masks.at;

    for (size_t g = 0; g < bins->groups && bins->group[g].mask_bit; g++) {
        masked_list *list = &j->lists[g];
        size_t used = 0;

        for (size_t i = first; i < first + count; i++) {
            const size_t row = picked ? picked[j->first + i] : j->first + i;

            list->at[first + used] = (uint16_t)i;
            used += (row_masks[row] & bins->group[g].mask_bit) != 0;
        }
        list->counts[first / MAKE_ROWS] = used;
    }
}

static void make_task(void *argument, gr_range range)
{
    const job *j = argument;
    const size_t rows = j->grower->bins->rows;
    const size_t first = range.first, count = range.end - first;

    gr_vectors_make(j->vectors + first * GR_VECTOR_WORDS,
                    (const uint64_t *)j->grower->words.at + j->first_output * rows, rows,
                    j->outputs, j->grower->round.rows, j->first + first, count, j->counted);
    list_masks(j, first, count);
}

/* Adds all rows of the chunk, or those listed for a group with a row mask. */
static void scan_piece(const job *j, const gr_group *group, gr_vector_scan *scan,
                       uint64_t *bin_sums)
{
    const masked_list *list = &j->lists[group - j->grower->bins->group];

    if (!group->mask_bit) {
        gr_histogram_outputs_here()->scan(bin_sums, scan);
        return;
    }
    for (size_t i = 0; i * MAKE_ROWS < j->count; i++) {
        scan->at = list->at + i * MAKE_ROWS;
        scan->count = list->counts[i];
        gr_histogram_outputs_here()->scan(bin_sums, scan);
    }
}

static void scan_task(void *argument, size_t index, size_t worker)
{
    const job *j = argument;
    const gr_bins *bins = j->grower->bins;
    const size_t *starts = j->grower->layout.starts, pieces = bins->blocks * PIECES;
    const uint32_t *picked = j->grower->round.rows;
    gr_vector_scan scan = { .rows = picked ? picked + j->first : NULL,
                            .vectors = j->vectors,
                            .count = j->count,
                            .counted = j->counted };

    (void)worker;
    if (index < pieces) {
        const size_t block = index / PIECES, piece = index % PIECES;

        if (block * 8 + piece * 4 >= bins->dense)
            return; /* the last block is half empty */
        scan.stride = gr_block_stride(bins, block);
        scan.words = gr_block_words(bins, block) + (picked ? 0 : j->first * scan.stride);
        scan.shift = (unsigned)piece * 32;
        scan_piece(j, &bins->group[bins->group_of[block]], &scan,
                   j->bin_sums + (starts[block] + piece * 4 * GR_COLUMN_SUMS) * GR_VECTOR_WORDS);
    } else {
        const gr_bundle *bundle = &bins->bundle[index - pieces];

        gr_vectors_scan_lists(j->bin_sums + starts[bins->blocks + index - pieces] * GR_VECTOR_WORDS,
                              bundle->row_starts + (picked ? 0 : j->first), bundle->entries, &scan);
    }
}

static void take_task(void *argument, size_t unit, size_t worker)
{
    const job *j = argument;
    gr_grower *grower = j->grower;
    const size_t start = grower->layout.starts[unit];
    const size_t count = grower->layout.starts[unit + 1] - start;

    (void)worker;
    for (size_t k = 0; k < j->outputs; k++) {
        const size_t output = j->first_output + k;
        uint64_t *bin_sums = gr_histogram_at(&grower->histograms, grower->roots[output]);

        gr_vectors_take(bin_sums + start, j->bin_sums + start * GR_VECTOR_WORDS, count, k,
                        j->counted);
    }
}

static void fill_task(void *argument, size_t index, size_t worker)
{
    const job *j = argument;
    gr_grower *grower = j->grower;
    const size_t unit = grower->cuts.first + index;

    (void)worker;
    for (size_t output = j->first_output; output < j->first_output + j->outputs; output++) {
        uint64_t *bin_sums = gr_histogram_at(&grower->histograms, grower->roots[output]);

        gr_fill_default_bin(grower, &grower->lanes[output], grower->lanes[output].gradient_total,
                            grower->lanes[output].hessian_total, unit, bin_sums);
    }
}

/* Adds up the root histograms of all processes. */
static gradus_status share_roots(const job *j, gradus_error *err)
{
    gr_grower *grower = j->grower;

    for (size_t output = j->first_output; output < j->first_output + j->outputs; output++) {
        uint64_t *root = gr_histogram_at(&grower->histograms, grower->roots[output]);

        GR_TRY(gr_features_sum(&grower->cuts, grower->round.share, 1, root, 1, err));
    }
    return GRADUS_OK;
}

static gradus_status scan_outputs(job *j, gradus_error *err)
{
    gr_grower *grower = j->grower;
    const gr_bins *bins = grower->bins;

    memset(j->bin_sums, 0, grower->layout.bin_sums * GR_VECTOR_WORDS * sizeof *j->bin_sums);
    for (j->first = 0; j->first < grower->round.count; j->first += CHUNK) {
        const size_t left = grower->round.count - j->first;

        j->count = left < CHUNK ? left : CHUNK;
        gr_for_ranges(grower->pool, j->count, MAKE_ROWS, make_task, j);
        gr_pool_run(grower->pool, bins->blocks * PIECES + bins->bundles, scan_task, j);
    }
    gr_pool_run(grower->pool, grower->layout.units, take_task, j);
    GR_TRY(share_roots(j, err));
    gr_pool_run(grower->pool, grower->cuts.end - grower->cuts.first, fill_task, j);
    return GRADUS_OK;
}

bool gr_roots_can_share(const gr_grower *grower, bool wide)
{
    return grower->outputs > 1 && !wide && grower->bins->width == 8 &&
           (grower->outputs + 2 + GR_VECTOR_WORDS) * grower->layout.bin_sums * sizeof(uint64_t) <=
               grower->histogram_bytes;
}

gradus_status gr_make_roots(gr_grower *grower, gradus_error *err)
{
    const size_t outputs = grower->outputs;
    job j = { .grower = grower, .counted = grower->round.unit && outputs > GR_VECTOR_OUTPUTS };
    const size_t at_once = j.counted ? GR_COUNTED_OUTPUTS : GR_VECTOR_OUTPUTS;
    const size_t masked = grower->bins->row_masks.at ? GR_MAX_MASKED : 0;
    gr_array room = { 0 };
    gradus_status status = GRADUS_OK;

    if (!gr_array_reserve(&room,
                          (grower->layout.bin_sums + CHUNK) * GR_VECTOR_WORDS * sizeof(uint64_t) +
                              masked * sizeof(masked_list) + 32))
        return gr_fail_memory(err, "root histograms");
    j.bin_sums = (uint64_t *)room.at + (32 - (uintptr_t)room.at % 32) % 32 / sizeof(uint64_t);
    j.vectors = j.bin_sums + grower->layout.bin_sums * GR_VECTOR_WORDS;
    j.lists = (masked_list *)(void *)(j.vectors + CHUNK * GR_VECTOR_WORDS);
    for (size_t k = 0; k < outputs; k++)
        grower->roots[k] = gr_histogram_take(&grower->histograms);
    for (j.first_output = 0; status == GRADUS_OK && j.first_output < outputs;
         j.first_output += at_once) {
        j.outputs = outputs - j.first_output < at_once ? outputs - j.first_output : at_once;
        status = scan_outputs(&j, err);
    }
    gr_array_free(&room);
    return status;
}
