/* SPDX-License-Identifier: Apache-2.0 */
/* Combines the sums per grade into the moments of one output. */
#include "learners/linear/sums.h"

#include <math.h>
#include <string.h>

/* The weight of a level in an output, besides the weights of its rows. */
static double share_of(const gr_sums *sums, size_t output, size_t level)
{
    const gr_problem *p = sums->problem;

    return p->weights ? p->weights[output * p->levels + level] : 1.0;
}

static double target_of(const gr_sums *sums, size_t output, size_t level)
{
    return sums->problem->targets[output * sums->problem->levels + level];
}

/* Total weight, count, and the means relative to the origin. */
static void add_up(const gr_sums *sums, size_t output, gr_linear_moments *m, double *means)
{
    memset(means, 0, sums->columns * sizeof *means);
    for (size_t l = 0; l < sums->levels; l++) {
        const double share = share_of(sums, output, l);

        m->weight += share * sums->weights[l];
        m->count += share > 0.0 ? sums->weights[l] : 0.0;
        for (size_t c = 0; c < sums->columns; c++)
            means[c] += share * sums->sums[l * sums->columns + c];
    }
    for (size_t c = 0; c < sums->columns; c++)
        means[c] = m->weight > 0.0 ? means[c] / m->weight : 0.0;
}

static double share_of_group(const gr_sums *sums, size_t output, size_t group)
{
    size_t l = 0;

    while (sums->group_of[l] != group)
        l++;
    return share_of(sums, output, l);
}

/* Turns products about the origin into products about the mean. Variances at rounding-error level,
 * relative to the products or to the mean, become 0. */
static void centre(const gr_sums *sums, double weight, const double *means, double *products)
{
    const size_t columns = sums->columns;

    for (size_t i = 0; i < columns; i++) {
        double *row = products + i * columns;
        const double about_origin = row[i], mean = sums->origin[i] + means[i];

        for (size_t j = 0; j <= i; j++)
            row[j] -= weight * means[i] * means[j];
        if (row[i] <= 1e-12 * about_origin || row[i] <= 1e-24 * weight * mean * mean)
            row[i] = 0.0;
    }
}

static void add_groups(const gr_sums *sums, size_t output, double *products)
{
    const size_t columns = sums->columns;

    memset(products, 0, columns * columns * sizeof *products);
    for (size_t g = 0; g < sums->groups; g++) {
        const double share = share_of_group(sums, output, g);
        const double *from = sums->products + g * columns * columns;

        for (size_t i = 0; share > 0.0 && i < columns; i++)
            for (size_t j = 0; j <= i; j++)
                products[i * columns + j] += share * from[i * columns + j];
    }
}

/* Mean and square of the target, which depends on the level, and its products with the features. */
static void add_targets(const gr_sums *sums, size_t output, gr_linear_moments *m,
                        double *with_target)
{
    const bool weightless = !(m->weight > 0.0); /* then use the row weights alone */
    double sum = 0.0, weight = 0.0;

    for (size_t l = 0; l < sums->levels; l++) {
        const double own = (weightless ? 1.0 : share_of(sums, output, l)) * sums->weights[l];

        sum += own * target_of(sums, output, l);
        weight += own;
    }
    m->target_mean = weight > 0.0 ? sum / weight : 0.0;
    memset(with_target, 0, sums->columns * sizeof *with_target);
    for (size_t l = 0; l < sums->levels; l++) {
        const double off = target_of(sums, output, l) - m->target_mean;
        const double share = share_of(sums, output, l);

        m->target_square += share * sums->weights[l] * off * off;
        for (size_t f = 0; f < sums->features; f++)
            with_target[f] += share * off * sums->sums[l * sums->columns + f];
    }
}

gr_linear_moments gr_sums_moments(const gr_sums *sums, size_t output, double *products,
                                  double *with_target, double *means)
{
    const size_t columns = sums->columns, f = sums->features;
    gr_linear_moments m = { .features = f,
                            .stride = columns,
                            .means = means,
                            .products = products,
                            .with_target = with_target };

    add_up(sums, output, &m, means);
    add_groups(sums, output, products);
    centre(sums, m.weight, means, products);
    if (sums->labelled) {
        memcpy(with_target, products + f * columns, f * sizeof *with_target);
        m.target_mean = sums->origin[f] + means[f];
        m.target_square = products[f * columns + f];
    } else {
        add_targets(sums, output, &m, with_target);
    }
    for (size_t c = 0; c < f; c++)
        means[c] += sums->origin[c] - sums->means[c];
    return m;
}

void gr_sums_spreads(const gr_sums *sums, double *spreads)
{
    const size_t columns = sums->columns;
    double weight = 0.0;

    for (size_t l = 0; l < sums->levels; l++)
        weight += sums->weights[l];
    for (size_t f = 0; f < sums->features; f++) {
        double square = 0.0, mean = 0.0;

        for (size_t g = 0; g < sums->groups; g++)
            square += sums->products[(g * columns + f) * columns + f];
        for (size_t l = 0; l < sums->levels; l++)
            mean += sums->sums[l * columns + f];
        mean /= weight;
        square = square / weight - mean * mean;
        spreads[f] = square > 0.0 ? sqrt(square) : 0.0;
    }
}
