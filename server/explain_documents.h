/* SPDX-License-Identifier: Apache-2.0 */
/* Contributions of features to the scores of ranked documents. */
#ifndef SERVER_EXPLAIN_DOCUMENTS_H
#define SERVER_EXPLAIN_DOCUMENTS_H

#include "rank_documents.h"

/* Explains the documents that the answer shows, in order of rank, into k->explained. */
gradus_status explain_top(request *r, ranking *k);
/* Writes the contributions to the document at a rank, from 0. */
void put_contributions(request *r, const ranking *k, size_t place);

#endif
