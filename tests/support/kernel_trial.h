/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a kernel with random inputs, for test_kernel_versions.c. */
#ifndef GR_TESTS_KERNEL_TRIAL_H
#define GR_TESTS_KERNEL_TRIAL_H

#include "checks.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 70, SHIFTS = 4, MAX_BUFFERS = 40 };

/* One call: its size and alignment, its random numbers and buffers, and what it wrote. */
typedef struct trial {
    size_t size, shift;
    gr_rng rng;
    size_t buffers;
    void *buffer[MAX_BUFFERS];
    unsigned char *kept;
    size_t used, room;
} trial;

static void keep(trial *t, const void *what, size_t size)
{
    if (t->used + size > t->room) {
        t->room = 2 * (t->used + size);
        t->kept = realloc(t->kept, t->room);
        assert_non_null(t->kept);
    }
    if (size > 0)
        memcpy(t->kept + t->used, what, size);
    t->used += size;
}

/* Memory that ends with the last item, so that the sanitizer detects overruns, and starts `shift`
 * items after an aligned address. */
static void *take(trial *t, size_t count, size_t size)
{
    unsigned char *made = malloc((count + t->shift) * size + 1);

    assert_true(made && t->buffers < MAX_BUFFERS);
    t->buffer[t->buffers++] = made;
    return made + t->shift * size;
}

static void *take_aligned(trial *t, size_t bytes)
{
    void *made = aligned_alloc(64, (bytes + 64) / 64 * 64);

    assert_true(made && t->buffers < MAX_BUFFERS);
    t->buffer[t->buffers++] = made;
    return made;
}

static void end_trial(trial *t)
{
    while (t->buffers > 0)
        free(t->buffer[--t->buffers]);
    free(t->kept);
}

static double *doubles(trial *t, size_t count)
{
    double *made = take(t, count, sizeof *made);

    for (size_t i = 0; i < count; i++)
        made[i] = gr_rng_normal(&t->rng);
    return made;
}

static float *fill_floats(trial *t, float *made, size_t count)
{
    for (size_t i = 0; i < count; i++)
        made[i] = (float)gr_rng_normal(&t->rng);
    return made;
}

static float *floats(trial *t, size_t count)
{
    return fill_floats(t, take(t, count, sizeof(float)), count);
}

static float *aligned_floats(trial *t, size_t count)
{
    return fill_floats(t, take_aligned(t, count * sizeof(float)), count);
}

static uint64_t *fill_longs(trial *t, uint64_t *made, size_t count)
{
    for (size_t i = 0; i < count; i++)
        made[i] = gr_rng_long(&t->rng);
    return made;
}

static uint64_t *longs(trial *t, size_t count)
{
    return fill_longs(t, take(t, count, sizeof(uint64_t)), count);
}

static uint32_t *numbers(trial *t, size_t count, uint64_t below)
{
    uint32_t *made = take(t, count, sizeof *made);

    for (size_t i = 0; i < count; i++)
        made[i] = (uint32_t)gr_rng_below(&t->rng, below);
    return made;
}

static uint8_t *bytes(trial *t, size_t count)
{
    uint8_t *made = take(t, count, 1);

    for (size_t i = 0; i < count; i++)
        made[i] = (uint8_t)gr_rng_below(&t->rng, 256);
    return made;
}

static size_t below(trial *t, size_t limit)
{
    return (size_t)gr_rng_below(&t->rng, limit);
}

#endif
