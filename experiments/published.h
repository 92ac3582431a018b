/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the papers' tables, beside which experiments show those of gradus, and the settings
 * of the experiments. They are read from the files experiments/data/NAME.tsv, one per table, which
 * CMake embeds in the library:
 *
 *   # paper: authors, title (year)          head lines: what the figures are
 *   # table: Table 3: MovieLens             where in the paper
 *   # unit: error rate
 *   # rule: same data                       whether values agree (verdicts.h)
 *   # tolerance: 0.005
 *   # options trees: learner=gbrt leaves=8  a setting: options of training
 *   # numbers queries: 1000 500 2000        a setting: numbers
 *   # text measures: err,ndcg@10            a setting: names of metrics, data sets and so on
 *   method<tab>1 vs 2<tab>1 vs 3            column names
 *   PAIRRANK<tab>.4485<tab>-                a row; "-": not in the paper; "(.4485)": shown without a
 *                                           verdict, since another table compares it
 *
 * Several settings of one table may have the same name: options to select from. A file with settings
 * needs no figures. Settings that tables share are in the file of the first. */
#ifndef GR_EXPERIMENTS_PUBLISHED_H
#define GR_EXPERIMENTS_PUBLISHED_H

#include "experiments/verdicts.h"

#include <stddef.h>

typedef struct gr_published_table {
    const char *name, *text;
} gr_published_table;

/* All tables; the last has name NULL. Defined by a file that CMake generates. */
extern const gr_published_table gr_published_tables[];

/* A value; 0: not in the paper, or no such table, row or column. */
double gr_published(const char *table, const char *row, const char *column);
/* Whether the value is in parentheses. */
bool gr_published_elsewhere(const char *table, const char *row, const char *column);
/* The rule of a table; fails if its head is damaged or there is no such table. */
gradus_status gr_published_rule(const char *table, gr_rule *rule, gradus_error *err);
/* The standard error of a value, from the file that the head names; 0: none. */
double gr_published_error(const char *table, const char *row, const char *column);

typedef struct gr_paper_setting {
    const char *table, *kind, *name, *words; /* kind: "options", "numbers" or "text" */
} gr_paper_setting;

/* All settings, in the order of lines; the last has name NULL. Generated with the tables. */
extern const gr_paper_setting gr_paper_settings[];

/* A setting: with several of the name, the one at index; NULL past the last. */
const char *gr_paper_setting_at(const char *table, const char *name, size_t index);
/* The first setting of the name. A missing one gives a word that is no option, metric or file, so
 * that its use fails with a message that shows it. */
const char *gr_paper_words(const char *table, const char *name);
/* A number of the setting; 0: no such setting, or index past its numbers. */
double gr_paper_number(const char *table, const char *name, size_t index);
size_t gr_paper_count(const char *table, const char *name, size_t index);

#endif
