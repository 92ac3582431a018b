/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel nodes: run, write, read and describe kernel expansions over support rows. */
#include "model/kernel_node.h"

#include "model/model_reader.h"
#include "model/model_write.h"

#include <string.h>

static size_t columns(const void *state)
{
    return ((const gr_machine *)state)->outputs;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)rows;
    return gr_machine_scratch(state) * sizeof(double);
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_machine_run(state, batch->values, batch->rows, batch->stride, out, batch->rows,
                   batch->scratch);
}

static void free_state(void *state)
{
    gr_machine_free(state);
}

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
            writer, "strips", GR_F32, rows->strips,
            (size_t)strip_floats(rows->rows, rows->features) * sizeof *rows->strips, err);
    GR_TRY(gr_model_add_section(writer, "row_starts", GR_U64, rows->starts,
                                (rows->rows + 1) * sizeof *rows->starts, err));
    GR_TRY(gr_model_add_section(writer, "columns", GR_U32, rows->columns,
                                entries * sizeof *rows->columns, err));
    return gr_model_add_section(writer, "entries", GR_F32, rows->entries,
                                entries * sizeof *rows->entries, err);
}

static gradus_status write_machine(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_machine *machine = state;
    const gr_kernel_rows *rows = &machine->rows;
    gr_json_writer *facts = gr_model_json(writer);

    gr_json_put_text(facts, "kernel", gr_kernel_names[machine->kernel.kind]);
    gr_json_put_number(facts, "bandwidth", machine->kernel.bandwidth);
    gr_json_put_count(facts, "degree", machine->kernel.degree);
    gr_json_put_number(facts, "coef0", machine->kernel.coef0);
    gr_json_put_count(facts, "features", rows->features);
    gr_json_put_count(facts, "outputs", machine->outputs);
    gr_json_put_count(facts, "rows", rows->rows);
    gr_json_put_flag(facts, "sparse", !rows->strips);
    gr_json_put_count(facts, "entries", rows->strips ? 0 : rows->starts[rows->rows]);
    GR_TRY(gr_model_add_section(writer, "means", GR_F32, rows->means,
                                rows->features * sizeof(float), err));
    GR_TRY(write_rows(rows, writer, err));
    GR_TRY(gr_model_add_section(writer, "bases", GR_F64, machine->bases,
                                machine->outputs * sizeof(double), err));
    return gr_model_add_section(writer, "coefficients", GR_F64, machine->coefficients,
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

static gradus_status read_rows(gr_model_reader *reader, gr_kernel_rows *rows, gradus_error *err)
{
    uint64_t entries;
    bool sparse;

    if (!gr_json_flag(gr_json_find(reader->facts, "sparse"), &sparse))
        return gr_model_damaged(reader, err, "it does not state whether its rows are sparse");
    GR_TRY(gr_model_read_count(reader, "entries", &entries, err));
    GR_TRY(gr_model_copy_array(reader, "means", rows->features, sizeof(float), &rows->means, err));
    if (!sparse)
        return gr_model_copy_array(reader, "strips", strip_floats(rows->rows, rows->features),
                                   sizeof(float), &rows->strips, err);
    if (entries > UINT64_MAX / 64)
        return gr_model_damaged(reader, err, "too many support rows");
    GR_TRY(gr_model_copy_array(reader, "row_starts", rows->rows + 1, sizeof(uint64_t),
                               &rows->starts, err));
    if (rows->starts[rows->rows] != entries)
        return gr_model_damaged(reader, err, "its rows do not cover the entries");
    GR_TRY(gr_model_copy_array(reader, "columns", entries, sizeof(uint32_t), &rows->columns, err));
    return gr_model_copy_array(reader, "entries", entries, sizeof(float), &rows->entries, err);
}

static gradus_status read_machine(gr_model_reader *reader, size_t features, void *state,
                                  gradus_error *err)
{
    gr_machine *machine = state;
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
    GR_TRY(gr_model_copy_array(reader, "bases", outputs, sizeof(double), &machine->bases, err));
    return gr_model_copy_array(reader, "coefficients", outputs * rows, sizeof(double),
                               &machine->coefficients, err);
}

static gradus_status check(const void *state, gradus_error *err)
{
    return gr_machine_check(state, err);
}

/* The norms of the rows are not in the file; machines from training have them. */
static gradus_status prepare(void *state, gradus_error *err)
{
    gr_kernel_rows *rows = &((gr_machine *)state)->rows;

    return rows->squares ? GRADUS_OK : gr_kernel_rows_finish(rows, err);
}

gradus_status gr_kernel_node_new(gr_machine *machine, gr_node *node, gradus_error *err)
{
    return gr_node_new(&gr_node_kernel, machine, node, err);
}

static size_t support_rows(const void *state)
{
    return ((const gr_machine *)state)->rows.rows;
}

static const gr_node_size sizes[] = {
    { "support_rows", "support row", "support rows", NULL, support_rows },
    { NULL, NULL, NULL, NULL, NULL },
};

static bool fact_at(const void *state, size_t index, gradus_model_fact *fact)
{
    static const char *const lines[] = {
        "gaussian, bandwidth {kernel.bandwidth}; {kernel.support_rows}",
        "polynomial, degree {kernel.degree}, coef0 {kernel.coef0}; {kernel.support_rows}",
        "linear; {kernel.support_rows}"
    };
    const gr_machine *machine = state;
    const gr_kernel *kernel = &machine->kernel;
    const bool sparse = !machine->rows.strips;
    const gradus_model_fact all[] = {
        GR_TEXT_FACT("kernel.name", gr_kernel_names[kernel->kind]),
        GR_NUMBER_FACT("kernel.bandwidth", kernel->bandwidth),
        GR_COUNT_FACT("kernel.degree", kernel->degree, NULL, NULL),
        GR_NUMBER_FACT("kernel.coef0", kernel->coef0),
        GR_COUNT_FACT("kernel.support_rows", machine->rows.rows,
                      sparse ? "sparse support row" : "support row",
                      sparse ? "sparse support rows" : "support rows"),
        GR_FLAG_FACT("kernel.sparse", sparse),
        GR_LINE_FACT("kernel", lines[kernel->kind]),
    };

    return GR_FACT_AT(all, index, fact);
}

const gr_node_kind gr_node_kernel = {
    .about = { .name = "kernel",
               .summary = "kernel expansions over support rows, one per output",
               .details = "" },
    .noun = "kernel machine",
    .size = sizeof(gr_machine),
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .write = write_machine,
    .read = read_machine,
    .check = check,
    .prepare = prepare,
    .free = free_state,
    .sizes = sizes,
    .fact = fact_at,
};
