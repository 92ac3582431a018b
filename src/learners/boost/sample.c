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

/* Draws for rows, as they come: one for a stretch of them. */
typedef struct row_draws {
    uint64_t key;
    uint64_t drawn; /* the stretch of the last draw */
    bool in;        /* what it gave */
} row_draws;

static bool row_is_in(row_draws *draws, uint64_t row, size_t stretch_rows, double share)
{
    const uint64_t stretch = row / stretch_rows;

    if (stretch != draws->drawn) {
        draws->drawn = stretch;
        draws->in = draw(draws->key, stretch) < share;
    }
    return draws->in;
}

size_t gr_sample_rows(const gr_problem *problem, const gr_boost_options *options, uint64_t round,
                      uint32_t *rows, bool *passed_over)
{
    const uint64_t query_key = key_of(options->seed, "queries of a round", round);
    const size_t stretch_rows = problem->rows < GR_LARGE_ROWS ? 1 : GR_SAMPLE_STRETCH;
    row_draws draws = { .key = key_of(options->seed, "rows of a round", round),
                        .drawn = UINT64_MAX };
    size_t count = 0;

    for (size_t q = 0; q < problem->queries; q++) {
        const size_t before = count;
        const bool in = options->query_share >= 1.0 || draw(query_key, q) < options->query_share;

        for (uint64_t r = problem->query_starts[q]; in && r < problem->query_starts[q + 1]; r++)
            if (options->row_share >= 1.0 || row_is_in(&draws, r, stretch_rows, options->row_share))
                rows[count++] = (uint32_t)r;
        if (passed_over)
            passed_over[q] = count == before;
    }
    if (count == 0) {
        rows[count++] = (uint32_t)(draws.key % problem->rows);
        if (passed_over)
            memset(passed_over, false, problem->queries * sizeof *passed_over);
    }
    return count;
}
