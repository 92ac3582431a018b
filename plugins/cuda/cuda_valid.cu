/* SPDX-License-Identifier: Apache-2.0 */
/* A validation set on the GPU: its rows are copied once; then each round copies its trees there, and the
 * DCG of each list back. */
#include "backend/valid_device.h"
#include "cuda_dcg.h"
#include "cuda_plugin.h"
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
    gr_cuda_lists lists; /* absent if nothing is ranked */
    double *fetched;     /* the caller's sums, pinned; NULL: not yet */
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
        void *const there[] = { (void *)run->pass.values, run->pass.sums, run->batch, run->device_packed };

        for (void *one : there)
            cudaFree(one);
        cudaGetLastError(); /* whatever was lost has been reported */
    }
    gr_cuda_lists_free(&run->lists);
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
        status = gr_cuda_lists_make(run->cuda, run->stream, set->lists, run->pass.sums, validating, &run->lists,
                                    err);
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

static gradus_status dcgs(gr_valid_run *run, double *to, gradus_error *err)
{
    const gradus_status status = gr_cuda_use(run->cuda, err);

    return status == GRADUS_OK ? gr_cuda_lists_dcgs(&run->lists, run->stream, to, err) : status;
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
