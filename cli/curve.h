/* SPDX-License-Identifier: Apache-2.0 */
/* Curves drawn with characters of eight dots each. */
#ifndef CLI_CURVE_H
#define CLI_CURVE_H

#include "print_text.h"

/* y against x, both of `count` points; y is NAN where it is unknown. */
typedef struct curve {
    const char *name; /* shown at its right end */
    const double *y;
} curve;

/* Draws curves over the same ascending x, in at most `width` columns and `height` lines, axes and
 * names included. marked: an x to mark below the axis, with a word; 0: none. */
typedef struct plot {
    const double *x;
    size_t count;
    const curve *curves;
    size_t curve_count;
    size_t width, height;
    double marked;
    const char *word;
} plot;

void text_plot(text *t, const plot *p);

/* One character per count, as high as its fraction of the largest; 0 is a blank. */
void text_sparkline(text *t, const size_t *counts, size_t count);

#endif
