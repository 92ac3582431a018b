/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution functions with relative accuracy far into the tails: a p-value of 1e-160 has as many
 * right digits as one of 0.1. */
#ifndef GR_BASE_SPECIAL_H
#define GR_BASE_SPECIAL_H

/* log of the gamma function, x > 0. */
double gr_log_gamma(double x);

/* Regularised incomplete gamma functions, a > 0, x >= 0: P(a, x), and Q(a, x) = 1 - P(a, x). */
double gr_gamma_lower(double a, double x);
double gr_gamma_upper(double a, double x);

/* Regularised incomplete beta function I_x(a, b), a and b > 0. Both x and y = 1 - x are given, so
 * that neither end loses digits; the upper one, 1 - I_x(a, b), is I_y(b, a). */
double gr_beta_lower(double a, double b, double x, double y);
double gr_beta_upper(double a, double b, double x, double y);

/* The probability that a variable stays below, or exceeds, x. Infinities give 0 and 1. */
double gr_normal_lower(double x);
double gr_normal_upper(double x);
double gr_student_lower(double t, double freedom);
double gr_student_upper(double t, double freedom);
double gr_chi_square_upper(double x, double freedom);

/* The t that a Student variable stays below with probability p; 0 and 1 give infinities. */
double gr_student_quantile(double p, double freedom);

#endif
