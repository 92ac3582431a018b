/* SPDX-License-Identifier: Apache-2.0 */
/* What users and files call the queries, documents and features of a dataset. */
#ifndef GR_DATA_ROW_NAMES_H
#define GR_DATA_ROW_NAMES_H

#include "base/sort.h"
#include "data/dataset.h"

/* The place of a row in its file, from 0. */
static inline uint64_t gr_file_row(const gradus_dataset *data, size_t r)
{
    return data->file_rows ? data->file_rows[r] : r;
}

/* The rows by their place in the file, as item of *order (end with free); NULL: they are in it. */
gradus_status gr_file_order(const gradus_dataset *data, gr_keyed **order, gradus_error *err);

/* The name of a query in a TREC file: its own, or its number from 1 if the data name none. */
enum { GR_SHORT_NAME = GRADUS_NUMBER_SIZE + 3 };
const char *gr_topic_name(const gradus_dataset *data, size_t query, char made[GR_SHORT_NAME]);
/* The same of a document: its own; or "row17" from its place in the data file (from 1), if it has
 * none or one with blanks in it, which TREC files cannot hold. */
const char *gr_docno_name(const gradus_dataset *data, size_t row, char made[GR_SHORT_NAME]);

/* The feature that a user's word means: a name, or else an id as the file numbers them. */
gradus_status gr_find_feature(const gradus_dataset *data, const char *word, size_t *feature,
                              gradus_error *err);

#endif
