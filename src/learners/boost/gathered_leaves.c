/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers one leaf number and one score per row, and sorts the rows by leaf. */
#include "learners/boost/gathered_leaves.h"

#include <stdlib.h>

enum { OUTSIDE = UINT32_MAX }; /* the leaf of a row outside the sample */

void gr_gathered_leaves_free(gr_gathered_leaves *gathered)
{
    free(gathered->rows);
    free(gathered->starts);
    free(gathered->scores);
}

/* Rows of a leaf ascend because rows are visited in order. */
static void sort_rows(gr_gathered_leaves *gathered, const uint32_t *leaf_of, size_t rows,
                      size_t leaves)
{
    for (size_t r = 0; r < rows; r++)
        if (leaf_of[r] != OUTSIDE)
            gathered->starts[leaf_of[r] + 1]++;
    for (size_t l = 0; l < leaves; l++)
        gathered->starts[l + 1] += gathered->starts[l];
    for (size_t r = 0; r < rows; r++)
        if (leaf_of[r] != OUTSIDE)
            gathered->rows[gathered->starts[leaf_of[r]]++] = (uint32_t)r;
    for (size_t l = leaves; l > 0; l--)
        gathered->starts[l] = gathered->starts[l - 1];
    gathered->starts[0] = 0;
}

static gradus_status gather(const gr_problem *problem, const gr_grown *grown, const double *scores,
                            uint32_t *own, uint32_t *leaf_of, gr_gathered_leaves *gathered,
                            gradus_error *err)
{
    const gr_share *share = problem->share;

    for (size_t r = 0; r < problem->rows; r++)
        own[r] = OUTSIDE;
    for (size_t l = 0; l < grown->leaves; l++)
        for (size_t i = grown->starts[l]; i < grown->starts[l + 1]; i++)
            own[grown->rows[i]] = (uint32_t)l;
    GR_TRY(gr_share_gather(share, share->row_cuts, sizeof *own, own, leaf_of, err));
    GR_TRY(gr_share_gather(share, share->row_cuts, sizeof *scores, scores, gathered->scores, err));
    sort_rows(gathered, leaf_of, problem->whole->rows, grown->leaves);
    return GRADUS_OK;
}

gradus_status gr_leaves_gather(const gr_problem *problem, const gr_grown *grown,
                               const double *scores, gr_gathered_leaves *gathered,
                               gradus_error *err)
{
    const size_t rows = problem->whole->rows;
    uint32_t *own = gr_new_array(problem->rows, sizeof *own);
    uint32_t *leaf_of = gr_new_array(rows, sizeof *leaf_of);
    gradus_status status;

    *gathered = (gr_gathered_leaves){ gr_new_array(rows, sizeof(uint32_t)),
                                      gr_new_array(grown->leaves + 1, sizeof(uint32_t)),
                                      gr_new_array(rows, sizeof(double)) };
    if (own && leaf_of && gathered->rows && gathered->starts && gathered->scores)
        status = gather(problem, grown, scores, own, leaf_of, gathered, err);
    else
        status = gr_fail_memory(err, "the leaves of all processes");
    free(own);
    free(leaf_of);
    return status;
}
