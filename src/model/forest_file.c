/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads forest nodes, and the trees of other kinds of nodes. */
#include "model/forest_node.h"

#include "model/model_file.h"

#include <stdlib.h>

_Static_assert(sizeof(gr_split) == 24, "splits are stored as they are in memory");

static uint64_t splits_of(const gr_forest *forest)
{
    return forest->starts[forest->trees];
}

gradus_status gr_forest_put(const gr_forest *forest, gr_model_writer *writer, gradus_error *err)
{
    const size_t splits = (size_t)splits_of(forest), leaves = splits + forest->trees;
    gr_json_writer *facts = gr_model_facts(writer);

    gr_json_put_count(facts, "features", forest->features);
    gr_json_put_count(facts, "outputs", forest->outputs);
    gr_json_put_count(facts, "trees", forest->trees);
    gr_json_put_count(facts, "splits", splits);
    GR_TRY(gr_model_add_section(writer, "bases", forest->bases,
                                forest->outputs * sizeof *forest->bases, err));
    GR_TRY(gr_model_add_section(writer, "starts", forest->starts,
                                (forest->trees + 1) * sizeof *forest->starts, err));
    GR_TRY(gr_model_add_section(writer, "splits", forest->splits, splits * sizeof *forest->splits,
                                err));
    GR_TRY(gr_model_add_section(writer, "leaves", forest->leaves, leaves * sizeof *forest->leaves,
                                err));
    return gr_model_add_section(writer, "covers", forest->covers, leaves * sizeof *forest->covers,
                                err);
}

gradus_status gr_forest_node_write(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_forest *forest = &((const gr_forest_node *)state)->forest;
    gradus_error found = { GRADUS_OK, "" };

    if (gr_forest_check(forest, &found) != GRADUS_OK)
        return gr_fail(err, found.status == GRADUS_NO_MEMORY ? GRADUS_NO_MEMORY : GRADUS_BAD_NUMBER,
                       "the model cannot be written: %.400s", found.message);
    return gr_forest_put(forest, writer, err);
}

gradus_status gr_section_as_array(gr_model_reader *reader, const char *name, uint64_t count,
                                  size_t item, void *array, gradus_error *err)
{
    const void *bytes;

    GR_TRY(gr_model_read_section(reader, name, count, item, &bytes, err));
    *(void **)array = (void *)(uintptr_t)bytes;
    return GRADUS_OK;
}

gradus_status gr_forest_take(gr_model_reader *reader, gr_forest *forest, gradus_error *err)
{
    uint64_t features, outputs, trees, splits;
    void *bases, *starts, *all_splits, *leaves, *covers;

    GR_TRY(gr_model_read_count(reader, "features", &features, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    GR_TRY(gr_model_read_count(reader, "trees", &trees, err));
    GR_TRY(gr_model_read_count(reader, "splits", &splits, err));
    if (features > UINT32_MAX || outputs > UINT32_MAX || trees > UINT64_MAX / 64 ||
        splits > UINT64_MAX / 64)
        return gr_model_damaged(reader, err, "too many trees");
    GR_TRY(gr_section_as_array(reader, "bases", outputs, sizeof *forest->bases, &bases, err));
    GR_TRY(gr_section_as_array(reader, "starts", trees + 1, sizeof *forest->starts, &starts, err));
    GR_TRY(gr_section_as_array(reader, "splits", splits, sizeof *forest->splits, &all_splits, err));
    GR_TRY(gr_section_as_array(reader, "leaves", splits + trees, sizeof *forest->leaves, &leaves,
                               err));
    GR_TRY(gr_section_as_array(reader, "covers", splits + trees, sizeof *forest->covers, &covers,
                               err));
    *forest = (gr_forest){ .features = (size_t)features,
                           .outputs = (size_t)outputs,
                           .trees = (size_t)trees,
                           .bases = bases,
                           .starts = starts,
                           .splits = all_splits,
                           .leaves = leaves,
                           .covers = covers };
    if (forest->starts[0] != 0 || splits_of(forest) != splits)
        return gr_model_damaged(reader, err, "its trees do not cover the splits");
    return GRADUS_OK;
}

gradus_status gr_forest_node_read(gr_model_reader *reader, size_t features, void **state,
                                  gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    gr_forest forest;
    gr_node node;

    GR_TRY(gr_forest_take(reader, &forest, err));
    if (forest.features != features)
        return gr_model_damaged(reader, err, "trees with %zu features in a model with %zu",
                                forest.features, features);
    const gradus_status status = gr_forest_check(&forest, &found);

    if (status == GRADUS_NO_MEMORY)
        return gr_fail(err, status, "%s", found.message);
    if (status != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    GR_TRY(gr_forest_node_new(&forest, &node, err));
    *state = node.state;
    return GRADUS_OK;
}
