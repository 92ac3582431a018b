/* SPDX-License-Identifier: Apache-2.0 */
/* A shadow model: scored beside the model that answers, to see what it would change. */
#ifndef SERVER_SHADOW_H
#define SERVER_SHADOW_H

#include "request.h"

/* Scores the rows of a request that has been ranked with the shadow model too, if there is one and it
 * has no more features, and counts the differences of ranks. Never fails the request. */
void shadow_score(request *r);

#endif
