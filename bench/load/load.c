/* Reads a data file some times and prints the seconds of each reading, one a line. */
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

int main(int count, char **words)
{
    gradus_error err = { GRADUS_OK, "" };
    const int times = count > 3 ? atoi(words[3]) : 1;

    if (count < 3) {
        fprintf(stderr, "usage: bench_load_load FILE THREADS [TIMES]\n");
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
        gradus_dataset_free(data);
    }
    gradus_context_free(context);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    fprintf(stderr, "peak %ld kB\n", use.ru_maxrss);
    return 0;
}
