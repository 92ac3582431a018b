/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution functions with full relative accuracy in the tails: a p-value of 1e-160 has as many
 * correct digits as one of 0.1. */
#ifndef GR_BASE_SPECIAL_H
#define GR_BASE_SPECIAL_H

/* The logarithm of the gamma function, x > 0. */
double gr_log_gamma(double x);

/* Regularised incomplete gamma functions, a > 0, x >= 0: P(a, x), and Q(a, x) = 1 - P(a, x). */
double gr_gamma_lower(double a, double x);
double gr_gamma_upper(double a, double x);

/* Regularised incomplete beta function I_x(a, b), and its complement 1 - I_x(a, b) = I_y(b, a); a,
 * b > 0. The caller passes x and y = 1 - x, so that no digits are lost near either end. */
double gr_beta_lower(double a, double b, double x, double y);
double gr_beta_upper(double a, double b, double x, double y);

/* Lower and upper tail probabilities at x. Infinities give 0 and 1. */
double gr_normal_lower(double x);
double gr_normal_upper(double x);
double gr_student_lower(double t, double freedom);
double gr_student_upper(double t, double freedom);
double gr_chi_square_upper(double x, double freedom);

/* The quantile of Student's t distribution; 0 and 1 give infinities. */
double gr_student_quantile(double p, double freedom);

#endif
