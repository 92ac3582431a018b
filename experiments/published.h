/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the papers' tables, beside which experiments show those of gradus. They are read
 * from the files experiments/data/NAME.tsv, one per table, which CMake embeds in the library:
 *
 *   # paper: authors, title (year)          head lines: what the figures are
 *   # table: Table 3: MovieLens             where in the paper
 *   # unit: error rate
 *   # tolerance: 0.008                      values agree within this; 0: or two standard errors
 * only
 *   method<tab>1 vs 2<tab>1 vs 3            column names
 *   PAIRRANK<tab>.4485<tab>-                a row; "-": not in the paper */
#ifndef GR_EXPERIMENTS_PUBLISHED_H
#define GR_EXPERIMENTS_PUBLISHED_H

typedef struct gr_published_table {
    const char *name, *text;
} gr_published_table;

/* All tables; the last has name NULL. Defined by a file that CMake generates. */
extern const gr_published_table gr_published_tables[];

/* A value; 0: not in the paper, or no such table, row or column. */
double gr_published(const char *table, const char *row, const char *column);
double gr_published_tolerance(const char *table);

#endif
