/* SPDX-License-Identifier: Apache-2.0 */
/* Own implementations of exp and log, so that models are byte-identical with any C library. */
#ifndef GR_BASE_MATH_H
#define GR_BASE_MATH_H

/* Accurate to 1 unit in the last place; 0, infinities and NAN as in <math.h>. */
double gr_exp(double x);
double gr_log(double x);
/* Exact for powers of two. */
double gr_log2(double x);

/* The quantile of the standard normal distribution, with relative error 1e-15 (Wichura 1988). 0 and
 * 1 give infinities. */
double gr_normal_quantile(double p);

#endif
