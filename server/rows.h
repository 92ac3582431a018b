/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of a JSON body, read straight into rows of features. */
#ifndef SERVER_ROWS_H
#define SERVER_ROWS_H

#include "base/json_scan.h"
#include "request.h"

/* Reads a list of documents, each an object {"id": ..., "features": [...] or {...}}, into the values
 * and ids of the request. The model must have been taken. */
gradus_status rows_read_documents(request *r, gr_json_scan *scan);
/* Reads numbers, nested in lists in any way, into `count` values; null is a missing value. */
gradus_status rows_read_numbers(request *r, gr_json_scan *scan, float *values, size_t count);
/* The id of a document; ids that were not given are their positions, from 1. */
void rows_put_id(request *r, const char *key, size_t row);

#endif
