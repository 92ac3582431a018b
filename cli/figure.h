/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of experiments as SVG. */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "gradus_experiments.h"
#include "print_text.h"

/* One panel per figure, stacked: lines, axes with round numbers, and a legend. Reference lines are
 * dashed. */
void figures_svg(text *t, const gradus_figure *figures, size_t count);

#endif
