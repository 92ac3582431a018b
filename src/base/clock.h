/* SPDX-License-Identifier: Apache-2.0 */
/* A monotonic clock for measuring elapsed time. */
#ifndef GR_BASE_CLOCK_H
#define GR_BASE_CLOCK_H

#include <time.h>

static inline double gr_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
