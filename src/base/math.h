/* SPDX-License-Identifier: Apache-2.0 */
/* exp and log of our own, so that a model has the same bits whatever the C library does. */
#ifndef GR_BASE_MATH_H
#define GR_BASE_MATH_H

/* Within 1 unit in the last place; 0, infinities and NAN as in <math.h>. */
double gr_exp(double x);
double gr_log(double x);
/* Exact for powers of two. */
double gr_log2(double x);

/* The x that a standard normal variable stays below with probability p; relative error 1e-15
 * (Wichura 1988). 0 and 1 give infinities. */
double gr_normal_quantile(double p);

#endif
