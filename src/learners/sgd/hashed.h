/* SPDX-License-Identifier: Apache-2.0 */
/* Features hashed into 2^bits buckets, each with a sign (Weinberger and others, 2009): a linear
 * model of any number of features in bounded memory. Features that meet in a bucket share its
 * weight. */
#ifndef GR_LEARNERS_SGD_HASHED_H
#define GR_LEARNERS_SGD_HASHED_H

#include "learners/linear/linear.h"

enum { GR_MOST_HASH_BITS = 28 };

typedef struct gr_hashed {
    size_t features; /* of the rows */
    unsigned bits;
    gr_linear linear; /* over buckets; all means are 0 */
} gr_hashed;

/* The bucket of a feature; *sign becomes 1 or -1. */
static inline size_t gr_hash_bucket(uint64_t feature, unsigned bits, float *sign)
{
    uint64_t x = (feature + 1) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    *sign = x & 1 ? -1.0f : 1.0f;
    return (size_t)(x >> (64 - bits));
}

gradus_status gr_hashed_check(const gr_hashed *hashed, gradus_error *err);
void gr_hashed_free(gr_hashed *hashed);
/* Output k of a row at out[k * stride_out]: dense (columns NULL), or the entries of a sparse one.
 * Features that the model does not have, and values that are not finite, add 0. */
void gr_hashed_row(const gr_hashed *hashed, const float *values, const uint32_t *columns,
                   size_t count, double *out, size_t stride_out);
/* Adds the outputs of the rows of a set to sums (outputs x rows). */
gradus_status gr_hashed_add(const gr_hashed *hashed, const gradus_dataset *data, double *sums,
                            gr_pool *pool, gradus_error *err);

#endif
