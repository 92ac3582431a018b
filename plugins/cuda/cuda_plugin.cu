/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-in for CUDA: opens and closes the first GPU, and turns errors of CUDA into sentences. */
#include "cuda_plugin.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

struct opened {
    gradus_device shown; /* first: close_device gets a pointer to it */
    gr_cuda cuda;
    char name[256];
};

gradus_status gr_cuda_fail(gradus_error *err, gradus_status status, const char *format, ...)
{
    va_list list;

    if (err) {
        va_start(list, format);
        vsnprintf(err->message, sizeof err->message, format, list);
        va_end(list);
        err->status = status;
    }
    return status;
}

gradus_status gr_cuda_check(cudaError_t code, const char *what, gradus_error *err)
{
    if (code == cudaSuccess)
        return GRADUS_OK;
    cudaGetLastError(); /* so that the next call does not report it again */
    if (code == cudaErrorMemoryAllocation)
        return gr_cuda_fail(err, GRADUS_NO_MEMORY, "the memory of the GPU is exhausted while %.200s",
                            what);
    return gr_cuda_fail(err, GRADUS_LOST, "the GPU has failed while %.200s: %.200s", what,
                        cudaGetErrorString(code));
}

gradus_status gr_cuda_check_pinned(cudaError_t code, const char *what, gradus_error *err)
{
    if (code != cudaErrorMemoryAllocation)
        return gr_cuda_check(code, what, err);
    cudaGetLastError();
    return gr_cuda_fail(err, GRADUS_NO_MEMORY,
                        "no memory of the host can be pinned for the GPU while %.200s", what);
}

static uint64_t free_bytes()
{
    size_t available = 0, total = 0;

    if (cudaMemGetInfo(&available, &total) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return available;
}

gradus_status gr_cuda_fits(uint64_t bytes, const char *what, const char *advice, gradus_error *err)
{
    const uint64_t available = free_bytes();

    if (bytes <= available)
        return GRADUS_OK;
    return gr_cuda_fail(err, GRADUS_NO_MEMORY,
                        "%.200s need %.3g GB of the memory of the GPU, which has %.3g GB free%s%.200s",
                        what, (double)bytes / 1e9, (double)available / 1e9, advice ? "; " : "",
                        advice ? advice : "");
}

gradus_status gr_cuda_use(const gr_cuda *cuda, gradus_error *err)
{
    return gr_cuda_check(cudaSetDevice(cuda->ordinal), "starting up", err);
}

static uint64_t free_memory(const gradus_device *device)
{
    return gr_cuda_use((const gr_cuda *)device->state, nullptr) == GRADUS_OK ? free_bytes() : 0;
}

static void close_device(gradus_device *device)
{
    delete reinterpret_cast<opened *>(device);
}

/* What is missing, if there is no device. */
static gradus_status find(int *count, gradus_error *err)
{
    const cudaError_t code = cudaGetDeviceCount(count);

    if (code == cudaSuccess && *count > 0)
        return GRADUS_OK;
    cudaGetLastError();
    if (code == cudaErrorInsufficientDriver)
        return gr_cuda_fail(err, GRADUS_LOST,
                            "no driver for NVIDIA GPUs is loaded, or it is older than CUDA %d.%d",
                            CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (code == cudaErrorNoDevice || code == cudaSuccess)
        return gr_cuda_fail(err, GRADUS_LOST, "this machine has no NVIDIA GPU that can be used");
    return gr_cuda_fail(err, GRADUS_LOST, "cannot look for a GPU: %.200s", cudaGetErrorString(code));
}

static gradus_status describe(opened *made, gradus_error *err)
{
    cudaDeviceProp has;
    gradus_status status = gr_cuda_check(cudaGetDeviceProperties(&has, 0), "starting up", err);

    if (status != GRADUS_OK)
        return status;
    if (has.major < 8)
        return gr_cuda_fail(err, GRADUS_LOST,
                            "'%.100s' has compute capability %d.%d, and gradus needs 8.0 or later",
                            has.name, has.major, has.minor);
    snprintf(made->name, sizeof made->name, "%s", has.name);
    made->cuda.ordinal = 0;
    made->cuda.processors = has.multiProcessorCount;
    made->cuda.shared_memory = has.sharedMemPerBlockOptin;
    made->cuda.cache = (size_t)has.l2CacheSize;
    /* The context of CUDA is made and kernels are loaded here, not in the first training. Its flags are left
     * alone, as an embedding process may have set them: by default waiting threads spin, which suits trees,
     * each of which waits a few times for a fraction of a millisecond. */
    status = gr_cuda_use(&made->cuda, err);
    if (status == GRADUS_OK)
        status = gr_cuda_check(cudaFree(nullptr), "starting up", err);
#ifdef GR_CUDA_TREES
    if (status == GRADUS_OK)
        status = gr_cuda_check(gr_cuda_load_trees(), "starting up", err);
#endif
#ifdef GR_CUDA_BOOST
    if (status == GRADUS_OK)
        status = gr_cuda_check(gr_cuda_load_boosting(), "starting up", err);
#endif
    return status;
}

extern "C" __attribute__((visibility("default"))) gradus_device *
gradus_device_plugin(int version, gradus_error *err)
{
    int count = 0;

    if (version != GR_DEVICE_VERSION) {
        gr_cuda_fail(err, GRADUS_BAD_ARGUMENT,
                     "the plug-in for CUDA belongs to another version of gradus");
        return nullptr;
    }
    if (find(&count, err) != GRADUS_OK)
        return nullptr;
    opened *made = new (std::nothrow) opened();

    if (!made) {
        gr_cuda_fail(err, GRADUS_NO_MEMORY, "no memory for a device");
        return nullptr;
    }
    if (describe(made, err) != GRADUS_OK) {
        delete made;
        return nullptr;
    }
    made->shown.version = GR_DEVICE_VERSION;
    made->shown.name = made->name;
    made->shown.free_memory = free_memory;
    made->shown.state = &made->cuda;
    made->shown.close = close_device;
#ifdef GR_CUDA_TREES
    made->shown.trees = &gr_cuda_trees;
#endif
#ifdef GR_CUDA_BOOST
    made->shown.boosting = &gr_cuda_boosting;
#endif
#ifdef GR_CUDA_SCORE
    made->shown.scoring = &gr_cuda_scoring;
#endif
#ifdef GR_CUDA_VALID
    made->shown.validation = &gr_cuda_validation;
#endif
    return &made->shown;
}
