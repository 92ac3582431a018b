/* SPDX-License-Identifier: Apache-2.0 */
/* Each process scores its rows, whole queries, and all gather the results in the order of the
 * rows. */
#include "model/predict_parts.h"

#include "data/binned.h"
#include "data/share_rows.h"
#include "model/predict.h"

#include <stdlib.h>

/* Bins are scored by every process: a view of some rows has none. */
bool gr_rows_are_shared(const gradus_dataset *data)
{
    return data->part && !data->binned;
}

/* Gathers `width` numbers per row, computed by this process at its place in `all`. */
static gradus_status gather(const gr_share *part, size_t width, double *all, gradus_error *err)
{
    const size_t first = gr_share_first_row(part);

    return gr_share_gather(part, part->row_cuts, width * sizeof *all, all + first * width, all,
                           err);
}

/* Outputs are stored output by output. */
static gradus_status run_outputs(const gradus_model *model, const gradus_dataset *data,
                                 const gradus_dataset *own, const gradus_context *context,
                                 double *outputs, gradus_error *err)
{
    const size_t all = data->arrays.rows, rows = own->arrays.rows;
    const size_t first = gr_share_first_row(data->part);
    double *some = gr_new_array(model->scorer.outputs * rows, sizeof *some);
    gradus_status status =
        some ? gr_model_outputs(model, own, context, some, err) : gr_fail_memory(err, "outputs");

    for (size_t k = 0; k < model->scorer.outputs && status == GRADUS_OK; k++) {
        for (size_t r = 0; r < rows; r++)
            outputs[k * all + first + r] = some[k * rows + r];
        status = gather(data->part, 1, outputs + k * all, err);
    }
    free(some);
    return status;
}

gradus_status gr_model_run_shared(const gradus_model *model, const gradus_dataset *data,
                                  const gradus_context *context, double *scores,
                                  double *probabilities, double *outputs, gradus_error *err)
{
    const size_t first = gr_share_first_row(data->part), levels = model->scorer.levels;
    const unsigned needs = gr_dataset_is_divided(data) ? 0 : GR_NEED_VALUES;
    gradus_dataset *own;
    gradus_status status;

    GR_TRY(gr_dataset_need(data, needs | 1u << GR_QUERY_STARTS | 1u << GR_FILE_ROWS,
                           gr_pool_of(context), err));
    own = gr_dataset_share(data, data->part->with, err);
    if (!own)
        return GRADUS_NO_MEMORY;
    if (outputs)
        status = run_outputs(model, data, own, context, outputs, err);
    else
        status = gr_model_run(model, own, context, scores ? scores + first : NULL,
                              probabilities ? probabilities + first * levels : NULL, err);
    if (status == GRADUS_OK && scores)
        status = gather(data->part, 1, scores, err);
    if (status == GRADUS_OK && probabilities)
        status = gather(data->part, levels, probabilities, err);
    gradus_dataset_free(own);
    return status;
}
