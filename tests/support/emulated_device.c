/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the kernels that grow trees (plugins/cuda) one thread block after the other. Blocks run in
 * descending order, because nothing may depend on their order. emulated_team.c includes this file after
 * thread_team.h: threads are fibers then. */
#include "emulated_device.h"

#ifndef GR_THREAD_TEAM
#include "thread_order.h" /* before the bodies */
#endif

#include "emulated_boosting.h"
#include "emulated_validation.h"

#include "base/error.h"

#include <stdlib.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

enum {
#ifdef GR_THREAD_TEAM
    FEW_BLOCKS = 2,
#else
    FEW_BLOCKS = 7, /* of a batch of splits, so that some have several items */
#endif
    PIECE = 1000, /* rows that are copied at once */
    MACHINE_GAP = 64,
    MACHINE_STAGED = 1 << 10,
    SHARED = 1 << 18 /* bytes, more than any block needs */
};

typedef struct machine {
    void *shared; /* memory of a block */
} machine;

#include "plugins/cuda/trees_driver.h"

uint64_t emulated_room = (uint64_t)1 << 26, emulated_largest = UINT64_MAX;

static void *machine_new(gr_device_trees *trees, size_t bytes, bool shared, gradus_error *err)
{
    unsigned char *memory = bytes <= emulated_largest ? malloc(bytes) : NULL;

    (void)trees;
    (void)shared;
    if (memory)
        memset(memory, 0x5a, bytes); /* nothing may depend on what was there */
    else
        gr_fail_memory(err, "an emulated device");
    return memory;
}

static void machine_free(gr_device_trees *trees, void *memory, bool shared)
{
    (void)trees;
    (void)shared;
    free(memory);
}

static void machine_guard(void *gap)
{
#ifdef __SANITIZE_ADDRESS__
    ASAN_POISON_MEMORY_REGION(gap, MACHINE_GAP);
#else
    (void)gap;
#endif
}

static uint64_t machine_room(gr_device_trees *trees)
{
    (void)trees;
    return emulated_room;
}

static gradus_status machine_fits(gr_device_trees *trees, uint64_t bytes, size_t rows,
                                  size_t columns, gradus_error *err)
{
    (void)rows;
    (void)columns;
    return bytes <= machine_room(trees) ? GRADUS_OK : gr_fail_memory(err, "an emulated device");
}

static gradus_status machine_fail(gradus_status status, const char *message, gradus_error *err)
{
    return gr_fail(err, status, "%s", message);
}

static gradus_status machine_upload(gr_device_trees *trees, void *to, const void *from,
                                    size_t bytes, gradus_error *err)
{
    (void)trees;
    (void)err;
    if (bytes > 0)
        memcpy(to, from, bytes);
    return GRADUS_OK;
}

static gradus_status machine_download(gr_device_trees *trees, void *to, const void *from,
                                      size_t bytes, gradus_error *err)
{
    return machine_upload(trees, to, from, bytes, err);
}

static gradus_status machine_clear(gr_device_trees *trees, void *memory, size_t bytes,
                                   gradus_error *err)
{
    (void)trees;
    (void)err;
    memset(memory, 0, bytes);
    return GRADUS_OK;
}

static gradus_status machine_wait(gr_device_trees *trees, gradus_error *err)
{
    (void)trees;
    (void)err;
    return GRADUS_OK;
}

static gradus_status machine_mark(gr_device_trees *trees, gradus_error *err)
{
    return machine_wait(trees, err);
}

static gradus_status machine_wait_for_mark(gr_device_trees *trees, gradus_error *err)
{
    return machine_wait(trees, err);
}

/* ---- launches ---- */

typedef struct launch {
    gr_device_trees *trees;
    const void *work;
    uint32_t blocks;
} launch;

typedef void kernel(void *of, uint32_t block, void *shared);

/* threads: of a block. */
static gradus_status run(gr_device_trees *trees, kernel *body, const void *work, uint32_t blocks,
                         uint32_t threads)
{
    launch of = { trees, work, blocks };

#ifdef GR_THREAD_TEAM
    team_run(body, &of, blocks, threads, SHARED);
#else
    (void)threads;
    for (uint32_t block = blocks; block-- > 0;)
        body(&of, block, trees->on.shared);
#endif
    return GRADUS_OK;
}

/* A kernel whose blocks run `call`; l: the launch. */
#define KERNEL(name, call)                                                                         \
    static void name(void *of, uint32_t block, void *shared)                                       \
    {                                                                                              \
        const launch *l = of;                                                                      \
                                                                                                   \
        (void)shared;                                                                              \
        (void)block;                                                                               \
        call;                                                                                      \
    }

KERNEL(unpack_words, gr_unpack_words(&l->trees->data, l->work, block))
KERNEL(unpack_lists, gr_unpack_lists(&l->trees->data, l->work, block))
KERNEL(measure, gr_measure_body(l->work, block, shared))
KERNEL(round_rows, gr_round_body(l->work, block, shared))
KERNEL(part, gr_lists_body(&l->trees->data, l->trees->batch, block, l->blocks, shared))
KERNEL(choose, gr_growth_body(&l->trees->data, &l->trees->growth, shared))
KERNEL(leaf_sums, gr_leaf_sums_body(&l->trees->data, l->work, block, shared))
KERNEL(walk, gr_walk_body(&l->trees->data, l->trees->forks, l->trees->rows.leaf_of, block))

static void sums(void *of, uint32_t block, void *shared)
{
    const launch *l = of;
    const gr_tree_data *data = &l->trees->data;
    const gr_sums_kind kind = { gr_sums_count_rows(data), data->words == 2, data->columns16 != NULL,
                                data->pair_words != NULL };
    gr_sums_shared *plan = shared;

    gr_sums_body(data, l->trees->batch, kind, block, l->blocks, plan,
                 (uint32_t *)(void *)(plan + 1));
}

static void cuts(void *of, uint32_t block, void *shared)
{
    const launch *l = of;
    const gr_tree_data *data = &l->trees->data;
    gr_cuts_shared *own = shared;
    uint64_t *words = (uint64_t *)(void *)(own + 1);
    const gr_cuts_kept kept = { words, words + GR_CUTS_KEPT,
                                (uint32_t *)(void *)(words + 2 * GR_CUTS_KEPT) };

    gr_cuts_body(data, l->trees->batch, data->words == 2, data->counts != NULL, block, l->blocks,
                 l->trees->cuts, &kept, own);
}

typedef struct beginning {
    uint32_t rows, slot;
} beginning;

static void start_growth(void *of, uint32_t block, void *shared)
{
    const launch *l = of;
    const beginning *root = l->work;

    (void)block;
    (void)shared;
    gr_growth_start(&l->trees->data, &l->trees->growth, root->rows, root->slot);
}

static gradus_status machine_copy_words(gr_device_trees *trees, const gr_packed_words *groups,
                                        size_t count, gradus_error *err)
{
    (void)err;
    for (size_t g = 0; g < count; g++)
        for (uint32_t row = 0; row < groups[g].rows; row += PIECE) {
            gr_packed_words piece = groups[g];

            piece.words += (size_t)row * piece.stride;
            piece.first_row = row;
            piece.rows = piece.rows - row < PIECE ? piece.rows - row : PIECE;
            run(trees, unpack_words, &piece, gr_unpack_row_blocks(&piece) * piece.stride,
                GR_UNPACK_THREADS);
        }
    return GRADUS_OK;
}

static gradus_status machine_unpack_lists(gr_device_trees *trees, const gr_packed_lists *packed,
                                          uint32_t blocks, gradus_error *err)
{
    (void)err;
    return run(trees, unpack_lists, packed, blocks, GR_UNPACK_THREADS);
}

static gradus_status machine_measure(gr_device_trees *trees, const gr_extent_work *of,
                                     uint32_t blocks, gradus_error *err)
{
    (void)err;
    return run(trees, measure, of, blocks, GR_MEASURE_THREADS);
}

static gradus_status machine_round(gr_device_trees *trees, const gr_rounds *of, uint32_t blocks,
                                   gradus_error *err)
{
    (void)err;
    return run(trees, round_rows, of, blocks, GR_ROUND_THREADS);
}

static gradus_status machine_part(gr_device_trees *trees, gradus_error *err)
{
    (void)err;
    return run(trees, part, NULL, FEW_BLOCKS, GR_PART_THREADS);
}

static gradus_status machine_sums(gr_device_trees *trees, gradus_error *err)
{
    (void)err;
    return run(trees, sums, NULL, FEW_BLOCKS, GR_SUMS_THREADS);
}

static gradus_status machine_cuts(gr_device_trees *trees, gradus_error *err)
{
    (void)err;
    return run(trees, cuts, NULL, FEW_BLOCKS, GR_CUTS_THREADS);
}

static gradus_status machine_growth(gr_device_trees *trees, gradus_error *err)
{
    (void)err;
    return run(trees, choose, NULL, 1, GR_GROWTH_THREADS);
}

static gradus_status machine_start(gr_device_trees *trees, uint32_t rows, uint32_t slot,
                                   gradus_error *err)
{
    const beginning root = { rows, slot };

    (void)err;
    return run(trees, start_growth, &root, 1, GR_GROWTH_THREADS);
}

/* Not more than are needed for the second output, as with a graph. */
static gradus_status machine_steps(gr_device_trees *trees, size_t output, size_t steps,
                                   gradus_error *err)
{
#ifdef GR_THREAD_TEAM
    output = 1; /* threads take long to start */
#endif
    for (; steps > 0 && !(output == 1 && trees->report->done); steps--)
        DRIVER_TRY(driver_step(trees, err));
    return GRADUS_OK;
}

static gradus_status machine_leaf_sums(gr_device_trees *trees, const gr_leaf_work *work,
                                       uint32_t blocks, gradus_error *err)
{
    (void)err;
    return run(trees, leaf_sums, work, blocks, GR_LEAVES_THREADS);
}

static gradus_status machine_walk(gr_device_trees *trees, uint32_t blocks, gradus_error *err)
{
    (void)err;
    return run(trees, walk, NULL, blocks, GR_LEAVES_THREADS);
}

static void close_trees(gr_device_trees *trees)
{
    if (!trees)
        return;
    driver_free(trees);
    free(trees->on.shared);
    free(trees);
}

static gr_device_trees *open_trees(const struct gradus_device *device, const gr_device_bins *bins,
                                   gradus_error *err)
{
    gr_device_trees *trees = calloc(1, sizeof *trees);

    (void)device;
    if (trees)
        trees->on.shared = malloc(SHARED);
    if (!trees || !trees->on.shared)
        gr_fail_memory(err, "an emulated device");
    else if (driver_fill(trees, bins, err) == GRADUS_OK)
        return trees;
    close_trees(trees);
    return NULL;
}

const struct gr_tree_device emulated_trees = { open_trees,     close_trees,  driver_rows,
                                               driver_measure, driver_round, driver_root,
                                               driver_split,   driver_grow,  driver_finish };

static uint64_t free_memory(const struct gradus_device *device)
{
    (void)device;
    return machine_room(NULL);
}

static void close_nothing(struct gradus_device *device)
{
    (void)device;
}

const struct gradus_device emulated_device = { .version = GR_DEVICE_VERSION,
                                               .name = "emulated",
                                               .free_memory = free_memory,
                                               .trees = &emulated_trees,
                                               .boosting = &emulated_boosting,
                                               .validation = &emulated_validation,
                                               .close = close_nothing };
