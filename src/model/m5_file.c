#include "model/m5_node.h"

#include "model/file.h"

/* The forest's own sections are as those of a forest (forest_file.c). */
static gradus_status write_forest(const gr_forest *forest, gr_model_writer *writer,
                                  gradus_error *err)
{
    const size_t splits = (size_t)forest->starts[forest->trees], leaves = splits + forest->trees;

    GR_TRY(gr_model_add_section(writer, "starts", forest->starts,
                                (forest->trees + 1) * sizeof *forest->starts, err));
    GR_TRY(gr_model_add_section(writer, "splits", forest->splits, splits * sizeof *forest->splits,
                                err));
    GR_TRY(gr_model_add_section(writer, "leaves", forest->leaves, leaves * sizeof *forest->leaves,
                                err));
    return gr_model_add_section(writer, "covers", forest->covers, leaves * sizeof *forest->covers,
                                err);
}

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
    gr_json_put_count(facts, "features", forest->features);
    gr_json_put_count(facts, "outputs", forest->outputs);
    gr_json_put_count(facts, "trees", forest->trees);
    gr_json_put_count(facts, "splits", leaves - forest->trees);
    gr_json_put_count(facts, "terms", terms);
    GR_TRY(gr_model_add_section(writer, "bases", forest->bases,
                                forest->outputs * sizeof *forest->bases, err));
    GR_TRY(write_forest(forest, writer, err));
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

/* A section as an array of the trees, which never write to it: their rooms are 0. */
static gradus_status point_at(gr_model_reader *reader, const char *name, uint64_t count,
                              size_t item, void *array, gradus_error *err)
{
    const void *bytes;

    GR_TRY(gr_model_read_section(reader, name, count, item, &bytes, err));
    *(void **)array = (void *)(uintptr_t)bytes;
    return GRADUS_OK;
}

/* How many there are of what. */
typedef struct sizes {
    uint64_t features, outputs, trees, splits, terms;
} sizes;

static gradus_status read_sizes(gr_model_reader *reader, sizes *of, gradus_error *err)
{
    GR_TRY(gr_model_read_count(reader, "features", &of->features, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &of->outputs, err));
    GR_TRY(gr_model_read_count(reader, "trees", &of->trees, err));
    GR_TRY(gr_model_read_count(reader, "splits", &of->splits, err));
    GR_TRY(gr_model_read_count(reader, "terms", &of->terms, err));
    if (of->features > UINT32_MAX || of->outputs > UINT32_MAX || of->trees > UINT64_MAX / 64 ||
        of->splits > UINT64_MAX / 64 || of->terms > UINT64_MAX / 64)
        return gr_model_damaged(reader, err, "more trees than can be");
    if (of->trees == 0)
        return gr_model_damaged(reader, err, "there is no tree");
    return GRADUS_OK;
}

static gradus_status read_trees(gr_model_reader *reader, const sizes *of, gr_m5 *m5,
                                gradus_error *err)
{
    const uint64_t leaves = of->splits + of->trees;
    gr_forest *forest = &m5->forest;

    *m5 = (gr_m5){ .forest = { .features = (size_t)of->features,
                               .outputs = (size_t)of->outputs,
                               .trees = (size_t)of->trees } };
    GR_TRY(point_at(reader, "bases", of->outputs, sizeof *forest->bases, &forest->bases, err));
    GR_TRY(point_at(reader, "starts", of->trees + 1, sizeof *forest->starts, &forest->starts, err));
    GR_TRY(point_at(reader, "splits", of->splits, sizeof *forest->splits, &forest->splits, err));
    GR_TRY(point_at(reader, "leaves", leaves, sizeof *forest->leaves, &forest->leaves, err));
    GR_TRY(point_at(reader, "covers", leaves, sizeof *forest->covers, &forest->covers, err));
    GR_TRY(point_at(reader, "means", of->features, sizeof *m5->means, &m5->means, err));
    GR_TRY(point_at(reader, "intercepts", leaves, sizeof *m5->intercepts, &m5->intercepts, err));
    GR_TRY(point_at(reader, "term_starts", leaves + 1, sizeof *m5->term_starts, &m5->term_starts,
                    err));
    GR_TRY(point_at(reader, "term_features", of->terms, sizeof *m5->term_features,
                    &m5->term_features, err));
    return point_at(reader, "term_factors", of->terms, sizeof *m5->term_factors, &m5->term_factors,
                    err);
}

gradus_status gr_m5_node_read(gr_model_reader *reader, size_t features, void **state,
                              gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    sizes of;
    gr_m5 m5;
    gr_node node;

    GR_TRY(read_sizes(reader, &of, err));
    GR_TRY(read_trees(reader, &of, &m5, err));
    if (m5.forest.features != features)
        return gr_model_damaged(reader, err, "trees over %zu features in a model of %zu",
                                m5.forest.features, features);
    if (m5.forest.starts[0] != 0 || m5.forest.starts[of.trees] != of.splits ||
        m5.term_starts[of.splits + of.trees] != of.terms)
        return gr_model_damaged(reader, err, "its trees do not span the splits and terms");
    const gradus_status status = gr_m5_check(&m5, &found);

    if (status == GRADUS_NO_MEMORY)
        return gr_fail(err, status, "%s", found.message);
    if (status != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    GR_TRY(gr_m5_node_new(&m5, &node, err));
    *state = node.state;
    return GRADUS_OK;
}
