/* SPDX-License-Identifier: Apache-2.0 */
/* Builds models from the nodes of other models. */
#include "pipeline/calibrate.h"

#include <stdlib.h>

gradus_model *gr_model_wrap(const gradus_model *model, gr_scorer *scorer, gradus_error *err)
{
    gradus_model *made = malloc(sizeof *made);

    if (!made) {
        gr_scorer_free(scorer);
        gr_fail_memory(err, "a model");
        return NULL;
    }
    *made = *model;
    made->is_view = true;
    made->node_count = 0;
    made->nodes = NULL;
    made->scorer = *scorer;
    return made;
}

gradus_status gr_model_borrow(gradus_model *to, const gradus_model *from, size_t *last,
                              gradus_error *err)
{
    const size_t first = to->node_count;

    for (size_t n = 0; n < from->node_count; n++) {
        gr_node node = from->nodes[n];

        gr_node_borrow(&node);
        if (from->transform.transform && !to->transform.transform && node.input_count == 0)
            node.transform = &from->transform;
        for (size_t i = 0; i < node.input_count; i++)
            node.inputs[i] += first;
        GR_TRY(gr_model_add_node(to, &node, err));
    }
    *last = to->node_count - 1;
    return GRADUS_OK;
}

gradus_status gr_model_append(gradus_model *to, gr_node *node, const size_t *inputs, size_t count,
                              gradus_error *err)
{
    for (size_t i = 0; i < count; i++)
        node->inputs[i] = inputs[i];
    node->input_count = count;
    if (gr_model_add_node(to, node, err) == GRADUS_OK)
        return GRADUS_OK;
    node->kind->free(node->state);
    return GRADUS_NO_MEMORY;
}

gradus_status gr_levels_of(const gr_scorer *scorer, const gradus_dataset *data, uint8_t *level_of,
                           gradus_error *err)
{
    for (size_t r = 0; r < data->arrays.rows; r++) {
        size_t l = 0;

        while (l < scorer->levels && scorer->level_labels[l] != (double)data->arrays.labels[r])
            l++;
        if (l == scorer->levels)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "row %llu has label %g, which is not one of the model's grades",
                           (unsigned long long)(data->file_rows ? data->file_rows[r] : r) + 1,
                           (double)data->arrays.labels[r]);
        level_of[r] = (uint8_t)l;
    }
    return GRADUS_OK;
}
