/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: scores by any method, and writing scores and columns to files. */
#include "api/api_arguments.h"
#include "data/scores.h"
#include "pipeline/methods.h"

gradus_status gradus_scores(gradus_context *context, const gradus_dataset *data, const char *what,
                            uint64_t seed, double *scores, gradus_error *err)
{
    if (!GR_GIVEN(err, data, what, scores))
        return GRADUS_BAD_ARGUMENT;
    return gr_score(context, data, what, seed, scores, err);
}

gradus_status gradus_scores_write(const gradus_dataset *data, const double *scores,
                                  const char *path, const char *run_name, gradus_error *err)
{
    if (!GR_GIVEN(err, data, scores, path))
        return GRADUS_BAD_ARGUMENT;
    const unsigned needs = 1u << GR_FILE_ROWS | 1u << GR_QUERY_STARTS | 1u << GR_QUERY_BYTES |
                           1u << GR_QUERY_NAMES | GR_NEED_DOCUMENTS;

    GR_TRY(gr_dataset_need(data, needs, NULL, err));
    return gr_scores_write(data, scores, path, run_name, err);
}

gradus_status gradus_columns_write(const gradus_dataset *data, const double *values, size_t columns,
                                   const char *heading, const char *path, gradus_error *err)
{
    if (!GR_GIVEN(err, data, values, path))
        return GRADUS_BAD_ARGUMENT;
    if (columns == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a file of columns needs at least one column");
    GR_TRY(gr_dataset_need(data, 1u << GR_FILE_ROWS, NULL, err));
    return gr_columns_write(data, values, columns, heading, path, err);
}
