/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the operation "score". */
#ifndef GR_PIPELINE_SCORE_OPTIONS_H
#define GR_PIPELINE_SCORE_OPTIONS_H

#include "base/param.h"
#include "model/model.h"

typedef struct gr_score_options {
    int scoring; /* 0: as trained; else 1 + the gr_score_rule */
    const char *gains, *cost, *weights, *scales, *prior;
    int repair; /* 0: as trained; else 1 + the gr_repair */
    uint64_t rounds;
} gr_score_options;

extern const gr_operation gr_operation_score;

/* The model under the scoring options; NULL: as trained. */
gradus_model *gr_model_with(const gradus_context *context, const gradus_model *model,
                            const gradus_options *options, gradus_error *err);

#endif
