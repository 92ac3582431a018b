/* SPDX-License-Identifier: Apache-2.0 */
/* A pair's probability to be in the wrong order is rho = 1 / (1 + e^(sigma (s_better - s_worse))).
 * Document i ranks above j, so with e = e^(-sigma (s_i - s_j)), which is at most 1, rho is
 * e / (1 + e) if i is the better one and 1 / (1 + e) if not; 1 - rho is the other of the two.
 * Equal grades have a change of 0: no branch is needed to leave them out. */
#include "kernels/lambda.h"

#define BODY "kernels/lambda_body.h"
#include "kernels/every_version.h"

gr_lambda_kernel *const gr_lambda_kernels[GR_VERSIONS] = GR_EVERY_VERSION(lambda_row);
