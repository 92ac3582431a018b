/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking the documents of a request. */
#ifndef SERVER_RANK_DOCUMENTS_H
#define SERVER_RANK_DOCUMENTS_H

#include "request.h"

typedef struct ranked {
    double score;
    uint32_t row;
} ranked;

/* What a request asks for, and what was made for it. */
typedef struct ranking {
    char model[MAX_NAME], version[MAX_VERSION]; /* named in the body */
    char against[MAX_NAME]; /* what scores are explained against: "mean", "query", or an id */
    char explain[MAX_NAME]; /* id of the only document to explain; "": all in the answer */
    size_t top;             /* documents in the answer; 0: all */
    size_t contributions;   /* largest contributions per document; 0: none; SIZE_MAX: all */
    bool probabilities;
    const char *documents;   /* their list in the body; NULL: not found yet */
    bool read;               /* the documents have been read */
    gradus_options *options; /* of "score"; NULL: the model's own scoring rule */
    char options_key[1024];
    const gradus_model *scorer;
    gradus_model *temporary; /* the scorer, if it is not cached */
    gradus_explanation *explained;
    size_t explained_place; /* the rank of the only explained document; SIZE_MAX: all are */
} ranking;

/* Sorts rows by score, best first, into `order` (of ranked). */
gradus_status rank_scores(request *r, const double *scores, size_t rows, gr_array *order);

gradus_status handle_rank(request *r);
gradus_status handle_explain(request *r);

#endif
