#include "learners/boost/sample.h"

#include "base/rng.h"

#include <string.h>

/* A draw from [0, 1) of its own for each number under a key. */
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

/* Rows [first, end) that are in, each stretch of them by a draw. */
static size_t sample_stretches(uint64_t key, double share, size_t stretch_rows, uint64_t first,
                               uint64_t end, uint32_t *rows)
{
    size_t count = 0;

    while (first < end) {
        const uint64_t next = (first / stretch_rows + 1) * stretch_rows;
        const uint64_t stop = next < end ? next : end;

        if (share >= 1.0 || draw(key, first / stretch_rows) < share)
            for (uint64_t r = first; r < stop; r++)
                rows[count++] = (uint32_t)r;
        first = stop;
    }
    return count;
}

size_t gr_sample_rows(const gr_problem *problem, const gr_boost_options *options, uint64_t round,
                      uint32_t *rows, bool *passed_over)
{
    const uint64_t query_key = key_of(options->seed, "queries of a round", round);
    const uint64_t row_key = key_of(options->seed, "rows of a round", round);
    const size_t stretch_rows = problem->rows < GR_LARGE_ROWS ? 1 : GR_SAMPLE_STRETCH;
    size_t count = 0;

    for (size_t q = 0; q < problem->queries; q++) {
        const size_t before = count;

        if (options->query_share >= 1.0 || draw(query_key, q) < options->query_share)
            count += sample_stretches(row_key, options->row_share, stretch_rows,
                                      problem->query_starts[q], problem->query_starts[q + 1],
                                      rows + count);
        if (passed_over)
            passed_over[q] = count == before;
    }
    if (count == 0) {
        rows[count++] = (uint32_t)(row_key % problem->rows);
        if (passed_over)
            memset(passed_over, false, problem->queries * sizeof *passed_over);
    }
    return count;
}
