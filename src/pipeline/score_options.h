/* How a model is to score: operation "score". */
#ifndef GR_PIPELINE_SCORE_OPTIONS_H
#define GR_PIPELINE_SCORE_OPTIONS_H

#include "base/param.h"

typedef struct gr_score_options {
    int scoring; /* 0: as trained; else one more than the gr_score_rule */
    uint64_t rounds;
} gr_score_options;

extern const gr_operation gr_operation_score;

#endif
