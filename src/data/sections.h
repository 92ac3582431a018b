/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a dataset, one by one: the number of their items, and the items as stored in a
 * file: row by row without gaps, with offsets that start at 0. */
#ifndef GR_DATA_SECTIONS_H
#define GR_DATA_SECTIONS_H

#include "data/dataset.h"

#define GR_PART(part) (1u << (part))

/* Bytes per item: 1, 2, 4 or 8. */
size_t gr_part_size(gr_part part);
/* "labels", "query names", ...: for messages. */
const char *gr_part_name(gr_part part);
/* The parts that are present: a set of GR_PART. */
unsigned gr_parts_of(const gradus_dataset *data);
uint64_t gr_part_count(const gradus_dataset *data, gr_part part);

/* `count` items starting at `first`, with `shift` added if they are offsets. The result points into
 * the dataset or to buffer, which must be large enough for the items. */
const void *gr_part_items(const gradus_dataset *data, gr_part part, uint64_t first, size_t count,
                          uint64_t shift, void *buffer);

/* sections_check.c */
/* Checks the content of a part: offsets and the columns of a row ascend, names are terminated,
 * labels and weights are finite, every file row occurs once. The error gives the first
 * violation. */
gradus_status gr_part_check(const gradus_dataset *data, gr_part part, gr_pool *pool,
                            gradus_error *err);

#endif
