/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient quantisation (learners/tree/quantize.h) on a device: measures numbers and rounds them. */
#ifndef GR_PLUGINS_CUDA_ROUNDING_BODIES_H
#define GR_PLUGINS_CUDA_ROUNDING_BODIES_H

#include "kernels/keyed_rounding.h"
#include "tree_plan.h"

enum {
    GR_MEASURE_THREADS = 256,
    GR_MEASURE_LANES = 8, /* partial sums, as in kernels/rounding.h */
    GR_MEASURE_DEEP = 16, /* values that a thread loads at once */
    GR_ROUND_THREADS = 256,
    GR_ROUND_ROWS = 4 * GR_ROUND_THREADS
};

typedef struct gr_extent_work {
    const float *values; /* by row; `apart` numbers further those of the next output */
    uint64_t apart;
    const uint32_t *sample;    /* NULL: all rows */
    uint32_t count, blocks;    /* blocks of one output */
    gr_device_extent *extents; /* `extents_apart` further those of the next output */
    uint32_t extents_apart;
} gr_extent_work;

typedef struct gr_measure_shared {
    float values[GR_MEASURED_ROWS]; /* absolute ones; 0 from the last on */
    double sums[GR_MEASURE_LANES];
    float most[GR_MEASURE_THREADS];
    uint32_t negative[GR_MEASURE_THREADS];
} gr_measure_shared;

/* Loads the values of a block; each thread notes the largest of its own. */
GR_DEVICE void gr_measure_load(const gr_extent_work *of, const float *values, uint32_t first,
                               uint32_t count, gr_measure_shared *shared, uint32_t t)
{
    float most = 0;
    bool negative = false;

    GR_UNROLL
    for (uint32_t k = 0; k < GR_MEASURED_ROWS / GR_MEASURE_THREADS; k++) {
        const uint32_t i = k * GR_MEASURE_THREADS + t;
        const float value =
            i < count ? values[of->sample ? of->sample[first + i] : first + i] : 0.0f;
        const float size = value < 0 ? -value : value;

        shared->values[i] = size;
        most = size > most ? size : most;
        negative |= value < 0;
    }
    shared->most[t] = most;
    shared->negative[t] = negative;
}

/* The numbers that come next in a lane: the first of them is at i. */
GR_DEVICE void gr_measure_take(const gr_measure_shared *shared, uint32_t i, double *values)
{
    GR_UNROLL
    for (uint32_t d = 0; d < GR_MEASURE_DEEP; d++)
        values[d] = (double)shared->values[(i + d * GR_MEASURE_LANES) % GR_MEASURED_ROWS];
}

/* Adds up a lane: the one long chain of operations, so it has nothing else to do but to load the next numbers
 * while it adds. */
GR_DEVICE double gr_measure_lane(const gr_measure_shared *shared, uint32_t count, uint32_t lane)
{
    double sum = 0, values[GR_MEASURE_DEEP], next[GR_MEASURE_DEEP];

    gr_measure_take(shared, lane, next);
    for (uint32_t i = lane; i < count; i += GR_MEASURE_DEEP * GR_MEASURE_LANES) {
        GR_UNROLL
        for (uint32_t d = 0; d < GR_MEASURE_DEEP; d++)
            values[d] = next[d];
        gr_measure_take(shared, i + GR_MEASURE_DEEP * GR_MEASURE_LANES, next);
        GR_UNROLL
        for (uint32_t d = 0; d < GR_MEASURE_DEEP; d++)
            sum += values[d];
    }
    return sum;
}

GR_DEVICE void gr_measure_body(const gr_extent_work *of, uint32_t block, gr_measure_shared *shared)
{
    const uint32_t output = block / of->blocks, part = block % of->blocks;
    const uint32_t first = part * GR_MEASURED_ROWS;
    const uint32_t count =
        of->count - first < GR_MEASURED_ROWS ? of->count - first : GR_MEASURED_ROWS;
    const float *values = of->values + output * of->apart;

    GR_THREADS(t, GR_MEASURE_THREADS)
    {
        gr_measure_load(of, values, first, count, shared, t);
    }
    GR_BARRIER();
    GR_THREADS(t, GR_MEASURE_THREADS)
    {
        /* the lanes and the maxima are in different warps */
        if (t < GR_MEASURE_LANES)
            shared->sums[t] = gr_measure_lane(shared, count, t);
        else if (t >= 32 && t < 64)
            for (uint32_t i = t; i < GR_MEASURE_THREADS; i += 32) {
                const uint32_t kept = t - 32;

                shared->most[kept] =
                    shared->most[i] > shared->most[kept] ? shared->most[i] : shared->most[kept];
                shared->negative[kept] |= shared->negative[i];
            }
    }
    GR_BARRIER();
    GR_THREADS(t, GR_MEASURE_THREADS)
    {
        gr_device_extent all = { 0, 0, 0 };

        if (t > 0)
            continue;
        for (uint32_t lane = 0; lane < GR_MEASURE_LANES; lane++)
            all.sum += shared->sums[lane];
        for (uint32_t i = 0; i < 32; i++) {
            all.most = (double)shared->most[i] > all.most ? (double)shared->most[i] : all.most;
            all.negative |= shared->negative[i];
        }
        of->extents[(uint64_t)output * of->extents_apart + part] = all;
    }
}

typedef struct gr_rounds {
    const float *gradients; /* by row */
    const float *hessians;  /* NULL: all 1 */
    const uint32_t *sample;
    uint32_t count;
    gr_device_scale scale;
    uint64_t *words; /* by position in the sample */
    gr_totals *totals;
} gr_rounds;

/* Sums are signed, and may overflow with scales that turn out to be wrong. */
typedef struct gr_round_shared {
    uint64_t gradients[GR_ROUND_THREADS], hessians[GR_ROUND_THREADS];
    uint64_t most[GR_ROUND_THREADS];
} gr_round_shared;

GR_DEVICE void gr_round_body(const gr_rounds *of, uint32_t block, gr_round_shared *shared)
{
    GR_THREADS(t, GR_ROUND_THREADS)
    {
        uint64_t gradients = 0, hessians = 0;
        int64_t most = 0;

        GR_UNROLL
        for (uint32_t k = 0; k < GR_ROUND_ROWS / GR_ROUND_THREADS; k++) {
            const uint32_t i = block * GR_ROUND_ROWS + k * GR_ROUND_THREADS + t;
            uint64_t hash;
            uint32_t row;
            int64_t g, h = 1;

            if (i >= of->count)
                continue;
            row = of->sample ? of->sample[i] : i;
            hash = gr_row_hash(of->scale.key, row);
            g = gr_round_number((double)of->gradients[row] * of->scale.gradient,
                                (uint32_t)(hash >> 32));
            if (of->hessians)
                h = gr_round_number((double)of->hessians[row] * of->scale.hessian, (uint32_t)hash);
            of->words[i] = ((uint64_t)g << 32) + (uint64_t)h;
            gradients += (uint64_t)g;
            hessians += (uint64_t)h;
            most = h > most ? h : most;
        }
        shared->gradients[t] = gradients;
        shared->hessians[t] = hessians;
        shared->most[t] = (uint64_t)most;
    }
    for (uint32_t half = GR_ROUND_THREADS / 2; half > 0; half /= 2) {
        GR_BARRIER();
        GR_THREADS(t, GR_ROUND_THREADS)
        {
            if (t >= half)
                continue;
            shared->gradients[t] += shared->gradients[t + half];
            shared->hessians[t] += shared->hessians[t + half];
            shared->most[t] =
                shared->most[t + half] > shared->most[t] ? shared->most[t + half] : shared->most[t];
        }
    }
    GR_BARRIER();
    GR_THREADS(t, GR_ROUND_THREADS)
    {
        if (t > 0)
            continue;
        gr_atomic_add_u64(&of->totals->gradient, shared->gradients[0]);
        gr_atomic_add_u64(&of->totals->hessian, shared->hessians[0]);
        gr_atomic_max_u64(&of->totals->most, shared->most[0]);
    }
}

#endif
