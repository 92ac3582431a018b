/* SPDX-License-Identifier: Apache-2.0 */
/* Names of queries, documents and features as users and files write them. */
#ifndef GR_DATA_ROW_NAMES_H
#define GR_DATA_ROW_NAMES_H

#include "base/sort.h"
#include "data/dataset.h"

/* The position of a row in its file, from 0. */
static inline uint64_t gr_file_row(const gradus_dataset *data, size_t r)
{
    return data->file_rows ? data->file_rows[r] : r;
}

/* The rows in file order: item of each element of *order (release with free); NULL if they are in
 * file order already. */
gradus_status gr_file_order(const gradus_dataset *data, gr_keyed **order, gradus_error *err);

/* The name of a query in TREC files: its own, or its number from 1 if it has none. */
enum { GR_SHORT_NAME = GRADUS_NUMBER_SIZE + 3 };
const char *gr_topic_name(const gradus_dataset *data, size_t query, char made[GR_SHORT_NAME]);
/* The name of a document in TREC files: its own, or "row17" from its position in the file (from 1)
 * if it has no name or one with blanks, which TREC files do not allow. */
const char *gr_docno_name(const gradus_dataset *data, size_t row, char made[GR_SHORT_NAME]);

/* Finds the feature that the user means: by name, otherwise by id as in the file. */
gradus_status gr_find_feature(const gradus_dataset *data, const char *word, size_t *feature,
                              gradus_error *err);

#endif
