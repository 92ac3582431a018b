/* SPDX-License-Identifier: Apache-2.0 */
/* Random draws for synthetic sets. They use gradus's own exp and log, so that a seed gives the same
 * set on every machine. */
#ifndef GR_DATA_SYNTH_SYNTH_DRAW_H
#define GR_DATA_SYNTH_SYNTH_DRAW_H

#include "base/math.h"
#include "base/rng.h"

#include <math.h>

/* Uniform on (0, 1) from one word: 32 bits suffice for data, at half the cost of gr_rng_uniform. */
static inline double gr_draw_uniform(gr_rng *rng)
{
    return ((double)gr_rng_word(rng) + 0.5) * 0x1p-32;
}

static inline double gr_draw_normal(gr_rng *rng)
{
    return gr_normal_quantile(gr_draw_uniform(rng));
}

/* Uniform on 0..count-1, count below 2^32; probabilities differ by less than count / 2^32. */
static inline uint32_t gr_draw_below(gr_rng *rng, uint32_t count)
{
    return (uint32_t)((uint64_t)gr_rng_word(rng) * count >> 32);
}

/* Zipf-Mandelbrot popularity: k in 0..count-1 with probability about proportional to 1/(k + flat),
 * so that the first `flat` are about equally likely. Uses one exp instead of a table. */
typedef struct gr_zipf {
    uint32_t count;
    double flat, log_whole; /* log(1 + count / flat) */
} gr_zipf;

static inline gr_zipf gr_zipf_of(uint32_t count, double flat)
{
    return (gr_zipf){ count, flat, gr_log(1.0 + (double)count / flat) };
}

static inline uint32_t gr_draw_zipf(gr_rng *rng, const gr_zipf *zipf)
{
    const double k = zipf->flat * (gr_exp(gr_draw_uniform(rng) * zipf->log_whole) - 1.0);

    return k < (double)zipf->count ? (uint32_t)k : zipf->count - 1;
}

/* Poisson distribution: inversion up to mean 30, normal approximation above. */
double gr_draw_poisson(gr_rng *rng, double mean);

/* Rounds to six significant digits (0 below 1e-12), so that the text is short and reads back
 * exactly. */
float gr_round_digits(double value);

#endif
