/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of experiments, drawn as SVG. */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "gradus_experiments.h"
#include "text.h"

/* Panels below each other, one a figure: lines, axes with round numbers, and a key. What ours are
 * held against is dashed. */
void figures_svg(text *t, const gradus_figure *figures, size_t count);

#endif
