/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a data file several times and prints the seconds of each, one line per run; prints to
 * standard error the peak memory and the size of the loaded data. */
#include "gradus.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes of the arrays that hold the rows. */
static double loaded_bytes(gradus_context *context, const gradus_dataset *data)
{
    gradus_arrays a;

    if (gradus_dataset_arrays(context, data, &a, NULL) != GRADUS_OK)
        return 0.0;
    return 4.0 * (double)a.rows + 8.0 * (double)(a.queries + 1) +
           (a.values ? 4.0 * (double)a.rows * (double)a.stride
                     : 8.0 * (double)(a.rows + 1) + 8.0 * (double)a.row_starts[a.rows]);
}

int main(int count, char **words)
{
    gradus_error err = { GRADUS_OK, "" };
    const int times = count > 3 ? atoi(words[3]) : 1;
    double loaded;

    if (count < 3) {
        fprintf(stderr, "usage: bench_load FILE THREADS [TIMES]\n");
        return 2;
    }
    gradus_context *context = gradus_context_new((size_t)atoi(words[2]), &err);

    for (int i = 0; i < times && context; i++) {
        const double start = now();
        gradus_dataset *data = gradus_dataset_read(context, words[1], NULL, &err);

        if (!data) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        printf("%.6f\n", now() - start);
        fflush(stdout);
        if (i + 1 == times) { /* before the contents of a mapped file are touched */
            struct rusage use;

            getrusage(RUSAGE_SELF, &use);
            loaded = loaded_bytes(context, data);
            fprintf(stderr, "peak %.1f MB, loaded %.1f MB, ratio %.2f\n",
                    (double)use.ru_maxrss * 1024e-6, loaded * 1e-6,
                    (double)use.ru_maxrss * 1024 / loaded);
        }
        gradus_dataset_free(data);
    }
    gradus_context_free(context);
    return 0;
}
