/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of documents on the GPU, which are ranked by the scores of a training or of a validation set. */
#ifndef GRADUS_CUDA_DCG_H
#define GRADUS_CUDA_DCG_H

#include "backend/ranked_lists.h"
#include "cuda_plugin.h"
#include "dcg_body.h"
#include "lambda_classes.h"

typedef struct gr_cuda_lists {
    const gr_cuda *cuda;
    const char *doing; /* for messages: "computing validation scores" */
    gr_dcg_lists lists;
    gr_lambda_plan plan;
    uint32_t *queries; /* as in the plan */
    uint64_t *offsets;
    char *documents;  /* of long lists; NULL: they fit in shared memory */
    uint32_t largest; /* documents in the largest list */
    size_t count;
    double *dcgs; /* pinned */
} gr_cuda_lists;

/* Copies the lists, and waits until they are copied. doing: text that outlives them. scores: on the device,
 * of all rows. Free the lists even if this fails. */
gradus_status gr_cuda_lists_make(const gr_cuda *cuda, cudaStream_t stream, const gr_device_lists *from,
                                 const double *scores, const char *doing, gr_cuda_lists *lists,
                                 gradus_error *err);
/* Ranks them by the scores that the stream has computed so far, and waits for the DCG of each. */
gradus_status gr_cuda_lists_dcgs(const gr_cuda_lists *lists, cudaStream_t stream, double *dcgs,
                                 gradus_error *err);
/* Nothing uses them any more. Accepts lists that were not made. */
void gr_cuda_lists_free(gr_cuda_lists *lists);

#endif
