/* SPDX-License-Identifier: Apache-2.0 */
/* Fits a linear model to the labels of a data file several times and prints the seconds and the
 * processor seconds of each, one line per run; prints to standard error the speed of the inner loop
 * alone, in each version that the CPU supports. */
#include "base/context.h"
#include "kernels/gram.h"
#include "learners/linear/linear.h"
#include "cpu_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PANEL = 256, PANELS = 200, TRIES = 5 };

static double read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Multiply-adds per second, of the lower triangle. */
static double rate_of(const gr_gram_kernels *kernels, const gradus_arrays *arrays)
{
    const size_t strips = (arrays->features + GR_STRIP - 1) / GR_STRIP, columns = strips * GR_STRIP;
    double *panel = calloc(PANEL * columns, sizeof *panel);
    double *products = calloc(columns * columns, sizeof *products);
    double *means = calloc(columns, sizeof *means), best = 1e30;
    const gr_pack pack = { arrays->values, arrays->stride, arrays->features, NULL, PANEL, means };

    kernels->pack(&pack, panel);
    for (int t = 0; t < TRIES; t++) {
        const double work = read_clock(CLOCK_PROCESS_CPUTIME_ID);

        for (int i = 0; i < PANELS; i++)
            kernels->gram(panel, panel, PANEL, strips, products, columns);
        const double spent = read_clock(CLOCK_PROCESS_CPUTIME_ID) - work;

        best = spent < best ? spent : best;
    }
    free(panel);
    free(products);
    free(means);
    return PANELS * PANEL * 0.5 * (double)(arrays->features * (arrays->features + 1)) / best;
}

int main(int count, char **words)
{
    limit_cpu_by_option(&count, &words);

    const gr_linear_options options = { .ridge = 1e-8 };
    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays arrays;

    if (count < 3) {
        fprintf(stderr, "usage: bench_linear [--kernels LEVEL] FILE THREADS [TIMES]\n");
        return 2;
    }
    gradus_context *context = gradus_context_new((size_t)atoi(words[2]), &err);
    gradus_dataset *data = context ? gradus_dataset_read(context, words[1], NULL, &err) : NULL;

    if (!data || gradus_dataset_arrays(context, data, &arrays, &err) != GRADUS_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (size_t v = 0; arrays.values && arrays.rows >= PANEL && v <= (size_t)gr_cpu_here(); v++)
        fprintf(stderr, "vectors of %d: %.2f multiply-adds per nanosecond\n", 2 << v,
                1e-9 * rate_of(gr_gram_versions[v], &arrays));
    const gr_problem problem = { .rows = arrays.rows, .labels = arrays.labels, .outputs = 1 };

    for (int i = 0; i < (count > 3 ? atoi(words[3]) : 1); i++) {
        const double start = read_clock(CLOCK_MONOTONIC);
        const double work = read_clock(CLOCK_PROCESS_CPUTIME_ID);
        gr_linear linear;

        if (gr_linear_train(context, data, &problem, &options, &linear, &err) != GRADUS_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        printf("%.6f %.6f\n", read_clock(CLOCK_MONOTONIC) - start,
               read_clock(CLOCK_PROCESS_CPUTIME_ID) - work);
        fflush(stdout);
        gr_linear_free(&linear);
    }
    gradus_dataset_free(data);
    gradus_context_free(context);
    return 0;
}
