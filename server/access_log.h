/* SPDX-License-Identifier: Apache-2.0 */
/* The access log: one JSON object per line. */
#ifndef SERVER_ACCESS_LOG_H
#define SERVER_ACCESS_LOG_H

#include "request.h"

/* Adds a line for a request that has been answered. log NULL: does nothing. */
void access_log_add(FILE *log, const request *r);

#endif
