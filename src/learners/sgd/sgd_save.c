/* SPDX-License-Identifier: Apache-2.0 */
/* The state of all walks as one array of numbers, for checkpoints. Between rounds that is the
 * weights, the step counts and the sums that some step rules keep. */
#include "learners/sgd/sgd_state.h"

#include <string.h>

static size_t walk_size(const gr_sgd *sgd)
{
    const gr_sgd_options *options = sgd->task.options;

    const size_t arrays =
        1u + (options->average ? 1u : 0u) + (options->rule == GR_STEPS_ADAGRAD ? 1u : 0u);

    return arrays * (sgd->features + 1) + 2;
}

size_t gr_sgd_state_size(const gr_sgd *sgd)
{
    return sgd->models * sgd->outputs * sgd->shards * walk_size(sgd);
}

static double *save_weights(const gr_sgd *sgd, const void *weights, double bias, double *to)
{
    for (size_t f = 0; f < sgd->features; f++)
        to[f] = sgd->task.options->precision == GR_SGD_FLOAT ? (double)((const float *)weights)[f]
                                                             : ((const double *)weights)[f];
    to[sgd->features] = bias;
    return to + sgd->features + 1;
}

static const double *load_weights(const gr_sgd *sgd, void *weights, double *bias,
                                  const double *from)
{
    for (size_t f = 0; f < sgd->features; f++)
        if (sgd->task.options->precision == GR_SGD_FLOAT)
            ((float *)weights)[f] = (float)from[f];
        else
            ((double *)weights)[f] = from[f];
    *bias = from[sgd->features];
    return from + sgd->features + 1;
}

void gr_sgd_save(const gr_sgd *sgd, double *numbers)
{
    for (size_t e = 0; e < sgd->models * sgd->outputs; e++)
        for (size_t s = 0; s < sgd->shards; s++) {
            const gr_walk *walk = &sgd->equations[e].walks[s];

            *numbers++ = (double)walk->steps;
            *numbers++ = (double)walk->averaged;
            numbers = save_weights(sgd, walk->v, walk->bias, numbers);
            if (walk->squares)
                numbers = save_weights(sgd, walk->squares, walk->bias_squares, numbers);
            if (walk->sums) {
                memcpy(numbers, walk->sums, (sgd->features + 1) * sizeof *numbers);
                numbers += sgd->features + 1;
            }
        }
}

/* A count from an untrusted file; 0 if it is out of range. */
static uint64_t count_of(double number)
{
    return number >= 0.0 && number < 0x1p63 ? (uint64_t)number : 0;
}

void gr_sgd_load(gr_sgd *sgd, uint64_t rounds, const double *numbers)
{
    for (size_t e = 0; e < sgd->models * sgd->outputs; e++)
        for (size_t s = 0; s < sgd->shards; s++) {
            gr_walk *walk = &sgd->equations[e].walks[s];

            walk->steps = count_of(*numbers++);
            walk->averaged = count_of(*numbers++);
            numbers = load_weights(sgd, walk->v, &walk->bias, numbers);
            if (walk->squares)
                numbers = load_weights(sgd, walk->squares, &walk->bias_squares, numbers);
            if (walk->sums) {
                memcpy(walk->sums, numbers, (sgd->features + 1) * sizeof *numbers);
                numbers += sgd->features + 1;
            }
            gr_walk_apply_decay(sgd, walk, 0.0);
        }
    sgd->rounds = rounds;
}
