/* SPDX-License-Identifier: Apache-2.0 */
/* A small model with every field set, for the tests and the fuzz corpus. */
#ifndef GR_TESTS_SAMPLE_MODEL_H
#define GR_TESTS_SAMPLE_MODEL_H

#include "data/dataset.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sample_kind {
    gr_meaning meaning;
    gr_score_rule rule;
    size_t levels, outputs;
    bool named, transformed, by_query, weighted, curved;
    size_t rounds;
    gr_repair repair;
} sample_kind;

enum { SAMPLE_FEATURES = 3 };

gradus_model *sample_model(const sample_kind *kind);

enum { SAMPLE_KINDS = 8 };
extern const sample_kind sample_kinds[SAMPLE_KINDS];

#endif
