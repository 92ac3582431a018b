/* SPDX-License-Identifier: Apache-2.0 */
/* Losses over the rows of a query and their gradients; see losses.h. */
#include "learners/net/losses.h"

#include "base/math.h"
#include "kernels/sigmoid.h"

#include <string.h>

/* The product of this many factors, each at most 2, does not overflow. */
enum { FACTORS = 512 };

static double weight_of(const gr_list *list)
{
    double sum = 0.0;

    if (!list->weights)
        return 1.0;
    for (size_t i = 0; i < list->count; i++)
        sum += (double)list->weights[list->rows[i]];
    return sum / (double)list->count;
}

/* Pairs one row with the `count` worse rows, at score distances x (times sigma). Returns the sum of
 * the probabilities that the worse row wins; adds each to backs and the loss of the pairs to *loss.
 * powers: e^-|x|. */
static double lose(const double *x, const double *powers, size_t count, double *backs, double *loss)
{
    double sum = 0.0, product = 1.0;

    for (size_t j = 0; j < count; j++) {
        const double share = 1.0 / (1.0 + powers[j]);
        const double wrong = x[j] > 0.0 ? powers[j] * share : share;

        sum += wrong;
        backs[j] += wrong;
        *loss -= x[j] < 0.0 ? x[j] : 0.0;
        product *= 1.0 + powers[j];
        if (j % FACTORS == FACTORS - 1) {
            *loss += gr_log(product);
            product = 1.0;
        }
    }
    *loss += gr_log(product);
    return sum;
}

static double ranknet(const gr_list *list, float *slopes, double *scratch)
{
    const gr_sigmoid_kernels *kernels = gr_sigmoid_here();
    const size_t count = list->count;
    double *scores = scratch, *x = scratch + count, *powers = x + count, *backs = powers + count;
    double loss = 0.0, pairs = 0.0;
    size_t worse = 0;

    for (size_t i = 0; i < count; i++)
        scores[i] = list->scores[list->rows[i]];
    memset(backs, 0, count * sizeof *backs);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && list->labels[list->rows[i]] != list->labels[list->rows[i - 1]])
            worse = i;
        for (size_t j = 0; j < worse; j++)
            x[j] = list->sigma * (scores[i] - scores[j]);
        kernels->exp_minus(x, worse, powers);
        backs[i] -= lose(x, powers, worse, backs, &loss);
        pairs += (double)worse;
    }
    const double unit = pairs > 0.0 ? weight_of(list) / pairs : 0.0;

    for (size_t i = 0; i < count; i++)
        slopes[list->rows[i]] = (float)(unit * list->sigma * backs[i]);
    return unit * loss;
}

static double highest(const gr_list *list)
{
    double most = list->scores[list->rows[0]];

    for (size_t i = 1; i < list->count; i++)
        most = list->scores[list->rows[i]] > most ? list->scores[list->rows[i]] : most;
    return most;
}

static double listnet(const gr_list *list, float *slopes, double *scratch)
{
    const size_t count = list->count;
    const double best = (double)list->labels[list->rows[count - 1]], most = highest(list);
    const double weight = weight_of(list);
    double *targets = scratch, *chances = scratch + count;
    double target_sum = 0.0, sum = 0.0, loss = 0.0;

    for (size_t i = 0; i < count; i++) {
        target_sum += targets[i] = gr_exp((double)list->labels[list->rows[i]] - best);
        sum += chances[i] = gr_exp(list->scores[list->rows[i]] - most);
    }
    const double log_sum = gr_log(sum) + most;

    for (size_t i = 0; i < count; i++) {
        const double target = targets[i] / target_sum;

        loss += target * (log_sum - list->scores[list->rows[i]]);
        slopes[list->rows[i]] = (float)(weight * (chances[i] / sum - target));
    }
    return weight * loss;
}

/* With labels in ascending order, the rows that remain when a row is chosen are a prefix. `inverse`
 * is the factor of e^s in the gradient of a row: the sum, over the choices in which the row
 * remained, of 1 / (sum of e^s over the remaining rows). */
static double listmle(const gr_list *list, float *slopes, double *scratch)
{
    const size_t count = list->count;
    const double most = highest(list), unit = weight_of(list) / (double)count;
    double *powers = scratch, *sums = scratch + count;
    double sum = 0.0, loss = 0.0, inverse = 0.0;

    for (size_t i = 0; i < count; i++) {
        powers[i] = gr_exp(list->scores[list->rows[i]] - most);
        sums[i] = sum += powers[i];
    }
    for (size_t end = count; end > 0;) {
        const float label = list->labels[list->rows[end - 1]];
        size_t start = end - 1;

        while (start > 0 && list->labels[list->rows[start - 1]] == label)
            start--;
        const double chosen = start > 0 ? (double)(end - start) : 0.0;

        /* Avoid division by 0 if all remaining scores are far below the best one. */
        const double left = sums[end - 1] > 1e-300 ? sums[end - 1] : 1e-300;

        inverse += chosen / left;
        loss += chosen * (gr_log(left) + most);
        for (size_t i = start; i < end; i++) {
            const double chance = powers[i] * inverse;

            loss -= start > 0 ? list->scores[list->rows[i]] : 0.0;
            slopes[list->rows[i]] = (float)(unit * (chance - (start > 0 ? 1.0 : 0.0)));
        }
        end = start;
    }
    return unit * loss;
}

static double squared(const gr_list *list, float *slopes)
{
    double loss = 0.0;

    for (size_t i = 0; i < list->count; i++) {
        const uint32_t r = list->rows[i];
        const double error = list->scores[r] - (double)list->labels[r];
        const double unit = (list->weights ? (double)list->weights[r] : 1.0) / (double)list->count;

        loss += 0.5 * unit * error * error;
        slopes[r] = (float)(unit * error);
    }
    return loss;
}

double gr_list_slopes(gr_list_loss loss, const gr_list *list, float *slopes, double *scratch)
{
    switch (loss) {
    case GR_LOSS_RANKNET:
        return ranknet(list, slopes, scratch);
    case GR_LOSS_LISTNET:
        return listnet(list, slopes, scratch);
    case GR_LOSS_LISTMLE:
        return listmle(list, slopes, scratch);
    default:
        return squared(list, slopes);
    }
}
