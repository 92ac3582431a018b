/* SPDX-License-Identifier: Apache-2.0 */
/* Learner state that a checkpoint stores besides the model. Scoring ignores it. */
#include "model/model_file.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static size_t none(const void *state)
{
    (void)state;
    return 0;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)rows;
    return none(state);
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
    gr_state *numbers = state;

    if (numbers)
        free(numbers->at);
    free(numbers);
}

gradus_status gr_state_node_new(size_t count, double **at, gr_node *node, gradus_error *err)
{
    gr_state *state = malloc(sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a checkpoint");
    *state = (gr_state){ count, gr_new_array(count, sizeof *state->at) };
    if (!state->at) {
        free(state);
        return gr_fail_memory(err, "a checkpoint");
    }
    *at = state->at;
    *node = (gr_node){ .kind = &gr_node_state, .state = state };
    return GRADUS_OK;
}

static gradus_status write_state(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_state *numbers = state;

    gr_json_put_count(gr_model_facts(writer), "count", numbers->count);
    return gr_model_add_section(writer, "numbers", numbers->at,
                                numbers->count * sizeof *numbers->at, err);
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void **state,
                                gradus_error *err)
{
    uint64_t count;
    const void *bytes;
    double *at = NULL;
    gr_node node = { .kind = NULL };

    (void)features;
    GR_TRY(gr_model_read_count(reader, "count", &count, err));
    GR_TRY(gr_model_read_section(reader, "numbers", count, sizeof *at, &bytes, err));
    GR_TRY(gr_state_node_new((size_t)count, &at, &node, err));
    memcpy(at, bytes, (size_t)count * sizeof *at);
    *state = node.state;
    return GRADUS_OK;
}

const gr_node_kind gr_node_state = {
    .about = { .name = "state", .summary = "state to resume training from", .details = "" },
    .noun = "training state",
    .columns = none,
    .scratch = scratch,
    .apply = apply,
    .takes_sparse = takes_sparse,
    .write = write_state,
    .read = read_state,
    .free = free_state,
};
