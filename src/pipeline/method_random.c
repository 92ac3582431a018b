/* SPDX-License-Identifier: Apache-2.0 */
/* Random scores: the lower bound of every comparison. */
#include "pipeline/methods.h"

#include "base/ranges.h"
#include "base/rng.h"
#include "data/row_names.h"

typedef struct draw {
    const gradus_dataset *data;
    uint64_t seed;
    double *scores;
} draw;

/* Each row has its own random stream, identified by its line in the file. */
static void draw_rows(void *argument, gr_range range)
{
    const draw *d = argument;

    for (size_t r = range.first; r < range.end; r++) {
        gr_rng rng = gr_rng_for(d->seed, "random scores", gr_file_row(d->data, r));

        d->scores[r] = gr_rng_uniform(&rng);
    }
}

static gradus_status random_score(const gr_scoring *scoring, double *scores, gradus_error *err)
{
    draw drawing = { scoring->data, scoring->seed, scores };

    (void)err;
    gr_for_ranges(scoring->pool, scoring->data->arrays.rows, GR_METHOD_ROWS, draw_rows, &drawing);
    return GRADUS_OK;
}

const gr_method gr_method_random = {
    .about = { .name = "random",
               .summary = "a random number from 0 to 1 per row",
               .details =
                   "Uniform and independent; depends only on the seed and the position of the row "
                   "in the data file, so that neither the number of threads nor the regrouping of "
                   "scattered queries changes it." },
    .needs = 1u << GR_FILE_ROWS,
    .score = random_score,
};
