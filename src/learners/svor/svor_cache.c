/* SPDX-License-Identifier: Apache-2.0 */
/* A least-recently-used cache of kernel rows: slots in a doubly linked list ordered by last use. */
#include "learners/svor/svor_cache.h"

#include "base/bisect.h"
#include "base/ranges.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* At least two kernel rows, which a step needs, and no more than there are rows. */
static size_t room_for(const gr_row_cache *cache, size_t rows)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): rows > 0: shrinking keeps two or more */
    const size_t fit = cache->budget / (rows * sizeof(float)), most = rows < 2 ? 2 : rows;

    return fit < 2 ? 2 : fit < most ? fit : most;
}

void gr_row_cache_reset(gr_row_cache *cache, const gr_kernel_rows *rows)
{
    cache->rows = rows;
    cache->room = room_for(cache, rows->rows);
    cache->used = 0;
    cache->newest = cache->oldest = NONE;
    memset(cache->place_of, 0xff, rows->rows * sizeof *cache->place_of);
}

gradus_status gr_row_cache_new(gr_row_cache *cache, const gr_kernel *kernel,
                               const gr_kernel_rows *rows, size_t budget, gr_pool *pool,
                               gradus_error *err)
{
    const size_t count = rows->rows < 2 ? 2 : rows->rows;

    *cache = (gr_row_cache){ .kernel = kernel, .pool = pool, .budget = budget };
    cache->place_of = gr_arena_array(&cache->arena, count, sizeof *cache->place_of);
    cache->row_at = gr_arena_array(&cache->arena, count, sizeof *cache->row_at);
    cache->newer = gr_arena_array(&cache->arena, count, sizeof *cache->newer);
    cache->older = gr_arena_array(&cache->arena, count, sizeof *cache->older);
    cache->left = gr_arena_array(&cache->arena, rows->features, sizeof *cache->left);
    cache->scratch = gr_arena_array(&cache->arena, gr_pool_threads(pool) * GR_CACHE_BLOCK,
                                    sizeof *cache->scratch);
    if (cache->arena.failed)
        return gr_fail_memory(err, "a cache of kernel rows");
    gr_row_cache_reset(cache, rows);
    cache->budget = cache->room * rows->rows * sizeof(float);
    if (!gr_array_reserve(&cache->values, cache->budget))
        return gr_fail_memory(err, "a cache of kernel rows");
    return GRADUS_OK;
}

void gr_row_cache_free(gr_row_cache *cache)
{
    gr_arena_free(&cache->arena);
    gr_array_free(&cache->values);
    *cache = (gr_row_cache){ .kernel = NULL };
}

static void unlink_place(gr_row_cache *cache, uint32_t place)
{
    const uint32_t newer = cache->newer[place], older = cache->older[place];

    *(newer == NONE ? &cache->newest : &cache->older[newer]) = older;
    *(older == NONE ? &cache->oldest : &cache->newer[older]) = newer;
}

static void make_newest(gr_row_cache *cache, uint32_t place)
{
    cache->newer[place] = NONE;
    cache->older[place] = cache->newest;
    *(cache->newest == NONE ? &cache->oldest : &cache->newer[cache->newest]) = place;
    cache->newest = place;
}

typedef struct computing {
    const gr_row_cache *cache;
    double square;
    float *to;
} computing;

static void compute_block(void *argument, gr_range range)
{
    const computing *c = argument;
    const gr_kernel_rows *rows = c->cache->rows;
    double *made = c->cache->scratch + range.worker * GR_CACHE_BLOCK;

    gr_kernel_one(c->cache->kernel, rows, c->cache->left, c->square, range.first, range.end, made);
    for (size_t r = range.first; r < range.end; r++)
        c->to[r] = (float)made[r - range.first];
}

/* Minimum work, in multiplications, for which threads pay off. */
enum { WORTH_THREADS = 1 << 16 };

static void compute(gr_row_cache *cache, size_t r, float *to)
{
    const gr_kernel_rows *rows = cache->rows;
    const size_t each =
        rows->strips ? rows->features : (size_t)(rows->starts[rows->rows] / rows->rows);
    computing work = { cache, rows->squares[r], to };

    gr_kernel_row_fill(rows, r, cache->left);
    gr_for_ranges(rows->rows * (each + 8) < WORTH_THREADS ? NULL : cache->pool, rows->rows,
                  GR_CACHE_BLOCK, compute_block, &work);
    cache->computed++;
}

const float *gr_row_cache_get(gr_row_cache *cache, size_t r)
{
    float *values = cache->values.at;
    uint32_t place = cache->place_of[r];

    cache->asked++;
    if (place != NONE) {
        if (place != cache->newest) {
            unlink_place(cache, place);
            make_newest(cache, place);
        }
        return values + place * cache->rows->rows;
    }
    if (cache->used < cache->room) {
        place = (uint32_t)cache->used++;
    } else {
        place = cache->oldest;
        unlink_place(cache, place);
        cache->place_of[cache->row_at[place]] = NONE;
    }
    make_newest(cache, place);
    cache->place_of[r] = place;
    cache->row_at[place] = (uint32_t)r;
    compute(cache, r, values + place * cache->rows->rows);
    return values + place * cache->rows->rows;
}

/* Sets row_at of each slot to the row's new number, or NONE. */
static void renumber(gr_row_cache *cache, const uint32_t *kept, size_t count)
{
    for (size_t place = 0; place < cache->used; place++) {
        const size_t at = GR_BISECT(0, count, i, kept[i] < cache->row_at[place]);

        cache->row_at[place] = at < count && kept[at] == cache->row_at[place] ? (uint32_t)at : NONE;
    }
}

/* Moves a slot in the list and in row_at. */
static void move_place(gr_row_cache *cache, uint32_t from, uint32_t to)
{
    const uint32_t newer = cache->newer[from], older = cache->older[from];

    cache->newer[to] = newer;
    cache->older[to] = older;
    *(newer == NONE ? &cache->newest : &cache->older[newer]) = to;
    *(older == NONE ? &cache->oldest : &cache->newer[older]) = to;
    cache->row_at[to] = cache->row_at[from];
}

/* Compacts the kernel rows in place. Slots and values only move to lower addresses, so nothing that
 * is still needed is overwritten. */
void gr_row_cache_keep(gr_row_cache *cache, const uint32_t *kept, const gr_kernel_rows *rows)
{
    const size_t before = cache->rows->rows, now = rows->rows;
    float *values = cache->values.at;
    uint32_t count = 0;

    renumber(cache, kept, now);
    memset(cache->place_of, 0xff, before * sizeof *cache->place_of);
    for (uint32_t place = 0; place < cache->used; place++) {
        const float *from = values + (size_t)place * before;
        float *to = values + (size_t)count * now;

        if (cache->row_at[place] == NONE) {
            unlink_place(cache, place);
            continue;
        }
        for (size_t i = 0; i < now; i++)
            to[i] = from[kept[i]];
        if (place != count)
            move_place(cache, place, count);
        cache->place_of[cache->row_at[count]] = count;
        count++;
    }
    cache->used = count;
    cache->rows = rows;
    cache->room = room_for(cache, now);
}
