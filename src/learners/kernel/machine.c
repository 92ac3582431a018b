/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates, copies and checks kernel machines. Each output is one sum in a fixed order, so that it
 * has the same bits for any number of threads, block size and processor. */
#include "learners/kernel/kernel.h"

#include "base/math.h"
#include "data/row_blocks.h"
#include "kernels/gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = GR_MACHINE_CHUNK };

void gr_machine_free(gr_machine *machine)
{
    gr_kernel_rows_free(&machine->rows);
    free(machine->bases);
    free(machine->coefficients);
    *machine = (gr_machine){ .outputs = 0 };
}

static double *copy_of(const double *from, size_t count)
{
    double *copy = gr_new_array(count, sizeof *copy);

    if (copy)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

gradus_status gr_machine_copy(const gr_machine *from, gr_machine *to, gradus_error *err)
{
    uint32_t *all = gr_new_array(from->rows.rows, sizeof *all);
    gradus_status status = GRADUS_OK;

    *to = (gr_machine){ .kernel = from->kernel, .outputs = from->outputs };
    to->bases = copy_of(from->bases, from->outputs);
    to->coefficients = copy_of(from->coefficients, from->outputs * from->rows.rows);
    if (!all || !to->bases || !to->coefficients)
        status = gr_fail_memory(err, "a model");
    for (size_t r = 0; all && r < from->rows.rows; r++)
        all[r] = (uint32_t)r;
    if (status == GRADUS_OK)
        status = gr_kernel_rows_pick(&from->rows, all, from->rows.rows, &to->rows, err);
    if (status != GRADUS_OK)
        gr_machine_free(to);
    free(all);
    return status;
}

static bool floats_finite(const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static bool sparse_is_good(const gr_kernel_rows *rows)
{
    if (rows->starts[0] != 0)
        return false;
    for (size_t r = 0; r < rows->rows; r++) /* check all before any is used */
        if (rows->starts[r] > rows->starts[r + 1])
            return false;
    for (size_t r = 0; r < rows->rows; r++) {
        for (uint64_t e = rows->starts[r]; e < rows->starts[r + 1]; e++)
            if (rows->columns[e] >= rows->features ||
                (e > rows->starts[r] && rows->columns[e] <= rows->columns[e - 1]))
                return false;
    }
    return true;
}

gradus_status gr_machine_check(const gr_machine *machine, gradus_error *err)
{
    const gr_kernel_rows *rows = &machine->rows;
    const size_t strips = (rows->rows + GR_DOT - 1) / GR_DOT;

    if (!gr_kernel_is_good(&machine->kernel))
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the bandwidth, degree or coef0 of its kernel is out of range");
    if (!rows->strips && !sparse_is_good(rows))
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the offsets or columns of its support rows are out of order");
    if (!floats_finite(rows->means, rows->features) ||
        (rows->strips ? !floats_finite(rows->strips, strips * GR_DOT * rows->features)
                      : !floats_finite(rows->entries, (size_t)rows->starts[rows->rows])))
        return gr_fail(err, GRADUS_BAD_NUMBER, "a value of a support row is not finite");
    if (!gr_all_finite(machine->bases, machine->outputs) ||
        !gr_all_finite(machine->coefficients, machine->outputs * rows->rows))
        return gr_fail(err, GRADUS_BAD_NUMBER, "a coefficient is not finite");
    return GRADUS_OK;
}

size_t gr_machine_scratch(const gr_machine *machine)
{
    return gr_kernel_scratch(&machine->rows) + (size_t)CHUNK * GR_DOT;
}

/* Evaluates one block of at most GR_DOT rows. */
static void run_few(const gr_machine *machine, const float *values, size_t count, size_t stride,
                    double *out, size_t stride_out, double *scratch)
{
    const gr_kernel_rows *rows = &machine->rows;
    gr_dot_kernel *dot = gr_gram_here()->dot;
    double *made = scratch + gr_kernel_scratch(rows);

    for (size_t k = 0; k < machine->outputs; k++)
        for (size_t i = 0; i < count; i++)
            out[k * stride_out + i] = machine->bases[k];
    for (size_t from = 0; from < rows->rows; from += CHUNK) {
        const size_t to = rows->rows - from < CHUNK ? rows->rows : from + CHUNK;

        gr_kernel_block(&machine->kernel, rows, values, count, stride, from, to, made, CHUNK,
                        scratch);
        for (size_t k = 0; k < machine->outputs; k++)
            for (size_t i = 0; i < count; i++)
                out[k * stride_out + i] +=
                    dot(machine->coefficients + k * rows->rows + from, made + i * CHUNK, to - from);
    }
}

void gr_machine_run(const gr_machine *machine, const float *values, size_t rows, size_t stride,
                    double *out, size_t stride_out, double *scratch)
{
    for (size_t r = 0; r < rows; r += GR_DOT)
        run_few(machine, values + r * stride, rows - r < GR_DOT ? rows - r : GR_DOT, stride,
                out + r, stride_out, scratch);
}

typedef struct adding {
    const gr_machine *machine;
    double *sums;
} adding;

static void add_block(void *argument, const gr_row_block *block)
{
    const adding *work = argument;
    double *scratch = block->scratch, *out = scratch + gr_machine_scratch(work->machine);

    gr_machine_run(work->machine, block->values, block->rows, block->stride, out, block->rows,
                   scratch);
    gr_row_block_add(block, out, work->machine->outputs, work->sums);
}

gradus_status gr_machine_add(const gr_machine *machine, const gradus_dataset *data, double *sums,
                             gr_pool *pool, gradus_error *err)
{
    const size_t usual = gr_block_rows(machine->rows.features), rows = usual < 64 ? usual : 64;
    const gr_row_loop loop = {
        .arrays = &data->arrays,
        .features = machine->rows.features,
        .rows = rows,
        .scratch = (gr_machine_scratch(machine) + rows * machine->outputs) * sizeof(double),
    };
    adding work = { machine, sums };

    return gr_for_row_blocks(pool, &loop, add_block, &work, err);
}
