/* SPDX-License-Identifier: Apache-2.0 */
/* Files of scores: one number a line in the order of the data file, or a TREC run. */
#ifndef GR_DATA_SCORES_H
#define GR_DATA_SCORES_H

#include "data/dataset.h"
#include "data/lines.h"

/* Reads a score for each row. A first line of six words makes the file a TREC run, which must have
 * every document of the data; what it has beyond them is noted. Otherwise each line is a number,
 * as many as rows. Blank lines and lines that begin with '#' are passed over. */
gradus_status gr_scores_read(gr_lines *lines, const gradus_dataset *data, gradus_context *context,
                             double *scores, gradus_error *err);

/* Writes a number a line, or if run_name is not NULL a run with the best document of each query
 * first. Refuses scores that are not finite. */
gradus_status gr_scores_write(const gradus_dataset *data, const double *scores, const char *path,
                              const char *run_name, gradus_error *err);

/* Writes a line a row, of `columns` numbers, after "# heading" (NULL: none). */
gradus_status gr_columns_write(const gradus_dataset *data, const double *values, size_t columns,
                               const char *heading, const char *path, gradus_error *err);

#endif
