/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of feature values that test an implementation of a model: typical values, values at the
 * thresholds of trees and one float beside them, missing, zero and huge values. */
#ifndef GR_EXCHANGE_PROBES_H
#define GR_EXCHANGE_PROBES_H

#include "learners/tree/tree.h"
#include "model/model.h"

enum { GR_PROBE_FEATURES = 2000 }; /* maximum number of features that are not 0 in all rows */

typedef struct gr_probe_limits {
    bool no_missing;
    float largest; /* absolute value; 0: any float */
} gr_probe_limits;

typedef struct gr_probes {
    size_t rows, columns;
    uint32_t *features; /* of the columns, ascending; others are 0 */
    float *values;      /* rows x columns */
    double *scores;     /* of the model, finite; the rows form one query */
} gr_probes;

/* The same model gives the same rows. Free them in any case. */
gradus_status gr_probes_make(const gradus_model *model, const gr_probe_limits *limits,
                             gr_probes *probes, gradus_error *err);
void gr_probes_free(gr_probes *probes);

/* probe_values.c */
/* What is known of the values of each column. */
typedef struct gr_probe_values {
    const uint32_t *features; /* of the columns; of gr_probes */
    size_t columns;
    size_t *starts; /* columns + 1: the cuts of column c start at cuts[starts[c]] */
    float *cuts;    /* ascending, distinct: x < cut decides a split */
    double *centre, *scale;
} gr_probe_values;

gradus_status gr_probe_values_find(const gradus_model *model, const gr_probes *probes,
                                   gr_probe_values *values, gradus_error *err);
void gr_probe_values_free(gr_probe_values *values);
/* The column of a feature; SIZE_MAX: none. */
size_t gr_probe_column(const gr_probe_values *values, size_t feature);
/* The transform of the rows that a node takes; NULL: none, or by query. */
const gr_fitted_transform *gr_probe_transform(const gradus_model *model, const gr_node *node);
/* The trees of a node: the splits of tree t start at splits[starts[t]]. */
typedef struct gr_probe_trees {
    size_t count;
    const uint64_t *starts;
    const gr_split *splits;
} gr_probe_trees;

/* count 0: the node has none. */
gr_probe_trees gr_probe_trees_of(const gr_node *node);
/* The smallest float whose transformed value is not less than the threshold. */
float gr_probe_cut(const gr_fitted_transform *transform, size_t feature, float threshold);

#endif
