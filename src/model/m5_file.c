/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads nodes of model trees (M5). */
#include "model/m5_node.h"

#include "model/model_file.h"
#include "model/forest_node.h"

gradus_status gr_m5_node_write(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_m5 *m5 = &((const gr_m5_node *)state)->m5;
    const gr_forest *forest = &m5->forest;
    const size_t leaves = gr_m5_leaves(m5), terms = (size_t)m5->term_starts[leaves];
    gr_json_writer *facts = gr_model_facts(writer);
    gradus_error found = { GRADUS_OK, "" };

    if (gr_m5_check(m5, &found) != GRADUS_OK)
        return gr_fail(err, found.status == GRADUS_NO_MEMORY ? GRADUS_NO_MEMORY : GRADUS_BAD_NUMBER,
                       "the model cannot be written: %.400s", found.message);
    GR_TRY(gr_forest_put(forest, writer, err));
    gr_json_put_count(facts, "terms", terms);
    GR_TRY(gr_model_add_section(writer, "means", m5->means, forest->features * sizeof *m5->means,
                                err));
    GR_TRY(gr_model_add_section(writer, "intercepts", m5->intercepts,
                                leaves * sizeof *m5->intercepts, err));
    GR_TRY(gr_model_add_section(writer, "term_starts", m5->term_starts,
                                (leaves + 1) * sizeof *m5->term_starts, err));
    GR_TRY(gr_model_add_section(writer, "term_features", m5->term_features,
                                terms * sizeof *m5->term_features, err));
    return gr_model_add_section(writer, "term_factors", m5->term_factors,
                                terms * sizeof *m5->term_factors, err);
}

static gradus_status read_trees(gr_model_reader *reader, gr_m5 *m5, gradus_error *err)
{
    uint64_t leaves, terms;

    *m5 = (gr_m5){ .forest = { .features = 0 } };
    GR_TRY(gr_forest_take(reader, &m5->forest, err));
    GR_TRY(gr_model_read_count(reader, "terms", &terms, err));
    if (terms > UINT64_MAX / 64)
        return gr_model_damaged(reader, err, "too many terms");
    if (m5->forest.trees == 0)
        return gr_model_damaged(reader, err, "it has no trees");
    leaves = m5->forest.starts[m5->forest.trees] + m5->forest.trees;
    GR_TRY(gr_section_as_array(reader, "means", m5->forest.features, sizeof *m5->means, &m5->means,
                               err));
    GR_TRY(gr_section_as_array(reader, "intercepts", leaves, sizeof *m5->intercepts,
                               &m5->intercepts, err));
    GR_TRY(gr_section_as_array(reader, "term_starts", leaves + 1, sizeof *m5->term_starts,
                               &m5->term_starts, err));
    GR_TRY(gr_section_as_array(reader, "term_features", terms, sizeof *m5->term_features,
                               &m5->term_features, err));
    GR_TRY(gr_section_as_array(reader, "term_factors", terms, sizeof *m5->term_factors,
                               &m5->term_factors, err));
    if (m5->term_starts[leaves] != terms)
        return gr_model_damaged(reader, err, "its leaves do not cover the terms");
    return GRADUS_OK;
}

gradus_status gr_m5_node_read(gr_model_reader *reader, size_t features, void **state,
                              gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    gr_m5 m5;
    gr_node node;

    GR_TRY(read_trees(reader, &m5, err));
    if (m5.forest.features != features)
        return gr_model_damaged(reader, err, "trees with %zu features in a model with %zu",
                                m5.forest.features, features);
    const gradus_status status = gr_m5_check(&m5, &found);

    if (status == GRADUS_NO_MEMORY)
        return gr_fail(err, status, "%s", found.message);
    if (status != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    GR_TRY(gr_m5_node_new(&m5, &node, err));
    *state = node.state;
    return GRADUS_OK;
}
