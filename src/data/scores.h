/* SPDX-License-Identifier: Apache-2.0 */
/* Score files: one number per line in the order of the data file, or a TREC run. */
#ifndef GR_DATA_SCORES_H
#define GR_DATA_SCORES_H

#include "data/dataset.h"
#include "data/lines.h"

/* Reads a score for each row. If the first line has six words the file is a TREC run, which must
 * contain every document of the data; further documents are reported in a note. Otherwise each line
 * is one number, as many as rows. Blank lines and lines starting with '#' are skipped. */
gradus_status gr_scores_read(gr_lines *lines, const gradus_dataset *data, gradus_context *context,
                             double *scores, gradus_error *err);

/* scores_write.c */
/* Writes one number per line or, if run_name is not NULL, a TREC run with the documents of each
 * query in descending order of score. Fails if a score is not finite. */
gradus_status gr_scores_write(const gradus_dataset *data, const double *scores, const char *path,
                              const char *run_name, gradus_error *err);

/* Writes one line of `columns` numbers per row, after "# heading" (NULL: none). */
gradus_status gr_columns_write(const gradus_dataset *data, const double *values, size_t columns,
                               const char *heading, const char *path, gradus_error *err);

#endif
