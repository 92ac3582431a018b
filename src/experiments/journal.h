/* SPDX-License-Identifier: Apache-2.0 */
/* Results of finished pieces of work, a line of JSON each in a file, so that work that was stopped
 * at any moment goes on where it was. A line is written and synced before it counts; a last line
 * that is not whole is ignored and overwritten. A file without a whole line is only overwritten if
 * it is the beginning of the first line.
 *
 *   {"journal":"tune","about":"...","log_scale":"leaves"}          first: what the results are of
 *   {"key":"lambdamart leaves=31 | fold 1","value":{...}} */
#ifndef GR_EXPERIMENTS_JOURNAL_H
#define GR_EXPERIMENTS_JOURNAL_H

#include "base/json.h"

typedef struct gr_journal gr_journal;

/* path NULL: results are kept in memory only. kind: "tune"; about: settings that results depend on:
 * a file with others is refused. log_scale: options that are searched on a logarithmic scale,
 * comma-separated, written into a new file for charts; NULL: none. */
gr_journal *gr_journal_open(const char *path, const char *kind, const char *about,
                            const char *log_scale, gradus_error *err);
void gr_journal_close(gr_journal *journal); /* NULL is accepted */

/* The value kept under a key, as long as the journal lives; NULL: none yet. Any thread may ask. */
const gr_json *gr_journal_find(gr_journal *journal, const char *key);
/* Keeps what the writer holds: one JSON value. Any thread may add; a key only once. */
gradus_status gr_journal_add(gr_journal *journal, const char *key, const gr_json_writer *value,
                             gradus_error *err);

/* The largest number that values have under a name, or 0. */
double gr_journal_largest(gr_journal *journal, const char *name);

/* Numbers of a list, null as NAN; *count: how many. end with free(). NULL: no memory, or no list.
 */
double *gr_json_numbers(const gr_json *list, size_t *count);
/* Writes a list of numbers. */
void gr_json_put_numbers(gr_json_writer *writer, const char *key, const double *numbers,
                         size_t count);
/* A number of an object; NAN if it is null or not there. */
double gr_json_real(const gr_json *object, const char *key);

#endif
