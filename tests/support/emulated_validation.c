/* SPDX-License-Identifier: Apache-2.0 */
/* Validation on the emulated device. It copies all arrays, as a device with its own memory does, and runs
 * the blocks in descending order, because nothing may depend on their order. */
#include "emulated_validation.h"

#include "thread_order.h" /* before the bodies */

#include "base/error.h"
#include "emulated_lists.h"
#include "plugins/cuda/pack_trees.h"
#include "plugins/cuda/valid_body.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COPIES = 8, THREADS = 64 };

struct gr_valid_run {
    gr_valid_pass pass;
    emulated_lists lists;
    size_t features;
    float *room, *values;
    void *copies[MOST_COPIES];
    size_t copy_count;
    bool failed;
};

static emulated_valid_calls calls;
static emulated_valid_plan behaves;

emulated_valid_calls emulated_validation_calls(void)
{
    const emulated_valid_calls made = calls;

    calls = (emulated_valid_calls){ 0 };
    return made;
}

void emulated_validation_use(emulated_valid_plan plan)
{
    behaves = plan;
}

static uint32_t threads_of_block(void)
{
    return behaves.threads ? behaves.threads : THREADS;
}

static void *copy(gr_valid_run *run, const void *from, size_t count, size_t size)
{
    void *made = malloc(count * size + 1);

    run->failed |= !made;
    if (made && from && count)
        memcpy(made, from, count * size);
    else if (made)
        memset(made, 0x5a, count * size); /* nothing may depend on what was there */
    run->copies[run->copy_count++] = made;
    return made;
}

static void close_run(gr_valid_run *run)
{
    if (!run)
        return;
    for (size_t i = 0; i < run->copy_count; i++)
        free(run->copies[i]);
    emulated_lists_free(&run->lists);
    free(run);
}

static gradus_status open_run(const gradus_device *device, const gr_device_set *set,
                              gr_valid_run **made, gradus_error *err)
{
    gr_valid_run *run = behaves.full ? NULL : calloc(1, sizeof *run);

    (void)device;
    if (!run)
        return gr_fail_memory(err, "an emulated device");
    run->features = set->features;
    run->pass.rows = set->rows;
    run->pass.trees.outputs = set->outputs;
    run->pass.values = run->values = copy(run, NULL, set->rows * set->features, sizeof(float));
    run->pass.sums = copy(run, set->sums, set->rows * set->outputs, sizeof *set->sums);
    run->room = copy(run, NULL, set->batch * set->features, sizeof *run->room);
    if (set->lists)
        run->failed |=
            emulated_lists_make(&run->lists, set->lists, run->pass.sums, err) != GRADUS_OK;
    if (run->failed) {
        close_run(run);
        return gr_fail_memory(err, "an emulated device");
    }
    calls.opened++;
    *made = run;
    return GRADUS_OK;
}

static float *room(gr_valid_run *run)
{
    return run->room;
}

static gradus_status load(gr_valid_run *run, size_t first, size_t rows, gradus_error *err)
{
    const gr_valid_batch batch = { .from = run->room,
                                   .to = run->values,
                                   .features = run->features,
                                   .rows = run->pass.rows,
                                   .first = first,
                                   .count = rows,
                                   .tiles = gr_valid_tiles(rows) };
    float tile[GR_VALID_TILE * GR_VALID_PITCH];

    (void)err;
    for (uint64_t block = batch.tiles * gr_valid_tiles(run->features); block-- > 0;)
        gr_valid_transpose_block(&batch, block, threads_of_block(), tile);
    memset(run->room, 0x5a, rows * run->features * sizeof *run->room);
    return GRADUS_OK;
}

static gradus_status add(gr_valid_run *run, const gr_score_trees *trees, gradus_error *err)
{
    const uint32_t threads = threads_of_block();
    void *packed = aligned_alloc(16, (gr_trees_measure(trees).bytes + 15) / 16 * 16);

    if (!packed)
        return gr_fail_memory(err, "an emulated device");
    if (behaves.good && calls.added == behaves.good) {
        free(packed);
        return gr_fail(err, GRADUS_LOST,
                       "the GPU has failed while computing validation scores: it is lost");
    }
    calls.added++;
    run->pass.trees = gr_trees_pack(trees, packed, packed);
    for (uint64_t block = (run->pass.rows + threads - 1) / threads; block-- > 0;)
        gr_valid_block(&run->pass, block, threads);
    free(packed);
    return GRADUS_OK;
}

static gradus_status dcgs(gr_valid_run *run, double *to, gradus_error *err)
{
    calls.ranked++;
    return emulated_lists_dcgs(&run->lists, threads_of_block(), to, err);
}

static gradus_status fetch(gr_valid_run *run, double *sums, gradus_error *err)
{
    (void)err;
    calls.fetched++;
    memcpy(sums, run->pass.sums, run->pass.trees.outputs * run->pass.rows * sizeof *sums);
    return GRADUS_OK;
}

const gr_valid_device emulated_validation = { open_run, room, load, add, dcgs, fetch, close_run };
