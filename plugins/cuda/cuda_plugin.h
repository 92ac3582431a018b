/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the plug-in for CUDA share: the device, errors, and the tables of functions. */
#ifndef GRADUS_CUDA_PLUGIN_H
#define GRADUS_CUDA_PLUGIN_H

#include "backend/device.h"

#include <cuda_runtime.h>

/* device->state */
typedef struct gr_cuda {
    int ordinal;          /* of the device, for cudaSetDevice */
    int processors;       /* streaming multiprocessors */
    size_t shared_memory; /* most bytes of a block, after cudaFuncSetAttribute */
    size_t cache;         /* bytes of the second level */
} gr_cuda;

/* cuda_plugin.cu */
extern "C" {

gradus_status gr_cuda_fail(gradus_error *err, gradus_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* GRADUS_OK if the code is cudaSuccess; else GRADUS_NO_MEMORY or GRADUS_LOST, with a message: "the GPU
 * has failed while growing a tree: ...". what: "growing a tree". */
gradus_status gr_cuda_check(cudaError_t code, const char *what, gradus_error *err);
/* The same for an allocation of memory of the host. */
gradus_status gr_cuda_check_pinned(cudaError_t code, const char *what, gradus_error *err);
/* Checks that `bytes` can be allocated, before they are. what: "3771125 rows of 136 features";
 * advice: what would fit, or NULL. */
gradus_status gr_cuda_fits(uint64_t bytes, const char *what, const char *advice, gradus_error *err);
/* Makes the device the current one of the calling thread: at the head of every function that another
 * thread may call first. */
gradus_status gr_cuda_use(const gr_cuda *cuda, gradus_error *err);

/* Load the kernels of a file, which otherwise happens at the first launch of each. */
cudaError_t gr_cuda_load_trees(void);
cudaError_t gr_cuda_load_boosting(void);

/* The tables, one per file. */
extern const struct gr_tree_device gr_cuda_trees;       /* cuda_trees.cu */
extern const struct gr_boost_device gr_cuda_boosting;   /* cuda_boost.cu */
extern const struct gr_score_device gr_cuda_scoring;    /* cuda_score.cu */
extern const struct gr_valid_device gr_cuda_validation; /* cuda_valid.cu */
}

#endif
