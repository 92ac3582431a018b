/* SPDX-License-Identifier: Apache-2.0 */
/* The lambda kernel. The model's probability that a pair is in the wrong order is rho = 1 / (1 +
 * e^(sigma (s_better - s_worse))). Document i ranks above j, so with e = e^(-sigma (s_i - s_j)),
 * which is at most 1, rho is e / (1 + e) if i is the better one and 1 / (1 + e) otherwise; 1 - rho
 * is the other of the two. Pairs of equal grades have a metric change of 0, so they need no
 * branch. */
#include "kernels/lambda.h"

#define BODY "kernels/lambda_body.h"
#include "kernels/every_version.h"
