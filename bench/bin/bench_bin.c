/* SPDX-License-Identifier: Apache-2.0 */
/* Bins the features of a data file several times and prints the seconds and the processor seconds
 * of each, one line per run; prints to standard error the memory used beyond that of the rows. */
#include "base/context.h"
#include "bins/bins.h"
#include "cpu_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss * 1024.0;
}

static void describe(const gr_bins *bins, double before)
{
    const double values = (double)bins->rows * (double)bins->features;
    double entries = 0;

    for (size_t s = 0; s < bins->bundles; s++)
        entries += (double)bins->bundle[s].row_starts[bins->rows];
    fprintf(stderr,
            "%zu rows of %zu features: %zu dense, %zu sparse in %zu bundles with %.2f entries "
            "per row; peak %.0f MB, %.2f bytes per value\n",
            bins->rows, bins->features, bins->dense, bins->sparses, bins->bundles,
            entries / (double)bins->rows, (peak() - before) * 1e-6, (peak() - before) / values);
}

int main(int count, char **words)
{
    limit_cpu_by_option(&count, &words);

    gradus_error err = { GRADUS_OK, "" };
    gr_bin_options options = { GR_BINS_QUANTILE, 255, 200000, 1 };
    const int times = count > 3 ? atoi(words[3]) : 1;
    gradus_arrays arrays;

    if (count < 3) {
        fprintf(
            stderr,
            "usage: bench_bin [--kernels LEVEL] FILE THREADS [TIMES [BINS [SAMPLE [SCHEME]]]]\n");
        return 2;
    }
    options.bins = count > 4 ? strtoull(words[4], NULL, 10) : options.bins;
    options.sample = count > 5 ? strtoull(words[5], NULL, 10) : options.sample;
    options.scheme = count > 6 && !strcmp(words[6], "adaptive") ? GR_BINS_ADAPTIVE : 0;
    gradus_context *context = gradus_context_new((size_t)atoi(words[2]), &err);
    gradus_dataset *data = context ? gradus_dataset_read(context, words[1], NULL, &err) : NULL;

    if (!data || gradus_dataset_arrays(context, data, &arrays, &err) != GRADUS_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    const double before = peak();

    for (int i = 0; i < times; i++) {
        gr_bins bins;
        const double start = read_clock(CLOCK_MONOTONIC);
        const double work = read_clock(CLOCK_PROCESS_CPUTIME_ID);

        if (gr_bins_new(data, &options, context, &bins, &err) != GRADUS_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        printf("%.6f %.6f\n", read_clock(CLOCK_MONOTONIC) - start,
               read_clock(CLOCK_PROCESS_CPUTIME_ID) - work);
        fflush(stdout);
        if (i == 0)
            describe(&bins, before);
        gr_bins_free(&bins);
    }
    gradus_dataset_free(data);
    gradus_context_free(context);
    return 0;
}
