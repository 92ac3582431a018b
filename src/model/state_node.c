/* SPDX-License-Identifier: Apache-2.0 */
/* Learner state that a checkpoint stores besides the model. Scoring ignores it. */
#include "model/state_node.h"

#include "model/model.h"
#include "model/model_reader.h"
#include "model/model_write.h"

#include <stdlib.h>

static size_t none(const void *state)
{
    (void)state;
    return 0;
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    (void)state;
    (void)batch;
    (void)out;
}

static bool takes_sparse(const void *state)
{
    (void)state;
    return true;
}

static void free_state(void *state)
{
    free(((gr_state *)state)->at);
}

gradus_status gr_state_node_new(size_t count, double **at, gr_node *node, gradus_error *err)
{
    gr_state state = { count, gr_new_array(count, sizeof *state.at) };
    double *numbers = state.at;

    if (!numbers)
        return gr_fail_memory(err, "a checkpoint");
    const gradus_status status = gr_node_new(&gr_node_state, &state, node, err);

    free(state.at); /* NULL, unless the node could not be made */
    *at = status == GRADUS_OK ? numbers : NULL;
    return status;
}

const gr_state *gr_model_state(const gradus_model *model)
{
    return gr_model_last(model, &gr_node_state);
}

static gradus_status write_state(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_state *numbers = state;

    gr_json_put_count(gr_model_json(writer), "count", numbers->count);
    return gr_model_add_section(writer, "numbers", GR_F64, numbers->at,
                                numbers->count * sizeof *numbers->at, err);
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void *state,
                                gradus_error *err)
{
    gr_state *numbers = state;
    uint64_t count;

    (void)features;
    GR_TRY(gr_model_read_count(reader, "count", &count, err));
    GR_TRY(gr_model_copy_array(reader, "numbers", count, sizeof *numbers->at, &numbers->at, err));
    numbers->count = (size_t)count;
    return GRADUS_OK;
}

const gr_node_kind gr_node_state = {
    .about = { .name = "state", .summary = "state to resume training from", .details = "" },
    .noun = "training state",
    .size = sizeof(gr_state),
    .columns = none,
    .apply = apply,
    .takes_sparse = takes_sparse,
    .write = write_state,
    .read = read_state,
    .free = free_state,
};
