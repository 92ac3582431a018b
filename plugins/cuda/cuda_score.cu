/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates trees on the GPU: rows come in batches, each with a stream of its own, so that the copy of one
 * batch and the trees of the other run at the same time. */
#include "cuda_plugin.h"
#include "score_body.h"

#include <cstdio>
#include <new>

enum { THREADS = 128, FEW_THREADS = 32 };

struct slot {
    cudaStream_t stream;
    float *values, *device_values;    /* rows x features, pinned and on the device */
    double *outputs, *device_outputs; /* outputs x rows */
};

struct gr_score_run {
    const gr_cuda *cuda;
    gr_score_trees trees; /* with addresses of the device */
    slot slots[GR_SCORE_SLOTS];
    uint32_t threads;
    size_t tile; /* bytes of shared memory; 0: the values stay in global memory */
};

template <bool tiled>
__global__ void __launch_bounds__(THREADS) score_kernel(gr_score_pass pass)
{
    extern __shared__ float tile[];

    gr_score_block(&pass, blockIdx.x, blockDim.x, tiled, tile);
}

static const char *const scoring_rows = "scoring rows";

template <typename item>
static gradus_status copy_to(const item *from, uint64_t count, const item **to, gradus_error *err)
{
    item *made = nullptr;
    gradus_status status =
        gr_cuda_check(cudaMalloc(&made, (count ? count : 1) * sizeof *made), scoring_rows, err);

    *to = made;
    if (status == GRADUS_OK)
        status = gr_cuda_check(cudaMemcpy(made, from, count * sizeof *made, cudaMemcpyHostToDevice),
                               scoring_rows, err);
    return status;
}

static gradus_status copy_trees(const gr_score_trees *from, gr_score_trees *to, gradus_error *err)
{
    const uint64_t nodes = from->starts[from->trees];
    gradus_status status = copy_to(from->bases, from->outputs, &to->bases, err);

    if (status == GRADUS_OK)
        status = copy_to(from->starts, from->trees + 1, &to->starts, err);
    if (status == GRADUS_OK)
        status = copy_to(from->nodes, nodes, &to->nodes, err);
    return status == GRADUS_OK ? copy_to(from->leaves, nodes + from->trees, &to->leaves, err) : status;
}

static gradus_status make_slot(slot *s, uint64_t values, uint64_t outputs, gradus_error *err)
{
    const cudaError_t codes[] = {
        cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking),
        cudaMallocHost(&s->values, values * sizeof *s->values),
        cudaMallocHost(&s->outputs, outputs * sizeof *s->outputs),
        cudaMalloc(&s->device_values, values * sizeof *s->values),
        cudaMalloc(&s->device_outputs, outputs * sizeof *s->outputs),
    };

    for (int i = 0; i < 5; i++)
        if (codes[i] != cudaSuccess) /* the first allocations are those of the host */
            return i < 3 ? gr_cuda_check_pinned(codes[i], scoring_rows, err)
                         : gr_cuda_check(codes[i], scoring_rows, err);
    return GRADUS_OK;
}

static void close_scoring(gr_score_run *s)
{
    if (!s)
        return;
    gr_cuda_use(s->cuda, nullptr);
    for (slot &one : s->slots) {
        if (one.stream) {
            cudaStreamSynchronize(one.stream);
            cudaStreamDestroy(one.stream);
        }
        cudaFreeHost(one.values);
        cudaFreeHost(one.outputs);
        cudaFree(one.device_values);
        cudaFree(one.device_outputs);
    }
    cudaFree((void *)s->trees.bases);
    cudaFree((void *)s->trees.starts);
    cudaFree((void *)s->trees.nodes);
    cudaFree((void *)s->trees.leaves);
    cudaGetLastError(); /* whatever was lost has been reported */
    delete s;
}

/* The values of a block are in shared memory if those of a small block fit. */
static gradus_status choose_block(gr_score_run *s, gradus_error *err)
{
    const size_t row = s->trees.features * sizeof(float);

    s->threads = THREADS;
    if (row * THREADS <= s->cuda->shared_memory)
        s->tile = row * THREADS;
    else if (row * FEW_THREADS <= s->cuda->shared_memory) {
        s->threads = FEW_THREADS;
        s->tile = row * FEW_THREADS;
    }
    return gr_cuda_check(cudaFuncSetAttribute(score_kernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              (int)s->cuda->shared_memory),
                         scoring_rows, err);
}

static gradus_status fill(gr_score_run *s, const gr_score_trees *trees, size_t rows, gradus_error *err)
{
    const uint64_t nodes = trees->starts[trees->trees];
    const uint64_t values = rows * trees->features, outputs = rows * trees->outputs;
    const uint64_t bytes = nodes * (sizeof(gr_score_node) + sizeof(float)) + trees->trees * 12 +
                           GR_SCORE_SLOTS * (values * sizeof(float) + outputs * sizeof(double));
    char what[100];
    gradus_status status = gr_cuda_use(s->cuda, err);

    snprintf(what, sizeof what, "%llu trees and batches of %zu rows", (unsigned long long)trees->trees,
             rows);
    if (status == GRADUS_OK)
        status = gr_cuda_fits(bytes, what, "score on the CPU", err);
    if (status == GRADUS_OK)
        status = copy_trees(trees, &s->trees, err);
    for (slot &one : s->slots)
        if (status == GRADUS_OK)
            status = make_slot(&one, values ? values : 1, outputs, err);
    return status == GRADUS_OK ? choose_block(s, err) : status;
}

static gradus_status open_scoring(const gradus_device *device, const gr_score_trees *trees, size_t rows,
                                  gr_score_run **scoring, gradus_error *err)
{
    gr_score_run *s = new (std::nothrow) gr_score_run();

    if (!s)
        return gr_cuda_fail(err, GRADUS_NO_MEMORY, "no memory to score on a GPU");
    s->cuda = (const gr_cuda *)device->state;
    s->trees.features = trees->features;
    s->trees.outputs = trees->outputs;
    s->trees.trees = trees->trees;
    const gradus_status status = fill(s, trees, rows, err);

    if (status != GRADUS_OK) {
        close_scoring(s);
        return status;
    }
    *scoring = s;
    return GRADUS_OK;
}

static float *room(gr_score_run *s, size_t which)
{
    return s->slots[which].values;
}

static gradus_status start(gr_score_run *s, size_t which, size_t rows, gradus_error *err)
{
    const slot *one = &s->slots[which];
    const gr_score_pass pass = { s->trees, one->device_values, rows, one->device_outputs };
    const unsigned blocks = (unsigned)((rows + s->threads - 1) / s->threads);
    const gradus_status status = gr_cuda_use(s->cuda, err);

    if (status != GRADUS_OK)
        return status;
    cudaError_t code =
        cudaMemcpyAsync(one->device_values, one->values, rows * s->trees.features * sizeof(float),
                        cudaMemcpyHostToDevice, one->stream);

    if (code == cudaSuccess) {
        (s->tile ? score_kernel<true> : score_kernel<false>)<<<blocks, s->threads, s->tile,
                                                               one->stream>>>(pass);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(one->outputs, one->device_outputs,
                               rows * s->trees.outputs * sizeof(double), cudaMemcpyDeviceToHost,
                               one->stream);
    return gr_cuda_check(code, scoring_rows, err);
}

static gradus_status finish(gr_score_run *s, size_t which, const double **outputs, gradus_error *err)
{
    const gradus_status status = gr_cuda_use(s->cuda, err);

    *outputs = s->slots[which].outputs;
    return status == GRADUS_OK
               ? gr_cuda_check(cudaStreamSynchronize(s->slots[which].stream), scoring_rows, err)
               : status;
}

const gr_score_device gr_cuda_scoring = { open_scoring, room, start, finish, close_scoring };
