/* SPDX-License-Identifier: Apache-2.0 */
/* The few columns of wide sparse data that have entries. One large feature id makes rows of that
 * many features; copies of the data with only the used columns keep the memory of everything that
 * has an array per feature proportional to the entries. */
#ifndef GR_DATA_USED_COLUMNS_H
#define GR_DATA_USED_COLUMNS_H

#include "data/dataset.h"

enum { GR_COLUMN_PAGE_BITS = 12, GR_COLUMN_WORDS = 1 << (GR_COLUMN_PAGE_BITS - 6) };

/* A set of 4096 neighbouring columns. */
typedef struct gr_column_page {
    uint64_t bits[GR_COLUMN_WORDS];
    uint32_t before[GR_COLUMN_WORDS]; /* members of the whole set before each word */
} gr_column_page;

/* A set of columns. Memory: 8 bytes per 4096 features, and a page per 4096 features of which any is
 * a member. */
typedef struct gr_used {
    size_t features; /* of the wide data */
    gr_column_page **pages;
    size_t count;
    uint32_t *ids; /* the members, ascending; NULL until gr_used_finish */
} gr_used;

#define GR_NO_COLUMN UINT32_MAX

gradus_status gr_used_start(gr_used *columns, size_t features, gradus_error *err);
/* Adds a column; those past the features are ignored. */
gradus_status gr_used_add(gr_used *columns, size_t column, gradus_error *err);
/* Adds every column that has an entry in sparse data; all columns of dense data. */
gradus_status gr_used_add_data(gr_used *columns, const gradus_dataset *data, gradus_error *err);
/* Numbers the members. An empty set gets column 0. */
gradus_status gr_used_finish(gr_used *columns, gradus_error *err);
void gr_used_free(gr_used *columns);

/* The number of a column among the members, after gr_used_finish; GR_NO_COLUMN: not a member. */
static inline uint32_t gr_used_find(const gr_used *columns, size_t column)
{
    const gr_column_page *page =
        column < columns->features ? columns->pages[column >> GR_COLUMN_PAGE_BITS] : NULL;
    const size_t word = column >> 6 & (GR_COLUMN_WORDS - 1);
    const uint64_t bit = (uint64_t)1 << (column & 63);

    if (!page || !(page->bits[word] & bit))
        return GR_NO_COLUMN;
    return page->before[word] + (uint32_t)__builtin_popcountll(page->bits[word] & (bit - 1));
}

/* Whether so few columns are members that copying the data pays. */
static inline bool gr_used_are_few(const gr_used *columns)
{
    return columns->count <= columns->features / 4;
}

/* A copy of the data with these columns alone. It shares what stays the same with the data, which
 * must outlive it together with the columns. */
gradus_dataset *gr_used_narrow(const gr_used *columns, const gradus_dataset *data,
                               gradus_error *err);

#endif
