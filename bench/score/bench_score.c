/* SPDX-License-Identifier: Apache-2.0 */
/* Scores the rows of a data file with a model, on one thread: all at once TIMES times, then one by
 * one, as a server would, over all rows or the first 20,000. Prints nanoseconds per row: one line
 * per batch run; then, on the last line, the median and the 99th percentile of single rows. Batches
 * are timed by the thread's CPU time, which other programs disturb less; single rows by wall time,
 * because reading the CPU clock is a system call, which would distort them. */
#include "gradus.h"
#include "cpu_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SINGLE_ROWS = 20000, WARM = 200 };

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The overhead of the clock itself. */
static double clock_cost(void)
{
    const double start = now(CLOCK_MONOTONIC);
    double end = start;

    for (int i = 0; i < 1000; i++)
        end = now(CLOCK_MONOTONIC);
    return (end - start) / 1000.0;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static gradus_status one_by_one(const gradus_model *model, const gradus_arrays *a, double *scores,
                                gradus_error *err)
{
    const size_t rows = a->rows < SINGLE_ROWS ? a->rows : SINGLE_ROWS;
    double *taken = malloc(rows * sizeof *taken);
    const double cost = clock_cost();
    gradus_status status = taken ? GRADUS_OK : GRADUS_NO_MEMORY;

    for (size_t r = 0; r < rows + WARM && status == GRADUS_OK; r++) {
        const size_t row = r % rows;
        const double start = now(CLOCK_MONOTONIC);

        status = gradus_model_score_rows(model, a->values + row * a->stride, 1, a->features,
                                         a->stride, &scores[row], NULL, err);
        taken[row] = now(CLOCK_MONOTONIC) - start - cost; /* the first, cold ones are overwritten */
    }
    if (status == GRADUS_OK) {
        qsort(taken, rows, sizeof *taken, ascending);
        printf("%.1f %.1f\n", taken[rows / 2], taken[rows * 99 / 100]);
    }
    free(taken);
    return status;
}

int main(int count, char **words)
{
    limit_cpu_by_option(&count, &words);

    const int times = count > 3 ? atoi(words[3]) : 1;
    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays a;

    if (count < 3) {
        fprintf(stderr, "usage: bench_score [--kernels LEVEL] MODEL DATA [TIMES]\n");
        return 2;
    }
    gradus_context *context = gradus_context_new(1, &err);
    gradus_model *model = gradus_model_read(words[1], &err);
    gradus_dataset *data = gradus_dataset_read(context, words[2], NULL, &err);
    double *scores = NULL;
    gradus_status status = model && data ? GRADUS_OK : err.status;

    if (status == GRADUS_OK)
        status = gradus_dataset_arrays(context, data, &a, &err);
    if (status == GRADUS_OK && (!a.values || !(scores = malloc(a.rows * sizeof *scores))))
        status = GRADUS_BAD_ARGUMENT;
    for (int i = 0; i < times && status == GRADUS_OK; i++) {
        const double start = now(CLOCK_THREAD_CPUTIME_ID);

        status = gradus_model_score_rows(model, a.values, a.rows, a.features, a.stride, scores,
                                         NULL, &err);
        printf("%.2f\n", (now(CLOCK_THREAD_CPUTIME_ID) - start) / (double)a.rows);
    }
    if (status == GRADUS_OK)
        status = one_by_one(model, &a, scores, &err);
    if (status != GRADUS_OK)
        fprintf(stderr, "%s\n", err.message[0] ? err.message : "the rows must be dense");
    free(scores);
    gradus_dataset_free(data);
    gradus_model_free(model);
    gradus_context_free(context);
    return status != GRADUS_OK;
}
