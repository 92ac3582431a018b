/* SPDX-License-Identifier: Apache-2.0 */
/* A few rows for tests of stochastic gradient descent, and training on them. */
#ifndef GR_TESTS_SGD_ROWS_H
#define GR_TESTS_SGD_ROWS_H

#include "checks.h"

#include "base/context.h"
#include "base/math.h"
#include "learners/sgd/hashed.h"
#include "learners/sgd/sgd_random.h"
#include "learners/sgd/sgd.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 48, QUERIES = 5, FEATURES = 4, WEIGHTS = FEATURES + 1 };

extern float sgd_values[ROWS * FEATURES], sgd_labels[ROWS];
extern const uint64_t sgd_starts[QUERIES + 1];
extern char sgd_note[400]; /* the last one of a training */

gradus_dataset sgd_dense_rows(void);

gr_problem sgd_problem_of(const gradus_dataset *data);

gr_sgd_options sgd_options_of(const char *alpha, const char *lambda, uint64_t steps);

gr_sgd *sgd_trained(const gradus_dataset *data, const gr_problem *problem,
                    const gr_sgd_options *options, gr_sgd_loss loss, size_t threads);

void sgd_weights_of(const gr_sgd *sgd, size_t model, size_t output, double *w);

void sgd_train(const gradus_dataset *data, const gr_sgd_options *options, gr_sgd_loss loss,
               double *w);

/* Feature f of row r, or of a minus b; the last feature is the constant. */
double sgd_feature(size_t a, size_t b, size_t f);

/* Calls take for all rows and pairs with their weights in the loss. */
typedef void sgd_term(void *to, size_t a, size_t b, double share);
void sgd_each_term(double alpha, sgd_term *take, void *to);

typedef struct sgd_equations {
    double products[WEIGHTS][WEIGHTS], with_target[WEIGHTS];
} sgd_equations;

/* Adds a term of the squared loss, with weight `share`, to the sgd_equations `to`. */
void sgd_add_products(void *to, size_t a, size_t b, double share);

/* The minimiser of the squared loss, by Gauss-Jordan elimination of the normal equations. */
void sgd_solve_squared(double alpha, double lambda, double *w);

double sgd_distance(const double *a, const double *b);

#endif
