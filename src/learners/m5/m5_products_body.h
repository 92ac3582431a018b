/* SPDX-License-Identifier: Apache-2.0 */
/* gr_m5_products_kernel with vectors of WIDTH doubles; a tile of 4 x 8 sums stays in registers. */
#include "kernels/lanes.h"

enum { LANED(across) = GR_M5_TILE / WIDTH };

LANED_INLINE void LANED(tile)(const double *left, const double *right, size_t rows, size_t width,
                              double *products)
{
    lanes sums[4][LANED(across)];

    for (size_t i = 0; i < 4; i++)
        for (size_t v = 0; v < LANED(across); v++)
            sums[i][v] = LANED(load)(products + i * width + v * WIDTH);
    for (size_t r = 0; r < rows; r++) {
        const double *from = left + r * width, *with = right + r * width;
        lanes columns[LANED(across)];

        for (size_t v = 0; v < LANED(across); v++)
            columns[v] = LANED(load)(with + v * WIDTH);
        for (size_t i = 0; i < 4; i++) {
            const lanes factor = LANED(all_of)(from[i]);

            for (size_t v = 0; v < LANED(across); v++)
                sums[i][v] += factor * columns[v];
        }
    }
    for (size_t i = 0; i < 4; i++)
        for (size_t v = 0; v < LANED(across); v++)
            LANED(store)(products + i * width + v * WIDTH, sums[i][v]);
}

static TARGET void LANED(products)(const double *left, const double *right, size_t rows,
                                   size_t width, double *products)
{
    for (size_t i = 0; i < width; i += 4)
        for (size_t j = i / GR_M5_TILE * GR_M5_TILE; j < width; j += GR_M5_TILE)
            LANED(tile)(left + i, right + j, rows, width, products + i * width + j);
}
#include "kernels/lanes_end.h"
