/* SPDX-License-Identifier: Apache-2.0 */
/* The newest parts of CUDA that the plug-in uses, in the fewest lines: CMake builds this to find out whether
 * nvcc can build the plug-in. */
#include <cuda_runtime.h>

struct number {
    unsigned value;
};

static __global__ void set(const __grid_constant__ number n, cudaGraphConditionalHandle condition)
{
    cudaGraphSetConditional(condition, n.value);
}

extern "C" cudaError_t gr_cuda_probe(cudaStream_t stream)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    cudaGraphConditionalHandle condition = 0;
    cudaGraphNodeParams loop = {};

    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&condition, graph, 1, cudaGraphCondAssignDefault);
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.type = cudaGraphCondTypeWhile;
    cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed);
    set<<<1, 1, 0, stream>>>(number{ loop.conditional.size }, condition);
    cudaStreamEndCapture(stream, &graph);
    return cudaGraphInstantiate(&ready, graph, 0);
}
