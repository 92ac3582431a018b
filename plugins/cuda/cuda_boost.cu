/* SPDX-License-Identifier: Apache-2.0 */
/* Boosting on a GPU: scores stay there, gradients are computed where the trees read them, and the
 * leaf values of a tree are added in one pass in the order of rows. For losses of rows with a single
 * output the same pass computes the next gradients. The rows are ranked there for NDCG. */
#include "backend/boost_device.h"
#include "backend/tree_device.h"
#include "cuda_dcg.h"
#include "cuda_plugin.h"
#include "lambda_classes.h"
#include "lambdas_body.h"
#include "level_sums_body.h"

#include <new>

enum { ROWS_OF_BLOCK = 256, ALIGNMENT = 256, FIRST_VALUES = 4096 };

/* What a block of a query has in shared memory besides its documents. */
typedef struct query_room {
    gr_lambda_tile tile;
    gr_lambda_chunk chunk;
} query_room;

typedef struct boosting {
    const gr_cuda *cuda;
    cudaStream_t stream, side; /* side: for long queries */
    cudaEvent_t events[2];
    gr_lambda_losses losses; /* those of rows are in losses.rows */
    gr_lambda_plan plan;
    const uint32_t *leaf_of;
    char *memory; /* all arrays but `values` */
    uint8_t *skipped;
    uint32_t *queries; /* as in the plan */
    uint64_t *offsets;
    char *documents; /* of long queries */
    double *values;  /* of leaves, or sums by level */
    size_t values_room;
    size_t queries_count; /* of the problem */
    double *pinned;       /* the caller's scores, which are fetched again and again */
    bool fresh;           /* the gradients are those of the scores */
    gr_cuda_lists lists;  /* count 0: none */
} boosting;

/* ---- kernels ---- */

static __global__ void row_gradients(const gr_row_losses losses)
{
    const size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (r < losses.rows)
        gr_row_gradients(&losses, r);
}

static __global__ void row_add(const gr_row_losses losses, size_t k, const uint32_t *leaf_of,
                               const double *values, bool also_gradient)
{
    const size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (r < losses.rows)
        gr_row_add(&losses, k, r, leaf_of, values, also_gradient);
}

static __global__ void level_sums(const gr_row_losses losses, size_t block, double *sums)
{
    __shared__ gr_staged_terms staged;

    gr_level_sums_block(&losses, blockIdx.x, block, blockDim.x, &staged,
                        sums + blockIdx.x * 2 * losses.levels * gr_row_term_count(&losses));
}

static __global__ void __launch_bounds__(256)
    query_gradients(const gr_lambda_losses losses, const uint32_t *queries, uint32_t room)
{
    __shared__ query_room own;
    extern __shared__ double documents[];

    gr_lambda_query_block(&losses, queries[blockIdx.x], blockDim.x,
                          gr_lambda_lay_out(documents, room), &own.tile, &own.chunk);
}

static __global__ void __launch_bounds__(1024)
    long_gradients(const gr_lambda_losses losses, const uint32_t *queries, const uint64_t *offsets,
                   char *documents)
{
    __shared__ query_room own;
    const uint32_t q = queries[blockIdx.x];
    const size_t count = losses.query_starts[q + 1] - losses.query_starts[q];

    gr_lambda_query_block(&losses, q, blockDim.x,
                          gr_lambda_lay_out(documents + offsets[blockIdx.x] * GR_LAMBDA_RANK_BYTES,
                                            (count + 1) / 2 * 2),
                          &own.tile, &own.chunk);
}

/* ---- memory ---- */

/* Arrays on the device, laid out one after the other: first without memory, to measure. */
typedef struct layout {
    char *memory; /* NULL: only measure */
    size_t bytes;
    cudaStream_t stream;
    cudaError_t failed;
} layout;

template <typename number> static number *place(layout *l, const number *from, size_t count)
{
    char *at = l->memory ? l->memory + l->bytes : NULL;

    l->bytes += (count * sizeof(number) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (at && from && count && l->failed == cudaSuccess)
        l->failed =
            cudaMemcpyAsync(at, from, count * sizeof(number), cudaMemcpyHostToDevice, l->stream);
    return (number *)at;
}

static void place_rows(layout *l, const gr_device_problem *problem, const double *scores,
                       gr_row_losses *rows)
{
    const size_t cells = problem->outputs * problem->rows;
    const size_t table = problem->outputs * problem->levels;
    const bool by_level =
        problem->targets || problem->weights ||
        (problem->loss >= GR_DEVICE_SOFTMAX && problem->loss != GR_DEVICE_LAMBDARANK);

    rows->scores = place(l, scores, cells);
    rows->labels = problem->targets || problem->loss == GR_DEVICE_LAMBDARANK
                       ? NULL
                       : place(l, problem->labels, problem->rows);
    rows->numbers = place(l, (const double *)NULL, problem->levels * GR_DEVICE_LEVEL_NUMBERS);
    rows->level_of = by_level ? place(l, problem->level_of, problem->rows) : NULL;
    rows->targets = problem->targets ? place(l, problem->targets, table) : NULL;
    rows->weights = problem->weights ? place(l, problem->weights, table) : NULL;
    rows->row_weights = problem->row_weights ? place(l, problem->row_weights, problem->rows) : NULL;
}

static void place_queries(layout *l, const gr_device_problem *problem, boosting *b)
{
    const gr_device_lambda *lambda = &problem->lambda;
    const gr_lambda_plan *plan = &b->plan;

    b->losses.query_starts = place(l, problem->query_starts, problem->queries + 1);
    b->losses.discounts = place(l, lambda->discounts, lambda->largest);
    b->losses.values = place(l, lambda->values, problem->rows);
    b->queries_count = problem->queries;
    b->queries = place(l, plan->queries, plan->starts[GR_LAMBDA_CLASSES]);
    b->offsets =
        place(l, plan->offsets, plan->starts[GR_LAMBDA_CLASSES] - plan->starts[GR_LAMBDA_LONG]);
    b->documents = place(l, (const char *)NULL, (size_t)plan->long_rows * GR_LAMBDA_RANK_BYTES);
    b->skipped = place(l, (const uint8_t *)NULL, problem->queries);
}

static gradus_status place_all(boosting *b, const gr_device_problem *problem, const double *scores,
                               char *memory, size_t *bytes, gradus_error *err)
{
    layout l = { memory, 0, b->stream, cudaSuccess };

    place_rows(&l, problem, scores, &b->losses.rows);
    if (problem->loss == GR_DEVICE_LAMBDARANK)
        place_queries(&l, problem, b);
    *bytes = l.bytes;
    return gr_cuda_check(l.failed, "copying scores to it", err);
}

static gradus_status reserve_values(boosting *b, size_t leaves, gradus_error *err)
{
    const size_t least = FIRST_VALUES, room = leaves > least ? leaves : least;

    if (leaves <= b->values_room)
        return GRADUS_OK;
    if (b->values)
        cudaFree(b->values);
    b->values = NULL;
    b->values_room = 0;
    const gradus_status status = gr_cuda_check(
        cudaMalloc((void **)&b->values, room * sizeof *b->values), "allocating leaf values", err);
    if (status == GRADUS_OK)
        b->values_room = room;
    return status;
}

static void boost_close(void *argument)
{
    boosting *b = (boosting *)argument;

    if (!b)
        return;
    if (gr_cuda_use(b->cuda, NULL) == GRADUS_OK) {
        cudaStreamSynchronize(b->stream);
        if (b->side)
            cudaStreamDestroy(b->side);
        for (int i = 0; i < 2; i++)
            if (b->events[i])
                cudaEventDestroy(b->events[i]);
        if (b->pinned)
            cudaHostUnregister(b->pinned);
        cudaFree(b->memory);
        cudaFree(b->values);
    }
    gr_cuda_lists_free(&b->lists);
    gr_lambda_plan_free(&b->plan);
    delete b;
}

/* Queries in which no swap matters have gradients of 0 that nothing changes. */
static cudaError_t prepare_queries(boosting *b)
{
    const size_t bytes = b->losses.rows.rows * sizeof(float);
    const uint32_t most = gr_lambda_class_number(GR_LAMBDA_LONG - 1).room;
    cudaError_t failed = cudaMemsetAsync(b->losses.rows.gradients, 0, bytes, b->stream);

    if (failed == cudaSuccess)
        failed = cudaMemsetAsync(b->losses.rows.hessians, 0, bytes, b->stream);
    if (failed == cudaSuccess)
        failed = cudaFuncSetAttribute(query_gradients, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)(most * GR_LAMBDA_RANK_BYTES));
    if (failed == cudaSuccess)
        failed = cudaStreamCreateWithFlags(&b->side, cudaStreamNonBlocking);
    for (int i = 0; i < 2 && failed == cudaSuccess; i++)
        failed = cudaEventCreateWithFlags(&b->events[i], cudaEventDisableTiming);
    return failed;
}

static gradus_status set_up(boosting *b, const gr_device_problem *problem,
                            const gr_device_rows *rows, const double *scores, gradus_error *err)
{
    size_t bytes = 0;
    gradus_status status = gr_cuda_use(b->cuda, err);

    if (status == GRADUS_OK && problem->loss == GR_DEVICE_LAMBDARANK &&
        !gr_lambda_plan_make(problem, &b->plan))
        status = gr_cuda_fail(err, GRADUS_NO_MEMORY, "not enough memory for the sizes of queries");
    if (status == GRADUS_OK)
        status = place_all(b, problem, scores, NULL, &bytes, err);
    if (status == GRADUS_OK)
        status = gr_cuda_fits(bytes, "scores and labels", NULL, err);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cudaMalloc((void **)&b->memory, bytes), "allocating scores", err);
    if (status == GRADUS_OK)
        status = place_all(b, problem, scores, b->memory, &bytes, err);
    b->losses.rows.gradients = rows->gradients;
    b->losses.rows.hessians = rows->hessians;
    if (status == GRADUS_OK && problem->loss == GR_DEVICE_LAMBDARANK)
        status = gr_cuda_check(prepare_queries(b), "preparing queries", err);
    /* the caller's arrays may go */
    return status == GRADUS_OK
               ? gr_cuda_check(cudaStreamSynchronize(b->stream), "copying scores to it", err)
               : status;
}

static gradus_status boost_open(const struct gradus_device *device,
                                const gr_device_problem *problem, const gr_device_rows *rows,
                                const double *scores, void **made, gradus_error *err)
{
    boosting *b = new (std::nothrow) boosting();

    *made = NULL;
    if (!b)
        return gr_cuda_fail(err, GRADUS_NO_MEMORY, "not enough memory for boosting");
    b->cuda = (const gr_cuda *)device->state;
    b->stream = (cudaStream_t)rows->stream;
    b->leaf_of = rows->leaf_of;
    b->losses = gr_lambda_losses_of(problem);
    const gradus_status status = set_up(b, problem, rows, scores, err);
    if (status != GRADUS_OK) {
        boost_close(b);
        return status;
    }
    *made = b;
    return GRADUS_OK;
}

/* ---- a round ---- */

static unsigned row_blocks(const boosting *b)
{
    return (unsigned)((b->losses.rows.rows + ROWS_OF_BLOCK - 1) / ROWS_OF_BLOCK);
}

static void launch_class(const boosting *b, size_t number, cudaStream_t stream)
{
    const gr_lambda_class size = gr_lambda_class_number(number);
    const size_t first = b->plan.starts[number];
    const unsigned count = (unsigned)(b->plan.starts[number + 1] - first);

    if (count && number == GR_LAMBDA_LONG)
        long_gradients<<<count, size.threads, 0, stream>>>(b->losses, b->queries + first,
                                                           b->offsets, b->documents);
    else if (count)
        query_gradients<<<count, size.threads, size.room * GR_LAMBDA_RANK_BYTES, stream>>>(
            b->losses, b->queries + first, size.room);
}

/* Long queries are few and take long: they run beside the others, in a stream that starts after what
 * is under way in the other and that the other waits for. */
static cudaError_t launch_queries(const boosting *b)
{
    const size_t beside = GR_LAMBDA_LONG - 1;
    cudaError_t failed = cudaEventRecord(b->events[0], b->stream);

    if (failed == cudaSuccess)
        failed = cudaStreamWaitEvent(b->side, b->events[0], 0);
    if (failed != cudaSuccess)
        return failed;
    for (size_t number = GR_LAMBDA_CLASSES; number-- > 0;)
        launch_class(b, number, number >= beside ? b->side : b->stream);
    failed = cudaGetLastError();
    if (failed == cudaSuccess)
        failed = cudaEventRecord(b->events[1], b->side);
    return failed == cudaSuccess ? cudaStreamWaitEvent(b->stream, b->events[1], 0) : failed;
}

/* The numbers of levels, which change from round to round. */
static gradus_status take_numbers(boosting *b, const double *numbers, gradus_error *err)
{
    if (!numbers)
        return GRADUS_OK;
    return gr_cuda_check(
        cudaMemcpyAsync((double *)b->losses.rows.numbers, numbers,
                        b->losses.rows.levels * GR_DEVICE_LEVEL_NUMBERS * sizeof *numbers,
                        cudaMemcpyHostToDevice, b->stream),
        "copying thresholds to it", err);
}

static gradus_status boost_gradients(void *argument, const bool *skipped, const double *numbers,
                                     gradus_error *err)
{
    boosting *b = (boosting *)argument;
    gradus_status status = gr_cuda_use(b->cuda, err);

    if (status == GRADUS_OK)
        status = take_numbers(b, numbers, err);
    if (status != GRADUS_OK || b->fresh)
        return status;
    if (b->losses.rows.loss == GR_DEVICE_LAMBDARANK) {
        b->losses.skipped = skipped ? b->skipped : NULL;
        if (skipped)
            status = gr_cuda_check(cudaMemcpyAsync(b->skipped, skipped, b->queries_count,
                                                   cudaMemcpyHostToDevice, b->stream),
                                   "copying a sample to it", err);
        if (status == GRADUS_OK)
            status = gr_cuda_check(launch_queries(b), "computing gradients", err);
    } else {
        row_gradients<<<row_blocks(b), ROWS_OF_BLOCK, 0, b->stream>>>(b->losses.rows);
        b->fresh = gr_row_keeps_gradients(&b->losses.rows);
    }
    return status == GRADUS_OK ? gr_cuda_check(cudaGetLastError(), "computing gradients", err)
                               : status;
}

static gradus_status boost_sums(void *argument, const double *numbers, size_t block, double *sums,
                                gradus_error *err)
{
    boosting *b = (boosting *)argument;
    const gr_row_losses *rows = &b->losses.rows;
    const size_t blocks = (rows->rows + block - 1) / block;
    const size_t count = blocks * 2 * rows->levels * gr_row_term_count(rows);
    gradus_status status = gr_cuda_use(b->cuda, err);

    if (status == GRADUS_OK)
        status = reserve_values(b, count, err);
    if (status == GRADUS_OK)
        status = take_numbers(b, numbers, err);
    if (status != GRADUS_OK)
        return status;
    level_sums<<<(unsigned)blocks, ROWS_OF_BLOCK, 0, b->stream>>>(*rows, block, b->values);
    status = gr_cuda_check(cudaGetLastError(), "adding up thresholds", err);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cudaMemcpyAsync(sums, b->values, count * sizeof *sums,
                                               cudaMemcpyDeviceToHost, b->stream),
                               "adding up thresholds", err);
    return status == GRADUS_OK
               ? gr_cuda_check(cudaStreamSynchronize(b->stream), "adding up thresholds", err)
               : status;
}

static gradus_status boost_add(void *argument, size_t output, const double *values, size_t leaves,
                               gradus_error *err)
{
    boosting *b = (boosting *)argument;
    const gr_row_losses *rows = &b->losses.rows;
    const bool also_gradient = gr_row_adds_gradient(rows);
    gradus_status status = gr_cuda_use(b->cuda, err);

    if (status == GRADUS_OK)
        status = reserve_values(b, leaves, err);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cudaMemcpyAsync(b->values, values, leaves * sizeof *values,
                                               cudaMemcpyHostToDevice, b->stream),
                               "copying leaf values to it", err);
    if (status != GRADUS_OK)
        return status;
    row_add<<<row_blocks(b), ROWS_OF_BLOCK, 0, b->stream>>>(*rows, output, b->leaf_of, b->values,
                                                            also_gradient);
    b->fresh = also_gradient;
    return gr_cuda_check(cudaGetLastError(), "adding a tree to scores", err);
}

/* Copies to pinned memory are several times as fast; without it they work, too. */
static void pin(boosting *b, double *scores, size_t bytes)
{
    if (b->pinned)
        return;
    if (cudaHostRegister(scores, bytes, cudaHostRegisterDefault) == cudaSuccess)
        b->pinned = scores;
    else
        (void)cudaGetLastError(); /* forget it */
}

static gradus_status boost_fetch(void *argument, double *scores, gradus_error *err)
{
    boosting *b = (boosting *)argument;
    const gr_row_losses *rows = &b->losses.rows;
    const size_t bytes = rows->outputs * rows->rows * sizeof *scores;
    gradus_status status = gr_cuda_use(b->cuda, err);

    if (status != GRADUS_OK)
        return status;
    pin(b, scores, bytes);
    status = gr_cuda_check(
        cudaMemcpyAsync(scores, rows->scores, bytes, cudaMemcpyDeviceToHost, b->stream),
        "copying scores from it", err);
    return status == GRADUS_OK
               ? gr_cuda_check(cudaStreamSynchronize(b->stream), "copying scores from it", err)
               : status;
}

/* ---- the metric ---- */

static const char *const evaluating = "computing the metric of the training rows";

static gradus_status boost_lists(void *argument, const gr_device_lists *lists, gradus_error *err)
{
    boosting *b = (boosting *)argument;
    gradus_status status = gr_cuda_use(b->cuda, err);

    if (status != GRADUS_OK)
        return status;
    gr_cuda_lists_free(&b->lists);
    status = gr_cuda_lists_make(b->cuda, b->stream, lists, b->losses.rows.scores, evaluating, &b->lists, err);
    if (status != GRADUS_OK)
        gr_cuda_lists_free(&b->lists);
    return status;
}

/* In the stream of the trees: after the last of them was added. */
static gradus_status boost_dcgs(void *argument, double *dcgs, gradus_error *err)
{
    boosting *b = (boosting *)argument;
    const gradus_status status = gr_cuda_use(b->cuda, err);

    return status == GRADUS_OK ? gr_cuda_lists_dcgs(&b->lists, b->stream, dcgs, err) : status;
}

extern "C" cudaError_t gr_cuda_load_boosting(void)
{
    const void *const kernels[] = { (const void *)row_gradients, (const void *)row_add,
                                    (const void *)level_sums, (const void *)query_gradients,
                                    (const void *)long_gradients };
    cudaFuncAttributes attributes;
    cudaError_t code = cudaSuccess;

    for (const void *kernel : kernels)
        if (code == cudaSuccess)
            code = cudaFuncGetAttributes(&attributes, kernel);
    return code;
}

extern "C" const struct gr_boost_device gr_cuda_boosting = { boost_open,  boost_gradients, boost_sums,
                                                             boost_add,   boost_fetch,     boost_lists,
                                                             boost_dcgs,  boost_close };
