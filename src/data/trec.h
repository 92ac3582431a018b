/* SPDX-License-Identifier: Apache-2.0 */
/* TREC relevance judgements ("topic iteration document grade") and runs ("topic Q0 document rank
 * score tag"), as trec_eval reads them: fields are separated by blanks or tabs; iteration, Q0, rank
 * and tag are ignored. Blank lines and lines starting with '#' are skipped. */
#ifndef GR_DATA_TREC_H
#define GR_DATA_TREC_H

#include "base/names.h"
#include "base/sort.h"
#include "data/lines.h"

typedef enum gr_trec_kind { GR_TREC_QRELS, GR_TREC_RUN } gr_trec_kind;

/* Entries (lines), grouped by topic; within a topic in file order. */
typedef struct gr_trec {
    gr_name_set topics;     /* in order of first appearance */
    size_t count;           /* entries */
    const uint64_t *starts; /* topics + 1: entries of topic t are starts[t] to starts[t + 1] - 1 */
    const double *values;   /* grade, below 0 if unjudged; or score */
    const uint64_t *lines;  /* line number of each entry, from 1 */
    const uint64_t *places; /* offset of each document name in names */
    const char *names;
    const gr_keyed *index; /* the entries of each topic sorted by document hash, for gr_trec_find */
    gr_array owned[6];     /* the memory of the arrays above */
} gr_trec;

/* Fails for an empty file, a duplicate document in a topic, grades that are not whole numbers of at
 * most 9 digits, and scores that are not finite. trec must be empty, and is empty after a
 * failure. */
gradus_status gr_trec_read(const char *path, gr_trec_kind kind, gr_trec *trec, gradus_error *err);
gradus_status gr_trec_read_lines(gr_lines *lines, gr_trec_kind kind, gr_trec *trec,
                                 gradus_error *err);
void gr_trec_free(gr_trec *trec);

static inline const char *gr_trec_document(const gr_trec *trec, size_t entry)
{
    return trec->names + trec->places[entry];
}

/* The number of a topic, and the entry of a document in a topic; SIZE_MAX if absent. */
size_t gr_trec_find_topic(const gr_trec *trec, const char *name);
size_t gr_trec_find(const gr_trec *trec, size_t topic, const char *document);

#endif
