/* SPDX-License-Identifier: Apache-2.0 */
/* Trees on a GPU: memory, copies and launches for trees_driver.h. Everything of a grower is in the order
 * of one stream. Small results are written by kernels to pinned memory of the host. */
#include "cuda_plugin.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

struct machine {
    const gr_cuda *cuda;
    cudaStream_t stream;
    cudaEvent_t mark;
    bool opening; /* large arrays are copied with pinned buffers, which take long to allocate ... */
    struct {      /* ... and are kept until all is copied; see `copying` */
        char *pinned, *staged;
        size_t pinned_bytes, staged_bytes;
    } buffers;
    struct growth_graph *graphs;                 /* one per output; NULL: none */
    size_t graph_count;
    const cudaGraphConditionalHandle *condition; /* while the steps of a graph are captured */
};

/* Arrays of at least LARGE bytes are copied by COPIERS threads in pieces. */
enum { COPIERS = 4, PIECE = 1 << 20, LARGE = 4 << 20 };
enum { MACHINE_GAP = 0, MACHINE_STAGED = 2 * COPIERS * PIECE };

#include "trees_driver.h"

static const char *const GROWING = "growing trees";

static gradus_status check(cudaError_t code, gradus_error *err)
{
    return gr_cuda_check(code, GROWING, err);
}

/* ---- memory ---- */

static void *machine_new(gr_device_trees *, size_t bytes, bool shared, gradus_error *err)
{
    void *memory = nullptr;
    const gradus_status status =
        shared ? gr_cuda_check_pinned(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), GROWING,
                                      err)
               : check(cudaMalloc(&memory, bytes), err);

    return status == GRADUS_OK ? memory : nullptr;
}

static void machine_free(gr_device_trees *, void *memory, bool shared)
{
    if (shared)
        cudaFreeHost(memory);
    else
        cudaFree(memory);
}

static void machine_guard(void *)
{
}

static uint64_t machine_room(gr_device_trees *)
{
    size_t available = 0, total = 0;

    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
        cudaGetLastError();
    return available;
}

static gradus_status machine_fits(gr_device_trees *trees, uint64_t bytes, size_t rows,
                                  size_t columns, gradus_error *err)
{
    const double share = bytes ? (double)machine_room(trees) / (double)bytes : 1.0;
    char what[100], advice[100];

    snprintf(what, sizeof what, "trees on %zu rows of %zu features", rows, columns);
    snprintf(advice, sizeof advice, "about %.0f rows of these features would fit, or choose device 'cpu'",
             (share < 1.0 ? share : 1.0) * (double)rows);
    return gr_cuda_fits(bytes, what, advice, err);
}

static gradus_status machine_fail(gradus_status status, const char *message, gradus_error *err)
{
    return gr_cuda_fail(err, status, "%s", message);
}

static gradus_status machine_mark(gr_device_trees *trees, gradus_error *err)
{
    return check(cudaEventRecord(trees->on.mark, trees->on.stream), err);
}

static gradus_status machine_wait_for_mark(gr_device_trees *trees, gradus_error *err)
{
    return check(cudaEventSynchronize(trees->on.mark), err);
}

/* ---- kernels ---- */

static __global__ void __launch_bounds__(GR_UNPACK_THREADS)
    unpack_words(const __grid_constant__ gr_tree_data data,
                 const __grid_constant__ gr_packed_words packed)
{
    gr_unpack_words(&data, &packed, blockIdx.x);
}

static __global__ void __launch_bounds__(GR_UNPACK_THREADS)
    unpack_lists(const __grid_constant__ gr_tree_data data,
                 const __grid_constant__ gr_packed_lists packed)
{
    gr_unpack_lists(&data, &packed, blockIdx.x);
}

static __global__ void __launch_bounds__(GR_MEASURE_THREADS)
    measure(const __grid_constant__ gr_extent_work of)
{
    __shared__ gr_measure_shared shared;

    gr_measure_body(&of, blockIdx.x, &shared);
}

static __global__ void __launch_bounds__(GR_ROUND_THREADS)
    round_rows(const __grid_constant__ gr_rounds of)
{
    __shared__ gr_round_shared shared;

    gr_round_body(&of, blockIdx.x, &shared);
}

static __global__ void __launch_bounds__(GR_PART_THREADS, 5)
    part(const __grid_constant__ gr_tree_data data, const gr_split_batch *batch)
{
    __shared__ gr_part_shared shared;

    gr_lists_body(&data, batch, blockIdx.x, gridDim.x, &shared);
}

extern __shared__ __align__(16) uint32_t lanes[];

template <bool rows, bool wide, bool mixed, bool pair = false>
static __global__ void __launch_bounds__(GR_SUMS_THREADS, 2)
    sums(const __grid_constant__ gr_tree_data data, const gr_split_batch *batch)
{
    __shared__ gr_sums_shared shared;

    gr_sums_body(&data, batch, { rows, wide, mixed, pair }, blockIdx.x, gridDim.x, &shared, lanes);
}

/* By rows, wide and mixed, and that of two outputs. */
enum { PAIR_SUMS = 8 };
static void (*const all_sums[])(gr_tree_data, const gr_split_batch *) = {
    sums<false, false, false>, sums<true, false, false>, sums<false, true, false>,
    sums<true, true, false>,   sums<false, false, true>, sums<true, false, true>,
    sums<false, true, true>,   sums<true, true, true>,   sums<false, false, false, true>
};

template <bool wide, bool counted>
static __global__ void __launch_bounds__(GR_CUTS_THREADS, 7)
    cuts(const __grid_constant__ gr_tree_data data, const gr_split_batch *batch,
         gr_device_cut *found)
{
    __shared__ gr_cuts_shared shared;
    __shared__ uint64_t first[GR_CUTS_KEPT], second[wide ? GR_CUTS_KEPT : 1];
    __shared__ uint32_t rows[counted ? GR_CUTS_KEPT : 1];
    const gr_cuts_kept kept = { first, second, rows };

    gr_cuts_body(&data, batch, wide, counted, blockIdx.x, gridDim.x, found, &kept, &shared);
}

static __global__ void __launch_bounds__(GR_GROWTH_THREADS)
    choose(const __grid_constant__ gr_tree_data data, const __grid_constant__ gr_growth growth)
{
    __shared__ gr_growth_shared shared;

    gr_growth_body(&data, &growth, &shared);
}

static __global__ void __launch_bounds__(GR_GROWTH_THREADS)
    choose_again(const __grid_constant__ gr_tree_data data,
                 const __grid_constant__ gr_growth growth, cudaGraphConditionalHandle condition)
{
    __shared__ gr_growth_shared shared;

    gr_growth_body(&data, &growth, &shared);
    if (threadIdx.x == 0) /* which has written it */
        cudaGraphSetConditional(condition, !growth.state->done);
}

static __global__ void __launch_bounds__(GR_GROWTH_THREADS)
    start_growth(const __grid_constant__ gr_tree_data data,
                 const __grid_constant__ gr_growth growth, uint32_t rows, uint32_t slot)
{
    gr_growth_start(&data, &growth, rows, slot);
}

static __global__ void __launch_bounds__(GR_LEAVES_THREADS)
    leaf_sums(const __grid_constant__ gr_tree_data data, const __grid_constant__ gr_leaf_work work)
{
    __shared__ gr_leaves_shared shared;

    gr_leaf_sums_body(&data, &work, blockIdx.x, &shared);
}

static __global__ void __launch_bounds__(GR_LEAVES_THREADS)
    walk(const __grid_constant__ gr_tree_data data, const gr_device_fork *forks, uint32_t *leaf_of)
{
    gr_walk_body(&data, forks, leaf_of, blockIdx.x);
}

/* ---- copies ---- */

/* An array on the host. */
struct transfer {
    const char *from;
    char *to;           /* NULL: they are words, to be unpacked */
    size_t bytes, each; /* of all pieces, of a piece */
    gr_packed_words packed;
};

/* Several times as fast as a copy from ordinary memory: each thread fills one of its two pinned buffers
 * while the other is sent and, if it has words, unpacked. */
struct copying {
    const gr_device_trees *trees;
    const transfer *transfers;
    size_t count, each;       /* bytes of a buffer */
    char *pinned;             /* on the host, two buffers per thread; NULL: none */
    char *staged;             /* the same on the device, if there are words */
    std::atomic<size_t> next; /* piece */
};

struct copier {
    copying *all;
    size_t number;
    cudaStream_t stream;
    cudaEvent_t sent[2];
    cudaError_t code;
};

static cudaError_t send_piece(const copier *own, const transfer *t, size_t at, size_t turn)
{
    const copying *all = own->all;
    const size_t bytes = t->bytes - at < t->each ? t->bytes - at : t->each;
    const size_t buffer = (2 * own->number + turn) * all->each;
    const char *from = t->from + at;
    char *to = t->to ? t->to + at : all->staged + buffer;
    cudaError_t code = cudaEventSynchronize(own->sent[turn]); /* at once, if nothing was sent */

    if (code == cudaSuccess && all->pinned) {
        memcpy(all->pinned + buffer, from, bytes);
        from = all->pinned + buffer;
    }
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, own->stream);
    if (code == cudaSuccess && !t->to) {
        gr_packed_words packed = t->packed;

        packed.words = (const uint64_t *)to;
        packed.first_row = (uint32_t)(at / 8 / packed.stride);
        packed.rows = (uint32_t)(bytes / 8 / packed.stride);
        unpack_words<<<gr_unpack_row_blocks(&packed) * packed.stride, GR_UNPACK_THREADS, 0,
                       own->stream>>>(all->trees->data, packed);
        code = cudaGetLastError();
    }
    return code == cudaSuccess ? cudaEventRecord(own->sent[turn], own->stream) : code;
}

static cudaError_t send_pieces(const copier *own)
{
    copying *all = own->all;
    cudaError_t code = cudaSuccess;

    for (size_t turn = 0; code == cudaSuccess; turn ^= 1) {
        size_t piece = all->next++, t = 0;

        for (; t < all->count; t++) {
            const size_t pieces =
                (all->transfers[t].bytes + all->transfers[t].each - 1) / all->transfers[t].each;

            if (piece < pieces)
                break;
            piece -= pieces;
        }
        if (t == all->count)
            break;
        code = send_piece(own, &all->transfers[t], piece * all->transfers[t].each, turn);
    }
    return code == cudaSuccess ? cudaStreamSynchronize(own->stream) : code;
}

static void copy_some(copier *own)
{
    own->code = cudaSetDevice(own->all->trees->on.cuda->ordinal);
    if (own->code == cudaSuccess)
        own->code = cudaStreamCreateWithFlags(&own->stream, cudaStreamNonBlocking);
    for (int i = 0; i < 2; i++)
        if (own->code == cudaSuccess)
            own->code = cudaEventCreateWithFlags(&own->sent[i], cudaEventDisableTiming);
    if (own->code == cudaSuccess)
        own->code = send_pieces(own);
    for (int i = 0; i < 2; i++)
        if (own->sent[i])
            cudaEventDestroy(own->sent[i]);
    if (own->stream)
        cudaStreamDestroy(own->stream);
}

/* The last of the threads is the caller. */
static cudaError_t run_copiers(copying *all, size_t threads)
{
    copier copiers[COPIERS] = {};
    std::thread running[COPIERS];
    cudaError_t code = cudaSuccess;

    for (size_t i = 0; i < threads; i++) {
        copiers[i].all = all;
        copiers[i].number = i;
        if (i + 1 == threads) {
            copy_some(&copiers[i]);
            continue;
        }
        try {
            running[i] = std::thread(copy_some, &copiers[i]);
        } catch (...) { /* the others copy its pieces */
        }
    }
    for (size_t i = 0; i < threads; i++) {
        if (running[i].joinable())
            running[i].join();
        code = code == cudaSuccess ? copiers[i].code : code;
    }
    return code;
}

static void drop_buffers(gr_device_trees *trees)
{
    cudaFreeHost(trees->on.buffers.pinned);
    cudaFree(trees->on.buffers.staged);
    trees->on.buffers = {};
}

/* Makes the buffers of `bytes` that there are not yet. */
static cudaError_t make_buffers(gr_device_trees *trees, size_t bytes, bool pinned, bool staged)
{
    auto *buffers = &trees->on.buffers;

    if (pinned && buffers->pinned_bytes < bytes) {
        cudaFreeHost(buffers->pinned);
        buffers->pinned_bytes = bytes;
        if (cudaHostAlloc((void **)&buffers->pinned, bytes, cudaHostAllocPortable) != cudaSuccess) {
            buffers->pinned = nullptr; /* copies are slower then */
            cudaGetLastError();
        }
    }
    if (!staged || buffers->staged_bytes >= bytes)
        return cudaSuccess;
    cudaFree(buffers->staged);
    buffers->staged = nullptr;
    buffers->staged_bytes = bytes;
    return cudaMalloc((void **)&buffers->staged, bytes);
}

/* What is in the stream has to have ended. */
static cudaError_t copy_all(gr_device_trees *trees, const transfer *transfers, size_t count)
{
    copying all = {};
    size_t bytes = 0, threads = 1;
    bool words = false;

    all.trees = trees;
    all.transfers = transfers;
    all.count = count;
    for (size_t i = 0; i < count; i++) {
        bytes += transfers[i].bytes;
        all.each = transfers[i].each > all.each ? transfers[i].each : all.each;
        words |= !transfers[i].to;
    }
    if (bytes >= LARGE)
        threads = COPIERS;
    const cudaError_t code =
        make_buffers(trees, 2 * threads * all.each, bytes >= LARGE, words);
    all.pinned = bytes >= LARGE ? trees->on.buffers.pinned : nullptr;
    all.staged = trees->on.buffers.staged;
    return code == cudaSuccess ? run_copiers(&all, threads) : code;
}

static gradus_status machine_copy_words(gr_device_trees *trees, const gr_packed_words *groups,
                                        size_t count, gradus_error *err)
{
    transfer *transfers = new (std::nothrow) transfer[count + 1]();
    cudaError_t code = cudaErrorMemoryAllocation;

    for (size_t g = 0; transfers && g < count; g++) {
        const size_t row = groups[g].stride * sizeof(uint64_t);
        const size_t rows = row < PIECE ? PIECE / row : 1;

        transfers[g].from = (const char *)groups[g].words;
        transfers[g].bytes = row * groups[g].rows;
        transfers[g].each = row * rows;
        transfers[g].packed = groups[g];
    }
    if (transfers)
        code = copy_all(trees, transfers, count);
    delete[] transfers;
    return check(code, err);
}

static gradus_status machine_upload(gr_device_trees *trees, void *to, const void *from,
                                    size_t bytes, gradus_error *err)
{
    const transfer one = { (const char *)from, (char *)to, bytes, PIECE, {} };

    if (bytes < LARGE || !trees->on.opening)
        return check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, trees->on.stream),
                     err);
    const cudaError_t code = cudaStreamSynchronize(trees->on.stream); /* `to` may be in use */
    return check(code == cudaSuccess ? copy_all(trees, &one, 1) : code, err);
}

static gradus_status machine_download(gr_device_trees *trees, void *to, const void *from,
                                      size_t bytes, gradus_error *err)
{
    return check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, trees->on.stream), err);
}

static gradus_status machine_clear(gr_device_trees *trees, void *memory, size_t bytes,
                                   gradus_error *err)
{
    return check(cudaMemsetAsync(memory, 0, bytes, trees->on.stream), err);
}

static gradus_status machine_wait(gr_device_trees *trees, gradus_error *err)
{
    return check(cudaStreamSynchronize(trees->on.stream), err);
}

/* ---- launches ---- */

#define LAUNCH(kernel, blocks, threads, bytes, ...)                                                \
    do {                                                                                           \
        if ((blocks) > 0)                                                                          \
            kernel<<<(blocks), (threads), (bytes), trees->on.stream>>>(__VA_ARGS__);               \
        return check(cudaGetLastError(), err);                                                     \
    } while (0)

static gradus_status machine_unpack_lists(gr_device_trees *trees, const gr_packed_lists *packed,
                                          uint32_t blocks, gradus_error *err)
{
    LAUNCH(unpack_lists, blocks, GR_UNPACK_THREADS, 0, trees->data, *packed);
}

static gradus_status machine_measure(gr_device_trees *trees, const gr_extent_work *of,
                                     uint32_t blocks, gradus_error *err)
{
    LAUNCH(measure, blocks, GR_MEASURE_THREADS, 0, *of);
}

static gradus_status machine_round(gr_device_trees *trees, const gr_rounds *of, uint32_t blocks,
                                   gradus_error *err)
{
    LAUNCH(round_rows, blocks, GR_ROUND_THREADS, 0, *of);
}

/* Blocks per processor of the GPU that divide the work of a batch. */
enum { PART_BLOCKS = 16, SUMS_BLOCKS = 2, CUTS_BLOCKS = 7 };

static uint32_t blocks_of(const gr_device_trees *trees, uint32_t each)
{
    return each * (uint32_t)trees->on.cuda->processors;
}

static gradus_status machine_part(gr_device_trees *trees, gradus_error *err)
{
    LAUNCH(part, blocks_of(trees, PART_BLOCKS), GR_PART_THREADS, 0, trees->data, trees->batch);
}

static constexpr size_t lane_bytes(bool rows)
{
    return (rows ? 3 : 2) * (size_t)GR_SMALL_BINS * GR_PANEL * sizeof(uint32_t);
}

static gradus_status machine_sums(gr_device_trees *trees, gradus_error *err)
{
    const bool rows = gr_sums_count_rows(&trees->data);
    const bool wide = trees->data.words == 2, mixed = trees->data.columns16 != nullptr;
    const bool pair = trees->data.pair_words != nullptr;

    LAUNCH(all_sums[pair ? PAIR_SUMS : rows + 2 * wide + 4 * mixed], blocks_of(trees, SUMS_BLOCKS),
           GR_SUMS_THREADS, lane_bytes(rows || pair), trees->data, trees->batch);
}

static gradus_status machine_cuts(gr_device_trees *trees, gradus_error *err)
{
    const bool wide = trees->data.words == 2, counted = trees->data.counts != nullptr;
    const auto kernel = wide ? (counted ? cuts<true, true> : cuts<true, false>)
                             : (counted ? cuts<false, true> : cuts<false, false>);

    LAUNCH(kernel, blocks_of(trees, CUTS_BLOCKS), GR_CUTS_THREADS, 0, trees->data, trees->batch,
           trees->cuts);
}

static gradus_status machine_growth(gr_device_trees *trees, gradus_error *err)
{
    if (trees->on.condition)
        LAUNCH(choose_again, 1, GR_GROWTH_THREADS, 0, trees->data, trees->growth,
               *trees->on.condition);
    LAUNCH(choose, 1, GR_GROWTH_THREADS, 0, trees->data, trees->growth);
}

static gradus_status machine_start(gr_device_trees *trees, uint32_t rows, uint32_t slot,
                                   gradus_error *err)
{
    LAUNCH(start_growth, 1, GR_GROWTH_THREADS, 0, trees->data, trees->growth, rows, slot);
}

static gradus_status machine_leaf_sums(gr_device_trees *trees, const gr_leaf_work *work,
                                       uint32_t blocks, gradus_error *err)
{
    LAUNCH(leaf_sums, blocks, GR_LEAVES_THREADS, 0, trees->data, *work);
}

static gradus_status machine_walk(gr_device_trees *trees, uint32_t blocks, gradus_error *err)
{
    LAUNCH(walk, blocks, GR_LEAVES_THREADS, 0, trees->data, trees->forks, trees->rows.leaf_of);
}

#include "growth_graph.h"

/* ---- the table ---- */

extern "C" cudaError_t gr_cuda_load_trees(void)
{
    const void *const kernels[] = { (const void *)unpack_words,
                                    (const void *)unpack_lists,
                                    (const void *)measure,
                                    (const void *)round_rows,
                                    (const void *)part,
                                    (const void *)cuts<false, false>,
                                    (const void *)cuts<false, true>,
                                    (const void *)cuts<true, false>,
                                    (const void *)cuts<true, true>,
                                    (const void *)choose,
                                    (const void *)choose_again,
                                    (const void *)start_growth,
                                    (const void *)leaf_sums,
                                    (const void *)walk };
    cudaFuncAttributes attributes;
    cudaError_t code = cudaSuccess;

    for (const void *kernel : kernels)
        if (code == cudaSuccess)
            code = cudaFuncGetAttributes(&attributes, kernel);
    for (const auto kernel : all_sums)
        if (code == cudaSuccess)
            code = cudaFuncGetAttributes(&attributes, (const void *)kernel);
    return code;
}

static void close_trees(gr_device_trees *trees)
{
    if (!trees)
        return;
    gr_cuda_use(trees->on.cuda, nullptr);
    if (trees->on.stream)
        cudaStreamSynchronize(trees->on.stream);
    driver_free(trees);
    drop_buffers(trees);
    drop_graphs(trees);
    if (trees->on.mark)
        cudaEventDestroy(trees->on.mark);
    if (trees->on.stream)
        cudaStreamDestroy(trees->on.stream);
    cudaGetLastError();
    delete trees;
}

static gradus_status start(gr_device_trees *trees, gradus_error *err)
{
    gradus_status status = gr_cuda_use(trees->on.cuda, err);

    if (status == GRADUS_OK)
        status = check(cudaStreamCreateWithFlags(&trees->on.stream, cudaStreamNonBlocking), err);
    if (status == GRADUS_OK)
        status = check(cudaEventCreateWithFlags(&trees->on.mark, cudaEventDisableTiming), err);
    for (const auto kernel : all_sums)
        if (status == GRADUS_OK)
            status = check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                (int)lane_bytes(true)),
                           err);
    trees->rows.stream = trees->on.stream;
    return status;
}

static gr_device_trees *open_trees(const gradus_device *device, const gr_device_bins *bins,
                                   gradus_error *err)
{
    gr_device_trees *trees = new (std::nothrow) gr_device_trees();

    if (!trees) {
        gr_cuda_fail(err, GRADUS_NO_MEMORY, "no memory for trees on the GPU");
        return nullptr;
    }
    trees->on.cuda = (const gr_cuda *)device->state;
    gradus_status status = start(trees, err);
    /* for measurements: GRADUS_CUDA_GRAPHS=0 launches all kernels one by one */
    const char *graphs = std::getenv("GRADUS_CUDA_GRAPHS");

    if (!graphs || strcmp(graphs, "0") != 0)
        trees->on.graphs = new (std::nothrow) growth_graph[bins->outputs]();
    trees->on.graph_count = bins->outputs;
    trees->on.opening = true;
    if (status == GRADUS_OK)
        status = driver_fill(trees, bins, err);
    trees->on.opening = false;
    drop_buffers(trees);
    if (status != GRADUS_OK) {
        close_trees(trees);
        return nullptr;
    }
    return trees;
}

/* Every round may come from another thread. */
static gradus_status measure_round(gr_device_trees *trees, const gr_device_round *round,
                                   const gr_device_extent **extents, size_t *slots,
                                   gradus_error *err)
{
    const gradus_status status = gr_cuda_use(trees->on.cuda, err);

    return status == GRADUS_OK ? driver_measure(trees, round, extents, slots, err) : status;
}

extern "C" const struct gr_tree_device gr_cuda_trees = {
    open_trees,  close_trees,  driver_rows, measure_round, driver_round,
    driver_root, driver_split, driver_grow, driver_finish
};
