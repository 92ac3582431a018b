/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads kernel nodes. */
#include "model/kernel_node.h"

#include "model/model_reader.h"

#include <string.h>

/* Floats of dense rows stored in strips of GR_DOT rows. */
static uint64_t strip_floats(uint64_t rows, uint64_t features)
{
    return (rows + GR_DOT - 1) / GR_DOT * GR_DOT * features;
}

static gradus_status write_rows(const gr_kernel_rows *rows, gr_model_writer *writer,
                                gradus_error *err)
{
    const size_t entries = rows->strips ? 0 : (size_t)rows->starts[rows->rows];

    if (rows->strips)
        return gr_model_add_section(
            writer, "strips", rows->strips,
            (size_t)strip_floats(rows->rows, rows->features) * sizeof *rows->strips, err);
    GR_TRY(gr_model_add_section(writer, "row_starts", rows->starts,
                                (rows->rows + 1) * sizeof *rows->starts, err));
    GR_TRY(gr_model_add_section(writer, "columns", rows->columns, entries * sizeof *rows->columns,
                                err));
    return gr_model_add_section(writer, "entries", rows->entries, entries * sizeof *rows->entries,
                                err);
}

gradus_status gr_kernel_node_write(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_machine *machine = state;
    const gr_kernel_rows *rows = &machine->rows;
    gr_json_writer *facts = gr_model_facts(writer);
    gradus_error found = { GRADUS_OK, "" };

    if (gr_machine_check(machine, &found) != GRADUS_OK)
        return gr_fail(err, GRADUS_BAD_NUMBER, "the model cannot be written: %.400s",
                       found.message);
    gr_json_put_text(facts, "kernel", gr_kernel_names[machine->kernel.kind]);
    gr_json_put_number(facts, "bandwidth", machine->kernel.bandwidth);
    gr_json_put_count(facts, "degree", machine->kernel.degree);
    gr_json_put_number(facts, "coef0", machine->kernel.coef0);
    gr_json_put_count(facts, "features", rows->features);
    gr_json_put_count(facts, "outputs", machine->outputs);
    gr_json_put_count(facts, "rows", rows->rows);
    gr_json_put_flag(facts, "sparse", !rows->strips);
    gr_json_put_count(facts, "entries", rows->strips ? 0 : rows->starts[rows->rows]);
    GR_TRY(gr_model_add_section(writer, "means", rows->means, rows->features * sizeof(float), err));
    GR_TRY(write_rows(rows, writer, err));
    GR_TRY(gr_model_add_section(writer, "bases", machine->bases, machine->outputs * sizeof(double),
                                err));
    return gr_model_add_section(writer, "coefficients", machine->coefficients,
                                machine->outputs * rows->rows * sizeof(double), err);
}

static gradus_status read_kernel(gr_model_reader *reader, gr_kernel *kernel, gradus_error *err)
{
    const char *name;

    if (!gr_json_text(gr_json_find(reader->facts, "kernel"), &name) ||
        !gr_json_number(gr_json_find(reader->facts, "bandwidth"), &kernel->bandwidth) ||
        !gr_json_number(gr_json_find(reader->facts, "coef0"), &kernel->coef0))
        return gr_model_damaged(reader, err, "its kernel is missing");
    GR_TRY(gr_model_read_count(reader, "degree", &kernel->degree, err));
    for (kernel->kind = 0; gr_kernel_names[kernel->kind]; kernel->kind++)
        if (strcmp(gr_kernel_names[kernel->kind], name) == 0)
            return GRADUS_OK;
    return gr_model_damaged(reader, err, "unknown kernel '%.40s'", name);
}

/* A copy of a section in allocated memory. */
static gradus_status copy_section(gr_model_reader *reader, const char *name, uint64_t count,
                                  size_t item, void *array, gradus_error *err)
{
    const void *bytes;
    void *copy;

    GR_TRY(gr_model_read_section(reader, name, count, item, &bytes, err));
    copy = gr_new_array((size_t)count, item);
    if (!copy)
        return gr_fail_memory(err, "a model");
    memcpy(copy, bytes, (size_t)count * item);
    *(void **)array = copy;
    return GRADUS_OK;
}

static gradus_status read_rows(gr_model_reader *reader, gr_kernel_rows *rows, gradus_error *err)
{
    uint64_t entries;
    bool sparse;

    if (!gr_json_flag(gr_json_find(reader->facts, "sparse"), &sparse))
        return gr_model_damaged(reader, err, "it does not state whether its rows are sparse");
    GR_TRY(gr_model_read_count(reader, "entries", &entries, err));
    GR_TRY(copy_section(reader, "means", rows->features, sizeof(float), &rows->means, err));
    if (!sparse)
        return copy_section(reader, "strips", strip_floats(rows->rows, rows->features),
                            sizeof(float), &rows->strips, err);
    if (entries > UINT64_MAX / 64)
        return gr_model_damaged(reader, err, "too many support rows");
    GR_TRY(
        copy_section(reader, "row_starts", rows->rows + 1, sizeof(uint64_t), &rows->starts, err));
    if (rows->starts[rows->rows] != entries)
        return gr_model_damaged(reader, err, "its rows do not cover the entries");
    GR_TRY(copy_section(reader, "columns", entries, sizeof(uint32_t), &rows->columns, err));
    return copy_section(reader, "entries", entries, sizeof(float), &rows->entries, err);
}

static gradus_status read_machine(gr_model_reader *reader, size_t features, gr_machine *machine,
                                  gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    uint64_t own, outputs, rows;

    GR_TRY(read_kernel(reader, &machine->kernel, err));
    GR_TRY(gr_model_read_count(reader, "features", &own, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    GR_TRY(gr_model_read_count(reader, "rows", &rows, err));
    if (own != features)
        return gr_model_damaged(reader, err, "rows with %llu features in a model with %zu",
                                (unsigned long long)own, features);
    if (outputs > UINT16_MAX || rows >= UINT32_MAX)
        return gr_model_damaged(reader, err, "too many support rows");
    machine->rows.features = features;
    machine->rows.rows = (size_t)rows;
    machine->outputs = (size_t)outputs;
    GR_TRY(read_rows(reader, &machine->rows, err));
    GR_TRY(copy_section(reader, "bases", outputs, sizeof(double), &machine->bases, err));
    GR_TRY(copy_section(reader, "coefficients", outputs * rows, sizeof(double),
                        &machine->coefficients, err));
    if (gr_machine_check(machine, &found) != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    return gr_kernel_rows_finish(&machine->rows, err);
}

gradus_status gr_kernel_node_read(gr_model_reader *reader, size_t features, void **state,
                                  gradus_error *err)
{
    gr_machine machine = { .outputs = 0 };
    gr_node node;
    gradus_status status = read_machine(reader, features, &machine, err);

    if (status == GRADUS_OK)
        status = gr_kernel_node_new(&machine, &node, err);
    if (status == GRADUS_OK)
        *state = node.state;
    else
        gr_machine_free(&machine);
    return status;
}
