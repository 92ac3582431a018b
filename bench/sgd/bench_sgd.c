/* SPDX-License-Identifier: Apache-2.0 */
/* Runs stochastic gradient descent on a data file several times and prints the nanoseconds of
 * processor time per step, one line per run. */
#include "base/context.h"
#include "learners/sgd/sgd.h"
#include "cpu_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int loss_named(const char *name)
{
    return strcmp(name, "hinge") == 0      ? GR_SGD_HINGE
           : strcmp(name, "logistic") == 0 ? GR_SGD_LOGISTIC
                                           : GR_SGD_SQUARED;
}

/* Nanoseconds per step; negative on failure. */
static double time_steps(const gr_sgd_task *task, gradus_error *err)
{
    gr_sgd *sgd = gr_sgd_new(task, err);
    gradus_status status = sgd ? GRADUS_OK : GRADUS_NO_MEMORY;
    const double started = processor_seconds();

    while (status == GRADUS_OK && gr_sgd_rounds(sgd) < task->rounds)
        status = gr_sgd_round(sgd, err);
    gr_sgd_free(sgd);
    return status == GRADUS_OK
               ? 1e9 * (processor_seconds() - started) / (double)task->options->steps
               : -1.0;
}

int main(int count, char **words)
{
    limit_cpu_by_option(&count, &words);

    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays arrays;

    if (count < 6) {
        fprintf(
            stderr,
            "usage: bench_sgd [--kernels LEVEL] FILE squared|logistic|hinge ALPHA float|double STEPS "
            "[TIMES [LAMBDA]]\n");
        return 2;
    }
    gradus_context *context = gradus_context_new(1, &err);
    gradus_dataset *data = context ? gradus_dataset_read(context, words[1], NULL, &err) : NULL;

    if (!data || gradus_dataset_arrays(context, data, &arrays, &err) != GRADUS_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    const gr_problem problem = { .rows = arrays.rows,
                                 .labels = arrays.labels,
                                 .queries = arrays.queries,
                                 .query_starts = arrays.query_starts,
                                 .outputs = 1 };
    const gr_sgd_options options = { .alpha = words[3],
                                     .lambda = count > 7 ? words[7] : "0.001",
                                     .steps = strtoull(words[5], NULL, 10),
                                     .precision = words[4][0] == 'd',
                                     .shards = 1 };
    const gr_sgd_task task = { .context = context,
                               .data = data,
                               .problem = &problem,
                               .options = &options,
                               .loss = (gr_sgd_loss)loss_named(words[2]),
                               .seed = 1,
                               .rounds = 10 };

    for (int i = 0; i < (count > 6 ? atoi(words[6]) : 1); i++) {
        const double spent = time_steps(&task, &err);

        if (spent < 0.0) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        printf("%.2f\n", spent);
    }
    gradus_dataset_free(data);
    gradus_context_free(context);
    return 0;
}
