/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and frees nodes of any kind. */
#include "model/node.h"

#include <stdlib.h>
#include <string.h>

gradus_status gr_node_new(const gr_node_kind *kind, void *state, gr_node *node, gradus_error *err)
{
    void *own = malloc(kind->size);
    gradus_status status = own ? GRADUS_OK : gr_fail_memory(err, "a model");

    if (own)
        memcpy(own, state, kind->size);
    if (own && kind->prepare)
        status = kind->prepare(own, err);
    if (status != GRADUS_OK) {
        free(own);
        return status;
    }
    memset(state, 0, kind->size);
    *node = (gr_node){ .kind = kind, .state = own };
    return GRADUS_OK;
}

void gr_node_free_state(gr_node *node)
{
    if (!node->borrowed && node->state) {
        if (node->kind->free)
            node->kind->free(node->state);
        free(node->state);
    }
    node->state = NULL;
}

void gr_node_free(gr_node *node)
{
    gr_fitted_transform *transform = (gr_fitted_transform *)(uintptr_t)node->transform;

    gr_node_free_state(node);
    if (node->owns_transform && transform) {
        gr_fitted_transform_free(transform);
        free(transform);
    }
    if (node->owns_columns)
        free((uint32_t *)(uintptr_t)node->columns);
    node->transform = NULL;
    node->columns = NULL;
}

bool gr_node_takes_rows(const gr_node *node)
{
    return !node->kind->takes && node->kind != &gr_node_state;
}

void gr_node_borrow(gr_node *node)
{
    node->borrowed = true;
    node->owns_transform = false;
    node->owns_columns = false;
}

size_t gr_node_inputs(const gr_node *node)
{
    if (!node->kind->takes)
        return 0;
    return node->kind->members ? node->kind->members(node->state) : 1;
}
