/* SPDX-License-Identifier: Apache-2.0 */
/* A journal of finished work: a file with one JSON object per line, so that work interrupted at any
 * time can be resumed. A line is written and synced before it counts; an incomplete last line is
 * ignored and overwritten. A file without a complete line is overwritten only if it is a prefix of
 * the header.
 *
 *   {"journal":"tune","about":"...","log_scale":"leaves"}          the header: what the results
 *   belong to
 *   {"key":"lambdamart leaves=31 | fold 1","value":{...}} */
#ifndef GR_EXPERIMENTS_JOURNAL_H
#define GR_EXPERIMENTS_JOURNAL_H

#include "base/json.h"

typedef struct gr_journal gr_journal;

/* Opens a journal. path NULL: results are kept in memory only. kind: "tune"; about: the settings
 * that results depend on: a file with different ones is rejected. log_scale: options that are
 * searched on a logarithmic scale, comma-separated, written to a new file for charts; NULL: none.
 */
gr_journal *gr_journal_open(const char *path, const char *kind, const char *about,
                            const char *log_scale, gradus_error *err);
void gr_journal_close(gr_journal *journal); /* NULL is accepted */

/* The value stored under a key, valid as long as the journal; NULL: none yet. Thread-safe. */
const gr_json *gr_journal_find(gr_journal *journal, const char *key);
/* Stores the writer's JSON value under a key, which must be new. Thread-safe. */
gradus_status gr_journal_add(gr_journal *journal, const char *key, const gr_json_writer *value,
                             gradus_error *err);

/* Exchanges values with the journals of other processes: all of them call it, and afterwards each
 * has the values that any of them had added. Those whose journals are files write them. */
gradus_status gr_journal_share(gr_journal *journal, const gradus_collectives *with,
                               gradus_error *err);

/* The number of values. */
size_t gr_journal_count(gr_journal *journal);
/* The maximum of the numbers stored under a name, or 0. */
double gr_journal_largest(gr_journal *journal, const char *name);

/* The numbers of a list, null as NAN; *count: their number. The caller frees them. NULL: out of
 * memory, or not a list. */
double *gr_json_numbers(const gr_json *list, size_t *count);
/* Writes a list of numbers. */
void gr_json_put_numbers(gr_json_writer *writer, const char *key, const double *numbers,
                         size_t count);
/* A number of an object; NAN if it is null or absent. */
double gr_json_real(const gr_json *object, const char *key);

#endif
