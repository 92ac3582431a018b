/* A pair's probability to be in the wrong order is rho = 1 / (1 + e^(sigma (s_better - s_worse))).
 * Document i ranks above j, so with e = e^(-sigma (s_i - s_j)), which is at most 1, rho is
 * e / (1 + e) if i is the better one and 1 / (1 + e) if not; 1 - rho is the other of the two.
 * Equal grades have a change of 0: no branch is needed to leave them out. */
#include "kernels/lambda.h"

#define WIDTH 2
#define TARGET
#include "kernels/lambda_body.h"

#if defined(__x86_64__)
#define WIDTH 4
#define TARGET GR_TARGET_4
#include "kernels/lambda_body.h"

#define WIDTH 8
#define TARGET GR_TARGET_8
#include "kernels/lambda_body.h"

gr_lambda_kernel *const gr_lambda_kernels[GR_VERSIONS] = { lambda_row_2, lambda_row_4,
                                                           lambda_row_8 };
#else
gr_lambda_kernel *const gr_lambda_kernels[GR_VERSIONS] = { lambda_row_2 };
#endif
