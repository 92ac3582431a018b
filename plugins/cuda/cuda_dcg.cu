/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks lists on the GPU, a block per list, and copies the DCG of each back. */
#include "cuda_dcg.h"

#include <cstdlib>

/* ---- kernels ---- */

static __global__ void __launch_bounds__(1024)
    rank_lists(const gr_dcg_lists lists, const uint32_t *queries, uint32_t room)
{
    extern __shared__ double ranks[];
    __shared__ uint32_t invalid;

    gr_dcg_block(&lists, queries[blockIdx.x], blockDim.x, gr_dcg_lay_out(ranks, room), &invalid);
}

static __global__ void __launch_bounds__(1024)
    rank_long_lists(const gr_dcg_lists lists, const uint32_t *queries, const uint64_t *offsets, char *documents)
{
    __shared__ uint32_t invalid;
    const uint32_t q = queries[blockIdx.x];
    const uint64_t count = lists.starts[q + 1] - lists.starts[q];

    gr_dcg_block(&lists, q, blockDim.x,
                 gr_dcg_lay_out(documents + offsets[blockIdx.x] * GR_DCG_RANK_BYTES, count), &invalid);
}

/* ---- memory ---- */

template <typename item>
static gradus_status allocate(const gr_cuda_lists *lists, item **made, uint64_t count, gradus_error *err)
{
    return gr_cuda_check(cudaMalloc((void **)made, (count ? count : 1) * sizeof **made), lists->doing, err);
}

template <typename item>
static gradus_status copy_to(const gr_cuda_lists *lists, cudaStream_t stream, const item *from, uint64_t count,
                             const item **to, gradus_error *err)
{
    item *made = nullptr;
    gradus_status status = allocate(lists, &made, count, err);

    *to = made;
    if (status == GRADUS_OK)
        status = gr_cuda_check(
            cudaMemcpyAsync(made, from, count * sizeof *made, cudaMemcpyHostToDevice, stream), lists->doing, err);
    return status;
}

/* The sizes of lists, as of queries whose lambdas are computed; here all matter. */
static gradus_status make_plan(gr_cuda_lists *lists, const gr_device_lists *from, gradus_error *err)
{
    bool *matters = (bool *)malloc(from->queries + 1);
    gr_device_problem problem = gr_device_problem();
    bool made = false;

    for (size_t q = 0; matters && q < from->queries; q++)
        matters[q] = true;
    problem.queries = from->queries;
    problem.query_starts = from->starts;
    problem.lambda.matters = matters;
    if (matters)
        made = gr_lambda_plan_make(&problem, &lists->plan);
    free(matters);
    return made ? GRADUS_OK
                : gr_cuda_fail(err, GRADUS_NO_MEMORY, "not enough memory for the sizes of queries");
}

static gradus_status copy_lists(gr_cuda_lists *lists, cudaStream_t stream, const gr_device_lists *from,
                                gradus_error *err)
{
    const uint32_t *queries = nullptr;
    gradus_status status =
        copy_to(lists, stream, lists->plan.queries, lists->plan.starts[GR_LAMBDA_CLASSES], &queries, err);

    lists->queries = (uint32_t *)queries;
    if (status == GRADUS_OK)
        status = copy_to(lists, stream, from->starts, from->queries + 1, &lists->lists.starts, err);
    if (status == GRADUS_OK)
        status = copy_to(lists, stream, from->gains, from->starts[from->queries], &lists->lists.gains, err);
    if (status == GRADUS_OK)
        status = copy_to(lists, stream, from->discounts, from->depth, &lists->lists.discounts, err);
    if (status == GRADUS_OK)
        status = allocate(lists, &lists->lists.dcgs, from->queries, err);
    return status == GRADUS_OK
               ? gr_cuda_check_pinned(cudaMallocHost(&lists->dcgs, (from->queries + 1) * sizeof(double)),
                                      lists->doing, err)
               : status;
}

/* Long lists have their documents in global memory if the largest does not fit in shared memory. */
static gradus_status place_long(gr_cuda_lists *lists, cudaStream_t stream, gradus_error *err)
{
    const size_t longs = lists->plan.starts[GR_LAMBDA_CLASSES] - lists->plan.starts[GR_LAMBDA_LONG];
    const uint64_t most = (uint64_t)lists->largest * GR_DCG_RANK_BYTES, reserved = 1024;
    const uint64_t *offsets = nullptr;

    if (most + reserved <= lists->cuda->shared_memory)
        return gr_cuda_check(cudaFuncSetAttribute(rank_lists, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  (int)(lists->cuda->shared_memory - reserved)),
                             lists->doing, err);
    const gradus_status status = copy_to(lists, stream, lists->plan.offsets, longs, &offsets, err);

    lists->offsets = (uint64_t *)offsets;
    return status == GRADUS_OK
               ? allocate(lists, &lists->documents, lists->plan.long_rows * GR_DCG_RANK_BYTES, err)
               : status;
}

gradus_status gr_cuda_lists_make(const gr_cuda *cuda, cudaStream_t stream, const gr_device_lists *from,
                                 const double *scores, const char *doing, gr_cuda_lists *lists,
                                 gradus_error *err)
{
    *lists = gr_cuda_lists();
    lists->cuda = cuda;
    lists->doing = doing;
    lists->largest = (uint32_t)from->largest;
    lists->count = from->queries;
    lists->lists.depth = from->depth;
    lists->lists.scores = scores;
    gradus_status status = make_plan(lists, from, err);

    if (status == GRADUS_OK)
        status = copy_lists(lists, stream, from, err);
    if (status == GRADUS_OK)
        status = place_long(lists, stream, err);
    return status == GRADUS_OK ? gr_cuda_check(cudaStreamSynchronize(stream), doing, err) : status;
}

void gr_cuda_lists_free(gr_cuda_lists *lists)
{
    void *const there[] = { (void *)lists->lists.starts,    (void *)lists->lists.gains,
                            (void *)lists->lists.discounts, lists->lists.dcgs,
                            lists->queries,                 lists->offsets,
                            lists->documents };

    if (lists->cuda && gr_cuda_use(lists->cuda, nullptr) == GRADUS_OK) {
        cudaFreeHost(lists->dcgs);
        for (void *one : there)
            cudaFree(one);
        cudaGetLastError(); /* whatever was lost has been reported */
    }
    gr_lambda_plan_free(&lists->plan);
    *lists = gr_cuda_lists();
}

/* ---- an evaluation ---- */

static void rank_class(const gr_cuda_lists *lists, cudaStream_t stream, size_t number)
{
    const gr_lambda_class size = gr_lambda_class_number(number);
    const size_t first = lists->plan.starts[number];
    const unsigned count = (unsigned)(lists->plan.starts[number + 1] - first);
    const uint32_t most = number == GR_LAMBDA_LONG ? lists->largest : size.room;

    if (count && number == GR_LAMBDA_LONG && lists->documents)
        rank_long_lists<<<count, size.threads, 0, stream>>>(lists->lists, lists->queries + first, lists->offsets,
                                                            lists->documents);
    else if (count)
        rank_lists<<<count, size.threads, (size_t)most * GR_DCG_RANK_BYTES, stream>>>(
            lists->lists, lists->queries + first, most);
}

gradus_status gr_cuda_lists_dcgs(const gr_cuda_lists *lists, cudaStream_t stream, double *dcgs,
                                 gradus_error *err)
{
    const size_t bytes = lists->count * sizeof *dcgs;

    for (size_t number = GR_LAMBDA_CLASSES; number-- > 0;)
        rank_class(lists, stream, number);
    gradus_status status = gr_cuda_check(cudaGetLastError(), lists->doing, err);

    if (status == GRADUS_OK)
        status = gr_cuda_check(
            cudaMemcpyAsync(lists->dcgs, lists->lists.dcgs, bytes, cudaMemcpyDeviceToHost, stream), lists->doing,
            err);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cudaStreamSynchronize(stream), lists->doing, err);
    for (size_t q = 0; status == GRADUS_OK && q < lists->count; q++)
        dcgs[q] = lists->dcgs[q];
    return status;
}
