/* SPDX-License-Identifier: Apache-2.0 */
/* Feature hashing (Weinberger et al. 2009): features are mapped to 2^bits buckets, each with a
 * random sign, which bounds the memory of a linear model whatever the number of features. Features
 * in the same bucket share its weight. */
#ifndef GR_LEARNERS_SGD_HASHED_H
#define GR_LEARNERS_SGD_HASHED_H

#include "learners/linear/linear.h"

enum { GR_MAX_HASH_BITS = 28 };

typedef struct gr_hashed {
    size_t features; /* of the data */
    unsigned bits;
    gr_linear linear; /* a linear model of the buckets; all means are 0 */
} gr_hashed;

/* The bucket of a feature; *sign is set to 1 or -1. */
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
/* Writes output k of a row to out[k * stride_out]. Dense rows: columns is NULL; sparse rows: count
 * entries. Features unknown to the model and values that are not finite contribute 0. */
void gr_hashed_row(const gr_hashed *hashed, const float *values, const uint32_t *columns,
                   size_t count, double *out, size_t stride_out);
/* Adds the outputs of all rows to sums ([outputs x rows]). */
gradus_status gr_hashed_add(const gr_hashed *hashed, const gradus_dataset *data, double *sums,
                            gr_pool *pool, gradus_error *err);

#endif
