#include "kernels/rounding.h"

enum { LINES = 8 };

/* One row after the other: what is left when a vector is not full. */
static void measure_one(float value, double *line, gr_measure *found)
{
    const double size = value < 0 ? -(double)value : (double)value;

    *line += size;
    found->most = size > found->most ? size : found->most;
    found->negative |= value < 0;
}

#define BODY "kernels/rounding_body.h"
#include "kernels/every_version.h"

#define KERNELS(width)                                                                             \
    {                                                                                              \
        measure_##width, round_##width, sum_##width                                                \
    }

const gr_rounding_kernels gr_rounding_versions[GR_VERSIONS] = {
    KERNELS(2),
#if defined(__x86_64__)
    KERNELS(4),
    KERNELS(8),
#endif
};
