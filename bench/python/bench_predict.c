/* SPDX-License-Identifier: Apache-2.0 */
/* Scores the first ROWS rows of a data file in one call of the C interface, on one thread, CALLS times, and
 * prints the median of the calls in nanoseconds: what predict in Python takes without Python. Many rows are
 * timed by CPU time, which other programs disturb less. */
#include "gradus.h"
#include "cpu_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WARM = 3, MANY_ROWS = 10000 };

static double now(size_t rows)
{
    struct timespec t;

    clock_gettime(rows < MANY_ROWS ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static gradus_status run(const gradus_model *model, const gradus_arrays *a, size_t rows,
                         size_t calls, gradus_error *err)
{
    double *scores = malloc(rows * sizeof *scores), *taken = malloc(calls * sizeof *taken);
    gradus_status status = scores && taken ? GRADUS_OK : GRADUS_NO_MEMORY;

    for (size_t c = 0; c < calls + WARM && status == GRADUS_OK; c++) {
        const double start = now(rows);

        status = gradus_model_score_rows(model, a->values, rows, a->features, a->stride, scores,
                                         NULL, err);
        taken[c % calls] = now(rows) - start; /* the first, cold calls are overwritten */
    }
    if (status == GRADUS_OK) {
        qsort(taken, calls, sizeof *taken, ascending);
        printf("%.1f\n", taken[calls / 2]);
    }
    free(scores);
    free(taken);
    return status;
}

int main(int count, char **words)
{
    limit_cpu_by_option(&count, &words);

    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays a = { 0 };

    if (count != 5) {
        fprintf(stderr, "usage: bench_predict [--kernels LEVEL] MODEL DATA ROWS CALLS\n");
        return 2;
    }
    const size_t rows = strtoul(words[3], NULL, 10), calls = strtoul(words[4], NULL, 10);
    gradus_model *model = gradus_model_read(words[1], &err);
    gradus_dataset *data = model ? gradus_dataset_read(NULL, words[2], NULL, &err) : NULL;
    gradus_status status = data ? gradus_dataset_arrays(NULL, data, &a, &err) : err.status;

    if (status == GRADUS_OK && (!a.values || rows < 1 || rows > a.rows || calls < 1))
        status = GRADUS_BAD_ARGUMENT;
    if (status == GRADUS_OK)
        status = run(model, &a, rows, calls, &err);
    if (status != GRADUS_OK)
        fprintf(stderr, "%s\n", err.message[0] ? err.message : "needs ROWS dense rows, CALLS > 0");
    gradus_dataset_free(data);
    gradus_model_free(model);
    return status != GRADUS_OK;
}
