/* SPDX-License-Identifier: Apache-2.0 */
/* A validation set on the GPU: its rows are copied once; then each round copies its trees there, and the
 * DCG of each list back. */
#include "backend/valid_device.h"
#include "cuda_plugin.h"
#include "dcg_body.h"
#include "lambda_classes.h"
#include "pack_trees.h"
#include "valid_body.h"

#include <cstdio>
#include <cstdlib>
#include <new>

enum { ROWS_OF_BLOCK = 128, TILE_THREADS = 256 };

static const size_t first_bytes = 1 << 16; /* for the trees of a round */

struct gr_valid_run {
    const gr_cuda *cuda;
    cudaStream_t stream;
    gr_valid_pass pass;
    float *room, *batch; /* rows on their way: pinned, and on the device */
    uint64_t features;
    void *packed, *device_packed; /* trees of a round */
    size_t packed_room;
    /* Lists; absent if nothing is ranked. */
    gr_dcg_lists lists;
    gr_lambda_plan plan;
    uint32_t *queries; /* as in the plan */
    uint64_t *offsets;
    char *documents;  /* of long lists; NULL: they fit in shared memory */
    uint32_t largest; /* documents in the largest list */
    double *dcgs;     /* pinned */
    size_t list_count;
    double *fetched; /* the caller's sums, pinned; NULL: not yet */
};

/* ---- kernels ---- */

static __global__ void __launch_bounds__(ROWS_OF_BLOCK) add_trees(const gr_valid_pass pass)
{
    gr_valid_block(&pass, blockIdx.x, blockDim.x);
}

static __global__ void __launch_bounds__(TILE_THREADS) transpose(const gr_valid_batch batch)
{
    __shared__ float tile[GR_VALID_TILE * GR_VALID_PITCH];

    gr_valid_transpose_block(&batch, blockIdx.x, blockDim.x, tile);
}

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

static const char *const validating = "computing validation scores";

template <typename item>
static gradus_status allocate(item **made, uint64_t count, gradus_error *err)
{
    return gr_cuda_check(cudaMalloc((void **)made, (count ? count : 1) * sizeof **made), validating, err);
}

template <typename item>
static gradus_status copy_to(const item *from, uint64_t count, const item **to, gradus_error *err)
{
    item *made = nullptr;
    gradus_status status = allocate(&made, count, err);

    *to = made;
    if (status == GRADUS_OK)
        status = gr_cuda_check(cudaMemcpy(made, from, count * sizeof *made, cudaMemcpyHostToDevice),
                               validating, err);
    return status;
}

static void close_run(gr_valid_run *run)
{
    if (!run)
        return;
    if (gr_cuda_use(run->cuda, nullptr) == GRADUS_OK) {
        if (run->stream) {
            cudaStreamSynchronize(run->stream);
            cudaStreamDestroy(run->stream);
        }
        if (run->fetched)
            cudaHostUnregister(run->fetched);
        cudaFreeHost(run->room);
        cudaFreeHost(run->dcgs);
        void *const there[] = { (void *)run->pass.values,    run->pass.sums,
                                run->batch,                  run->device_packed,
                                (void *)run->lists.starts,   (void *)run->lists.gains,
                                (void *)run->lists.discounts, run->lists.dcgs,
                                run->queries,                run->offsets,
                                run->documents };

        for (void *one : there)
            cudaFree(one);
        cudaGetLastError(); /* whatever was lost has been reported */
    }
    gr_lambda_plan_free(&run->plan);
    free(run->packed);
    delete run;
}

static gradus_status make_rows(gr_valid_run *run, const gr_device_set *set, gradus_error *err)
{
    const uint64_t batch = set->batch * set->features;
    float *values = nullptr;
    const double *sums = nullptr;
    gradus_status status = allocate(&values, set->rows * set->features, err);

    run->pass.values = values;
    if (status == GRADUS_OK)
        status = copy_to(set->sums, set->rows * set->outputs, &sums, err);
    run->pass.sums = (double *)sums;
    if (status == GRADUS_OK)
        status = allocate(&run->batch, batch, err);
    return status == GRADUS_OK
               ? gr_cuda_check_pinned(cudaMallocHost(&run->room, (batch ? batch : 1) * sizeof(float)), validating, err)
               : status;
}

/* The sizes of lists, as of queries whose lambdas are computed; here all matter. */
static gradus_status make_plan(gr_valid_run *run, const gr_device_lists *lists, gradus_error *err)
{
    bool *matters = (bool *)malloc(lists->queries + 1);
    gr_device_problem problem = gr_device_problem();
    bool made = false;

    for (size_t q = 0; matters && q < lists->queries; q++)
        matters[q] = true;
    problem.queries = lists->queries;
    problem.query_starts = lists->starts;
    problem.lambda.matters = matters;
    if (matters)
        made = gr_lambda_plan_make(&problem, &run->plan);
    free(matters);
    return made ? GRADUS_OK
                : gr_cuda_fail(err, GRADUS_NO_MEMORY, "not enough memory for the sizes of queries");
}

static gradus_status copy_lists(gr_valid_run *run, const gr_device_lists *lists, gradus_error *err)
{
    gradus_status status = copy_to(lists->starts, lists->queries + 1, &run->lists.starts, err);

    run->lists.depth = lists->depth;
    run->lists.scores = run->pass.sums;
    run->list_count = lists->queries;
    run->largest = (uint32_t)lists->largest;
    if (status == GRADUS_OK)
        status = copy_to(lists->gains, lists->starts[lists->queries], &run->lists.gains, err);
    if (status == GRADUS_OK)
        status = copy_to(lists->discounts, lists->depth, &run->lists.discounts, err);
    if (status == GRADUS_OK)
        status = allocate(&run->lists.dcgs, lists->queries, err);
    return status == GRADUS_OK
               ? gr_cuda_check_pinned(cudaMallocHost(&run->dcgs, (lists->queries + 1) * sizeof(double)), validating, err)
               : status;
}

/* Long lists have their documents in global memory if the largest does not fit in shared memory. */
static gradus_status place_long(gr_valid_run *run, gradus_error *err)
{
    const size_t longs = run->plan.starts[GR_LAMBDA_CLASSES] - run->plan.starts[GR_LAMBDA_LONG];
    const uint64_t most = (uint64_t)run->largest * GR_DCG_RANK_BYTES, reserved = 1024;
    const uint64_t *offsets = nullptr;

    if (most + reserved <= run->cuda->shared_memory)
        return gr_cuda_check(cudaFuncSetAttribute(rank_lists, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  (int)(run->cuda->shared_memory - reserved)),
                             validating, err);
    const gradus_status status = copy_to(run->plan.offsets, longs, &offsets, err);

    run->offsets = (uint64_t *)offsets;
    return status == GRADUS_OK ? allocate(&run->documents, run->plan.long_rows * GR_DCG_RANK_BYTES, err)
                               : status;
}

static gradus_status make_lists(gr_valid_run *run, const gr_device_lists *lists, gradus_error *err)
{
    const uint32_t *queries = nullptr;
    gradus_status status = make_plan(run, lists, err);

    if (status == GRADUS_OK)
        status = copy_to(run->plan.queries, run->plan.starts[GR_LAMBDA_CLASSES], &queries, err);
    run->queries = (uint32_t *)queries;
    if (status == GRADUS_OK)
        status = copy_lists(run, lists, err);
    return status == GRADUS_OK ? place_long(run, err) : status;
}

static gradus_status fill(gr_valid_run *run, const gr_device_set *set, gradus_error *err)
{
    char what[100];
    gradus_status status = gr_cuda_use(run->cuda, err);

    snprintf(what, sizeof what, "%zu validation rows of %zu features", set->rows, set->features);
    if (status == GRADUS_OK)
        status = gr_cuda_fits((uint64_t)gr_device_set_bytes(set), what, nullptr, err);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cudaStreamCreateWithFlags(&run->stream, cudaStreamNonBlocking), validating, err);
    if (status == GRADUS_OK)
        status = make_rows(run, set, err);
    if (status == GRADUS_OK && set->lists)
        status = make_lists(run, set->lists, err);
    /* copies before this are in the default stream */
    return status == GRADUS_OK ? gr_cuda_check(cudaDeviceSynchronize(), validating, err) : status;
}

static gradus_status open_run(const gradus_device *device, const gr_device_set *set, gr_valid_run **made,
                              gradus_error *err)
{
    gr_valid_run *run = new (std::nothrow) gr_valid_run();

    if (!run)
        return gr_cuda_fail(err, GRADUS_NO_MEMORY, "no memory for validation on a GPU");
    run->cuda = (const gr_cuda *)device->state;
    run->features = set->features;
    run->pass.rows = set->rows;
    run->pass.trees.outputs = set->outputs;
    const gradus_status status = fill(run, set, err);

    if (status != GRADUS_OK) {
        close_run(run);
        return status;
    }
    *made = run;
    return GRADUS_OK;
}

/* ---- rows ---- */

static float *room(gr_valid_run *run)
{
    return run->room;
}

static gradus_status load(gr_valid_run *run, size_t first, size_t rows, gradus_error *err)
{
    const gr_valid_batch batch = { run->batch, (float *)run->pass.values, run->features, run->pass.rows, first,
                                   rows, gr_valid_tiles(rows) };
    const unsigned blocks = (unsigned)(batch.tiles * gr_valid_tiles(run->features));
    gradus_status status = gr_cuda_use(run->cuda, err);

    if (status != GRADUS_OK || blocks == 0)
        return status;
    status = gr_cuda_check(cudaMemcpyAsync(run->batch, run->room, rows * run->features * sizeof(float),
                                           cudaMemcpyHostToDevice, run->stream),
                           validating, err);
    if (status != GRADUS_OK)
        return status;
    transpose<<<blocks, TILE_THREADS, 0, run->stream>>>(batch);
    status = gr_cuda_check(cudaGetLastError(), validating, err);
    /* the caller writes the next batch */
    return status == GRADUS_OK ? gr_cuda_check(cudaStreamSynchronize(run->stream), validating, err) : status;
}

/* ---- a round ---- */

static gradus_status reserve_packed(gr_valid_run *run, size_t bytes, gradus_error *err)
{
    const size_t room = bytes > first_bytes ? bytes : first_bytes;

    if (bytes <= run->packed_room)
        return GRADUS_OK;
    cudaFree(run->device_packed);
    free(run->packed);
    run->device_packed = nullptr;
    run->packed_room = 0;
    run->packed = malloc(room);
    if (!run->packed)
        return gr_cuda_fail(err, GRADUS_NO_MEMORY, "not enough memory for the trees of a round");
    const gradus_status status = gr_cuda_check(cudaMalloc(&run->device_packed, room), validating, err);

    if (status == GRADUS_OK)
        run->packed_room = room;
    return status;
}

static gradus_status add(gr_valid_run *run, const gr_score_trees *trees, gradus_error *err)
{
    const size_t bytes = gr_trees_measure(trees).bytes;
    const unsigned blocks = (unsigned)((run->pass.rows + ROWS_OF_BLOCK - 1) / ROWS_OF_BLOCK);
    gradus_status status = gr_cuda_use(run->cuda, err);

    if (status == GRADUS_OK)
        status = reserve_packed(run, bytes, err);
    if (status != GRADUS_OK || blocks == 0)
        return status;
    run->pass.trees = gr_trees_pack(trees, run->packed, run->device_packed);
    /* returns after the trees were read, as they are not in pinned memory */
    status = gr_cuda_check(cudaMemcpyAsync(run->device_packed, run->packed, bytes, cudaMemcpyHostToDevice,
                                           run->stream),
                           validating, err);
    if (status != GRADUS_OK)
        return status;
    add_trees<<<blocks, ROWS_OF_BLOCK, 0, run->stream>>>(run->pass);
    return gr_cuda_check(cudaGetLastError(), validating, err);
}

static void rank_class(const gr_valid_run *run, size_t number)
{
    const gr_lambda_class size = gr_lambda_class_number(number);
    const size_t first = run->plan.starts[number];
    const unsigned count = (unsigned)(run->plan.starts[number + 1] - first);
    const uint32_t most = number == GR_LAMBDA_LONG ? run->largest : size.room;

    if (count && number == GR_LAMBDA_LONG && run->documents)
        rank_long_lists<<<count, size.threads, 0, run->stream>>>(run->lists, run->queries + first, run->offsets,
                                                                 run->documents);
    else if (count)
        rank_lists<<<count, size.threads, (size_t)most * GR_DCG_RANK_BYTES, run->stream>>>(
            run->lists, run->queries + first, most);
}

static gradus_status dcgs(gr_valid_run *run, double *to, gradus_error *err)
{
    const size_t bytes = run->list_count * sizeof *to;
    gradus_status status = gr_cuda_use(run->cuda, err);

    if (status != GRADUS_OK)
        return status;
    for (size_t number = GR_LAMBDA_CLASSES; number-- > 0;)
        rank_class(run, number);
    status = gr_cuda_check(cudaGetLastError(), validating, err);
    if (status == GRADUS_OK)
        status = gr_cuda_check(
            cudaMemcpyAsync(run->dcgs, run->lists.dcgs, bytes, cudaMemcpyDeviceToHost, run->stream), validating,
            err);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cudaStreamSynchronize(run->stream), validating, err);
    for (size_t q = 0; status == GRADUS_OK && q < run->list_count; q++)
        to[q] = run->dcgs[q];
    return status;
}

/* Copies to pinned memory are several times as fast; without it they work, too. */
static void pin(gr_valid_run *run, double *sums, size_t bytes)
{
    if (run->fetched)
        return;
    if (cudaHostRegister(sums, bytes, cudaHostRegisterDefault) == cudaSuccess)
        run->fetched = sums;
    else
        (void)cudaGetLastError(); /* forget it */
}

static gradus_status fetch(gr_valid_run *run, double *sums, gradus_error *err)
{
    const size_t bytes = run->pass.trees.outputs * run->pass.rows * sizeof *sums;
    gradus_status status = gr_cuda_use(run->cuda, err);

    if (status != GRADUS_OK || bytes == 0)
        return status;
    pin(run, sums, bytes);
    status = gr_cuda_check(
        cudaMemcpyAsync(sums, run->pass.sums, bytes, cudaMemcpyDeviceToHost, run->stream), validating, err);
    return status == GRADUS_OK ? gr_cuda_check(cudaStreamSynchronize(run->stream), validating, err) : status;
}

extern "C" const gr_valid_device gr_cuda_validation = { open_run, room, load, add, dcgs, fetch, close_run };
