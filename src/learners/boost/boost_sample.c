/* SPDX-License-Identifier: Apache-2.0 */
/* Row sampling in parallel over queries. Each decision is a hash of (seed, round, item), so the
 * sample does not depend on the number of threads. */
#include "learners/boost/boost_sample.h"

#include "base/ranges.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/* A uniform number in [0, 1) that depends on the key and the number only (splitmix64). */
static double draw(uint64_t key, uint64_t number)
{
    uint64_t x = key + (number + 1) * 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static uint64_t key_of(uint64_t seed, const char *purpose, uint64_t round)
{
    gr_rng rng = gr_rng_for(seed, purpose, round);

    return gr_rng_long(&rng);
}

enum { QUERIES_AT_ONCE = 256 };

typedef struct job {
    const gr_problem *problem;
    double query_share, row_share;
    uint64_t query_key, row_key;
    uint32_t *rows;
    bool *passed_over;
    size_t *counts; /* rows sampled by each task; it writes them from its queries' first row on */
} job;

static void put_rows(uint32_t *rows, uint32_t first, size_t count)
{
    if (count == GR_SAMPLE_CHUNK) /* the common case; a constant length is faster */
        for (uint32_t i = 0; i < GR_SAMPLE_CHUNK; i++)
            rows[i] = first + i;
    else
        for (uint32_t i = 0; i < count; i++)
            rows[i] = first + i;
}

/* Samples from rows [first, end), one draw per chunk. Branch-free: every chunk is written, and
 * the next one overwrites it if it was not sampled. */
static size_t sample_stretches(const job *j, uint64_t first, uint64_t end, uint32_t *rows)
{
    const unsigned shift = gr_problem_whole(j->problem)->rows < GR_LARGE_ROWS ? 0 : GR_SAMPLE_SHIFT;
    const uint64_t before = gr_share_first_row(j->problem->share);
    size_t count = 0;

    while (first < end) {
        const uint64_t chunk = (first + before) >> shift, next = ((chunk + 1) << shift) - before;
        const size_t some = (size_t)((next < end ? next : end) - first);
        const bool in = draw(j->row_key, chunk) < j->row_share;

        put_rows(rows + count, (uint32_t)first, some);
        count += in ? some : 0;
        first += some;
    }
    return count;
}

static void sample_queries(void *argument, gr_range range)
{
    const job *j = argument;
    const gr_problem *problem = j->problem;
    const size_t before_query = gr_share_first_query(problem->share);
    uint32_t *rows = j->rows + problem->query_starts[range.first];
    size_t count = 0;

    for (size_t q = range.first; q < range.end; q++) {
        const size_t before = count;

        if (draw(j->query_key, before_query + q) < j->query_share)
            count += sample_stretches(j, problem->query_starts[q], problem->query_starts[q + 1],
                                      rows + count);
        if (j->passed_over)
            j->passed_over[q] = count == before;
    }
    j->counts[range.index] = count;
}

/* Closes the gaps between the rows of the tasks. */
static size_t join_rows(const job *j, size_t tasks)
{
    size_t count = 0;

    for (size_t t = 0; t < tasks; t++) {
        memmove(j->rows + count, j->rows + j->problem->query_starts[t * QUERIES_AT_ONCE],
                j->counts[t] * sizeof *j->rows);
        count += j->counts[t];
    }
    return count;
}

/* For a sample without rows: takes a single row, which belongs to one of the processes. */
static void take_one_row(const job *j, size_t *count)
{
    const gr_problem *problem = j->problem;
    const size_t first = gr_share_first_row(problem->share);
    const size_t row = (size_t)(j->row_key % gr_problem_whole(problem)->rows);

    if (row >= first && row - first < problem->rows)
        j->rows[(*count)++] = (uint32_t)(row - first);
    if (j->passed_over)
        memset(j->passed_over, false, problem->queries * sizeof *j->passed_over);
}

gradus_status gr_sample_rows(const gr_problem *problem, const gr_boost_options *options,
                             uint64_t round, gr_pool *pool, uint32_t *rows, size_t *count,
                             bool *passed_over, gradus_error *err)
{
    const size_t tasks = gr_range_count(problem->queries, QUERIES_AT_ONCE);
    job j = { .problem = problem,
              .query_share = options->query_share,
              .row_share = options->row_share,
              .query_key = key_of(options->seed, "queries of a round", round),
              .row_key = key_of(options->seed, "rows of a round", round),
              .rows = rows,
              .passed_over = passed_over,
              .counts = gr_new_array(tasks, sizeof *j.counts) };
    bool any;

    if (!j.counts)
        return gr_fail_memory(err, "a sample of rows");
    gr_for_ranges(pool, problem->queries, QUERIES_AT_ONCE, sample_queries, &j);
    *count = join_rows(&j, tasks);
    free(j.counts);
    any = *count > 0;
    GR_TRY(gr_share_any(problem->share, &any, err));
    if (!any)
        take_one_row(&j, count);
    return GRADUS_OK;
}
