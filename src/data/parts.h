/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a dataset, one by one: how many items each has, and the items as a file holds
 * them, which is row after row without gaps and with offsets that begin at 0. */
#ifndef GR_DATA_PARTS_H
#define GR_DATA_PARTS_H

#include "data/dataset.h"

#define GR_PART(part) (1u << (part))

/* Bytes an item: 1, 4 or 8. */
size_t gr_part_size(gr_part part);
/* "labels", "names of queries", ...: for messages. */
const char *gr_part_name(gr_part part);
/* The parts that a dataset has: a set of GR_PART. */
unsigned gr_parts_of(const gradus_dataset *data);
uint64_t gr_part_count(const gradus_dataset *data, gr_part part);

/* `count` items from item `first` on, with `shift` added if they are offsets. They are in the
 * dataset itself, or in buffer, which has room for them. */
const void *gr_part_items(const gradus_dataset *data, gr_part part, uint64_t first, size_t count,
                          uint64_t shift, void *buffer);

/* Checks the content of a part: offsets ascending, columns ascending in a row, names that end,
 * labels and weights finite, every file row once. The message tells where the first fault is. */
gradus_status gr_part_check(const gradus_dataset *data, gr_part part, gr_pool *pool,
                            gradus_error *err);

#endif
