/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates trees with the bodies of the kernels for CUDA, a block after the other. */
#include "emulated_scoring.h"

#include "thread_order.h" /* before the bodies */

#include "plugins/cuda/score_body.h"

#include "base/error.h"

#include <stdlib.h>

struct gr_score_run {
    gr_score_trees trees; /* copies: the caller frees its own */
    void *copies[4];
    emulated_score_plan *plan;
    float *values[GR_SCORE_SLOTS];
    double *outputs[GR_SCORE_SLOTS];
    size_t started[GR_SCORE_SLOTS]; /* rows of a batch in flight */
};

static void *copy_of(const void *from, size_t bytes)
{
    void *made = malloc(bytes + !bytes);

    if (made && bytes)
        memcpy(made, from, bytes);
    return made;
}

static void close_scoring(gr_score_run *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < 4; i++)
        free(s->copies[i]);
    for (size_t i = 0; i < GR_SCORE_SLOTS; i++) {
        free(s->values[i]);
        free(s->outputs[i]);
    }
    free(s);
}

static gradus_status open_scoring(const gradus_device *device, const gr_score_trees *trees,
                                  size_t rows, gr_score_run **scoring, gradus_error *err)
{
    const size_t nodes = (size_t)trees->starts[trees->trees];
    gr_score_run *s = calloc(1, sizeof *s);
    bool good = s != NULL;

    if (s) {
        s->plan = device->state;
        s->trees = *trees;
        s->trees.bases = s->copies[0] =
            copy_of(trees->bases, trees->outputs * sizeof *trees->bases);
        s->trees.starts = s->copies[1] =
            copy_of(trees->starts, (trees->trees + 1) * sizeof *trees->starts);
        s->trees.nodes = s->copies[2] = copy_of(trees->nodes, nodes * sizeof *trees->nodes);
        s->trees.leaves = s->copies[3] =
            copy_of(trees->leaves, (nodes + trees->trees) * sizeof *trees->leaves);
    }
    for (size_t i = 0; s && i < GR_SCORE_SLOTS; i++) {
        s->values[i] = malloc(rows * trees->features * sizeof(float) + 1);
        s->outputs[i] = malloc(rows * trees->outputs * sizeof(double) + 1);
        good = good && s->values[i] && s->outputs[i];
    }
    for (size_t i = 0; s && i < 4; i++)
        good = good && s->copies[i];
    if (!good) {
        close_scoring(s);
        return gr_fail_memory(err, "a device");
    }
    *scoring = s;
    return GRADUS_OK;
}

static float *room(gr_score_run *s, size_t slot)
{
    return s->values[slot];
}

static gradus_status start(gr_score_run *s, size_t slot, size_t rows, gradus_error *err)
{
    if (s->plan && s->plan->good && s->plan->batches++ == s->plan->good)
        return gr_fail(err, GRADUS_LOST, "the GPU has failed while scoring rows: it is lost");
    s->started[slot] = rows;
    return GRADUS_OK;
}

/* The work is done here, so that rows written after `start` would be noticed. */
static gradus_status finish(gr_score_run *s, size_t slot, const double **outputs, gradus_error *err)
{
    const uint32_t threads = s->plan && s->plan->threads ? s->plan->threads : 128;
    const size_t rows = s->started[slot];
    const gr_score_pass pass = { s->trees, s->values[slot], rows, s->outputs[slot] };
    float *tile = NULL;

    if (!s->plan || !s->plan->untiled) {
        tile = malloc(threads * s->trees.features * sizeof *tile + 1);
        if (!tile)
            return gr_fail_memory(err, "a device");
    }
    for (uint64_t block = 0; block * threads < rows; block++)
        gr_score_block(&pass, block, threads, tile != NULL, tile);
    free(tile);
    *outputs = s->outputs[slot];
    return GRADUS_OK;
}

const gr_score_device emulated_scoring = { open_scoring, room, start, finish, close_scoring };
