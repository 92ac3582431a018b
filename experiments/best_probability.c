/* SPDX-License-Identifier: Apache-2.0 */
/* The probability of being the best of several methods, by a bootstrap over queries. */
#include "experiments/best_probability.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "experiments/jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 250, CHUNKS = GR_BEST_RESAMPLES / CHUNK };

typedef struct bootstrap {
    size_t methods, queries;
    double *values; /* queries x methods; higher is better */
    double slack;   /* sums that differ by less than this are tied: rounding error */
    uint64_t seed;
    double *wins; /* chunks x methods */
} bootstrap;

static bool is_complete(const gr_best_task *task, size_t query)
{
    for (size_t m = 0; m < task->methods; m++)
        if (!isfinite(task->values[m][query]))
            return false;
    return true;
}

/* Copies the queries that all methods have a value of. */
static gradus_status take_values(const gr_best_task *task, bootstrap *b, gradus_error *err)
{
    const double sense = task->lower_is_better ? -1.0 : 1.0;
    double largest = 0.0;
    size_t count;

    if (!gr_size_times(task->queries, task->methods, &count) ||
        !(b->values = gr_new_array(count, sizeof *b->values)))
        return gr_fail_memory(err, "values of queries");
    for (size_t q = 0; q < task->queries; q++) {
        double *row = b->values + b->queries * task->methods;

        if (!is_complete(task, q))
            continue;
        for (size_t m = 0; m < task->methods; m++) {
            row[m] = sense * task->values[m][q];
            largest = fmax(largest, fabs(row[m]));
        }
        b->queries++;
    }
    b->slack = 1e-12 * largest * (double)b->queries;
    return GRADUS_OK;
}

/* Adds one resample to the wins; tied methods share it. */
static void count_win(const bootstrap *b, const double *sums, double *wins)
{
    double best = sums[0];
    size_t tied = 0;

    for (size_t m = 1; m < b->methods; m++)
        best = fmax(best, sums[m]);
    for (size_t m = 0; m < b->methods; m++)
        tied += best - sums[m] <= b->slack;
    for (size_t m = 0; m < b->methods; m++)
        if (best - sums[m] <= b->slack)
            wins[m] += 1.0 / (double)tied;
}

static gradus_status run_chunk(void *argument, size_t chunk, gradus_context *context,
                               gradus_error *err)
{
    const bootstrap *b = argument;
    double *sums = gr_new_array(b->methods, sizeof *sums);

    (void)context;
    if (!sums)
        return gr_fail_memory(err, "bootstrap means");
    for (size_t r = 0; r < CHUNK; r++) {
        gr_rng rng = gr_rng_for(b->seed, "best", chunk * CHUNK + r);

        memset(sums, 0, b->methods * sizeof *sums);
        for (size_t i = 0; i < b->queries; i++) {
            const double *row = b->values + gr_rng_below(&rng, b->queries) * b->methods;

            for (size_t m = 0; m < b->methods; m++)
                sums[m] += row[m];
        }
        count_win(b, sums, b->wins + chunk * b->methods);
    }
    free(sums);
    return GRADUS_OK;
}

static gradus_status resample(gradus_context *context, bootstrap *b, double *probability,
                              gradus_error *err)
{
    b->wins = gr_new_array(CHUNKS * b->methods, sizeof *b->wins);
    if (!b->wins)
        return gr_fail_memory(err, "bootstrap means");
    GR_TRY(gr_jobs_run(context, "bootstrap", CHUNKS, run_chunk, b, err));
    for (size_t m = 0; m < b->methods; m++) {
        double sum = 0.0;

        for (size_t c = 0; c < CHUNKS; c++)
            sum += b->wins[c * b->methods + m];
        probability[m] = sum / (double)GR_BEST_RESAMPLES;
    }
    return GRADUS_OK;
}

gradus_status gr_best_probability(gradus_context *context, const gr_best_task *task,
                                  double *probability, size_t *counted, gradus_error *err)
{
    bootstrap b = { .methods = task->methods, .seed = task->seed };
    gradus_status status = take_values(task, &b, err);

    for (size_t m = 0; m < task->methods; m++)
        probability[m] = (double)NAN;
    if (status == GRADUS_OK && b.queries)
        status = resample(context, &b, probability, err);
    if (counted)
        *counted = b.queries;
    free(b.values);
    free(b.wins);
    return status;
}

void gr_best_contenders(const double *probability, size_t methods, bool *contender)
{
    double sum = 0.0;

    for (size_t m = 0; m < methods; m++)
        contender[m] = false;
    while (sum < GR_BEST_LEVEL - 1e-9) { /* the sum is rounded */
        size_t next = methods;

        for (size_t m = 0; m < methods; m++)
            if (!contender[m] && probability[m] > 0.0 &&
                (next == methods || probability[m] > probability[next]))
                next = m;
        if (next == methods)
            return;
        contender[next] = true;
        sum += probability[next];
    }
}
