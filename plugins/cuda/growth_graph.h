/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA graphs that grow trees. Included by cuda_trees.cu, whose functions they call.
 *
 * A graph repeats the steps of a tree until it is done, with less time between kernels than launches. It
 * has the arguments of its kernels, which change with the scales of gradients, powers of two, that is
 * seldom: one is made when two trees of an output in a row have the same arguments. */
#ifndef GR_PLUGINS_CUDA_GROWTH_GRAPH_H
#define GR_PLUGINS_CUDA_GROWTH_GRAPH_H

#include "trees_driver.h"

struct growth_graph {
    gr_tree_data data;
    gr_growth growth;
    cudaGraph_t graph; /* NULL: not made yet */
    cudaGraphExec_t ready;
};

static void drop_graph(growth_graph *g)
{
    if (g->ready)
        cudaGraphExecDestroy(g->ready);
    if (g->graph)
        cudaGraphDestroy(g->graph);
    g->ready = nullptr;
    g->graph = nullptr;
}

static void drop_graphs(gr_device_trees *trees)
{
    for (size_t k = 0; trees->on.graphs && k < trees->on.graph_count; k++)
        drop_graph(&trees->on.graphs[k]);
    delete[] trees->on.graphs;
    trees->on.graphs = nullptr;
}

/* The loop of a graph. */
static cudaError_t add_loop(cudaGraph_t graph, cudaGraphConditionalHandle *condition,
                            cudaGraph_t *body)
{
    cudaGraphNodeParams loop = {};
    cudaGraphNode_t node;
    cudaError_t code =
        cudaGraphConditionalHandleCreate(condition, graph, 1, cudaGraphCondAssignDefault);

    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = *condition;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    if (code == cudaSuccess)
#if CUDART_VERSION >= 13000
        code = cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop);
#else
        code = cudaGraphAddNode(&node, graph, nullptr, 0, &loop);
#endif
    if (code == cudaSuccess)
        *body = loop.conditional.phGraph_out[0];
    return code;
}

static cudaError_t make_graph(gr_device_trees *trees, growth_graph *g)
{
    cudaGraphConditionalHandle condition = 0;
    cudaGraph_t body = nullptr;
    cudaError_t code = cudaGraphCreate(&g->graph, 0);

    if (code == cudaSuccess)
        code = add_loop(g->graph, &condition, &body);
    if (code == cudaSuccess)
        code = cudaStreamBeginCaptureToGraph(trees->on.stream, body, nullptr, nullptr, 0,
                                             cudaStreamCaptureModeRelaxed);
    if (code != cudaSuccess)
        return code;
    trees->on.condition = &condition;
    const gradus_status status = driver_step(trees, nullptr);
    trees->on.condition = nullptr;
    code = cudaStreamEndCapture(trees->on.stream, &body);
    if (code == cudaSuccess && status != GRADUS_OK)
        code = cudaErrorUnknown;
    return code == cudaSuccess ? cudaGraphInstantiate(&g->ready, g->graph, 0) : code;
}

/* The graph of an output; NULL: its arguments are new, or there are no graphs. */
static growth_graph *graph_of(gr_device_trees *trees, size_t output)
{
    growth_graph *g = trees->on.graphs ? &trees->on.graphs[output] : nullptr;

    if (!g)
        return nullptr;
    if (memcmp(&g->data, &trees->data, sizeof g->data) != 0 ||
        memcmp(&g->growth, &trees->growth, sizeof g->growth) != 0) {
        drop_graph(g);
        memcpy(&g->data, &trees->data, sizeof g->data);
        memcpy(&g->growth, &trees->growth, sizeof g->growth);
        return nullptr;
    }
    if (g->ready || make_graph(trees, g) == cudaSuccess)
        return g;
    cudaGetLastError(); /* as with a driver that is too old */
    drop_graphs(trees);
    return nullptr;
}

static gradus_status machine_steps(gr_device_trees *trees, size_t output, size_t steps,
                                   gradus_error *err)
{
    const growth_graph *g = graph_of(trees, output);

    if (g)
        return check(cudaGraphLaunch(g->ready, trees->on.stream), err);
    for (; steps > 0; steps--)
        DRIVER_TRY(driver_step(trees, err));
    return GRADUS_OK;
}

#endif
