/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson draws and rounding for synthetic sets. */
#include "data/synth/synth_draw.h"

double gr_draw_poisson(gr_rng *rng, double mean)
{
    const double u = gr_draw_uniform(rng);

    if (mean > 30.0) {
        const double count = floor(mean + sqrt(mean) * gr_normal_quantile(u) + 0.5);
        return count > 0.0 ? count : 0.0;
    }
    double chance = gr_exp(-mean), below = chance;
    int count = 0;

    while (u > below && count < 200) {
        count++;
        chance *= mean / count;
        below += chance;
    }
    return count;
}

float gr_round_digits(double value)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18 };
    const double size = fabs(value);
    int decimals = 5;

    if (size < 1e-12)
        return 0.0f;
    if (size >= 1e6) {
        for (decimals = 1; decimals < 18 && size >= 1e6 * powers[decimals]; decimals++)
            ;
        return (float)(nearbyint(value / powers[decimals]) * powers[decimals]);
    }
    for (; decimals < 18 && size * powers[decimals] < 1e5; decimals++)
        ;
    for (; decimals > 0 && size * powers[decimals] >= 1e6; decimals--)
        ;
    return (float)(nearbyint(value * powers[decimals]) / powers[decimals]);
}
