/* SPDX-License-Identifier: Apache-2.0 */
/* The options of kernels, and kernel values from dot products. */
#include "learners/kernel/kernel.h"

#include "base/text.h"
#include "data/row_blocks.h"
#include "kernels/sigmoid.h"

#include <math.h>
#include <string.h>

const char *const gr_kernel_names[] = { "gaussian", "polynomial", "linear", NULL };

const gr_param gr_kernel_params[] = {
    GR_PARAM_CHOICE(
        gr_kernel_options, kind, "kernel", "NAME", "gaussian", gr_kernel_names,
        "kernel, crr --landmarks: kernel function: gaussian exp(-|x-z|^2 / (2 bandwidth^2)), "
        "polynomial (x'z + coef0)^degree, linear x'z"),
    GR_PARAM_TEXT(
        gr_kernel_options, bandwidth, "bandwidth", "X", "auto",
        "kernel, crr --landmarks: bandwidth of the gaussian; auto: its square is half the sum of the "
        "features' variances"),
    GR_PARAM_COUNT(gr_kernel_options, degree, "degree", "N", 3, 1, GR_KERNEL_DEGREE,
                   "kernel, crr --landmarks: degree of the polynomial"),
    GR_PARAM_REAL(gr_kernel_options, coef0, "coef0", "X", 1, 0, 1e30,
                  "kernel, crr --landmarks: constant term of the polynomial"),
    GR_PARAM_END,
};

/* The square of a bandwidth in this range and its inverse are normal numbers. */
#define LEAST_BANDWIDTH 1e-100
#define MAX_BANDWIDTH 1e100

bool gr_kernel_is_good(const gr_kernel *kernel)
{
    return kernel->kind >= GR_KERNEL_GAUSSIAN && kernel->kind <= GR_KERNEL_LINEAR &&
           kernel->bandwidth >= LEAST_BANDWIDTH && kernel->bandwidth <= MAX_BANDWIDTH &&
           kernel->degree >= 1 && kernel->degree <= GR_KERNEL_DEGREE && kernel->coef0 >= 0.0 &&
           kernel->coef0 <= 1e30;
}

static double auto_bandwidth(const gr_spread *spreads, size_t features)
{
    double sum = 0.0;

    for (size_t f = 0; f < features; f++)
        sum += spreads[f].count > 0.0 ? spreads[f].squares / spreads[f].count : 0.0;
    sum = sqrt(sum / 2.0);
    return sum >= LEAST_BANDWIDTH && sum <= MAX_BANDWIDTH ? sum : 1.0;
}

gradus_status gr_kernel_choose(const gr_kernel_options *options, const gr_spread *spreads,
                               size_t features, gr_kernel *kernel, gradus_error *err)
{
    const char *text = options->bandwidth, *end = text + strlen(text);

    *kernel = (gr_kernel){ options->kind, 0.0, options->degree, options->coef0 };
    if (strcmp(text, "auto") == 0)
        kernel->bandwidth = auto_bandwidth(spreads, features);
    else if (gr_parse_double(text, end, &kernel->bandwidth) != end)
        kernel->bandwidth = 0.0;
    if (!gr_kernel_is_good(kernel))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'bandwidth' must be a number above 0 (from 1e-100 to 1e100) or 'auto', not "
                       "'%s'",
                       text);
    return GRADUS_OK;
}

static double power(double base, uint64_t degree)
{
    double result = 1.0;

    for (; degree; degree /= 2, base *= base)
        if (degree % 2)
            result *= base;
    return result;
}

/* Turns dot products into kernel values. */
static void finish(const gr_kernel *kernel, double square, const double *squares, double *dots,
                   size_t count)
{
    const double narrow = 1.0 / (2.0 * kernel->bandwidth * kernel->bandwidth);

    if (kernel->kind == GR_KERNEL_POLYNOMIAL)
        for (size_t r = 0; r < count; r++)
            dots[r] = power(dots[r] + kernel->coef0, kernel->degree);
    if (kernel->kind != GR_KERNEL_GAUSSIAN)
        return;
    for (size_t r = 0; r < count; r++) {
        const double distance = (square + squares[r]) - 2.0 * dots[r];

        dots[r] = distance > 0.0 ? distance * narrow : 0.0;
    }
    gr_sigmoid_here()->exp_minus(dots, count, dots);
}

void gr_kernel_one(const gr_kernel *kernel, const gr_kernel_rows *rows, const double *left,
                   double square, size_t from, size_t to, double *out)
{
    const gr_dot_rows right = gr_kernel_dots(rows);

    gr_dot_here()->one(left, &right, from, to, out);
    finish(kernel, square, rows->squares + from, out, to - from);
}

/* GR_DOT rows and their squares. */
size_t gr_kernel_scratch(const gr_kernel_rows *rows)
{
    return (rows->features + 1) * GR_DOT;
}

static double filled(float value, float mean)
{
    return (double)(isfinite(value) ? value : mean);
}

void gr_kernel_block(const gr_kernel *kernel, const gr_kernel_rows *rows, const float *values,
                     size_t count, size_t stride, size_t from, size_t to, double *out,
                     size_t stride_out, double *scratch)
{
    const gr_dot_rows right = gr_kernel_dots(rows);
    const size_t step = count == 1 ? 1 : GR_DOT;
    double *squares = scratch + rows->features * GR_DOT;

    memset(squares, 0, GR_DOT * sizeof *squares);
    if (step > 1)
        memset(scratch, 0, rows->features * GR_DOT * sizeof *scratch);
    for (size_t i = 0; i < count; i++)
        for (size_t f = 0; f < rows->features; f++) {
            const double value = filled(values[i * stride + f], rows->means[f]);

            scratch[f * step + i] = value;
            squares[i] += value * value;
        }
    if (step == 1)
        gr_dot_here()->one(scratch, &right, from, to, out);
    else
        gr_dot_here()->all(scratch, &right, from, to, out, stride_out);
    for (size_t i = 0; i < count; i++)
        finish(kernel, squares[i], rows->squares + from, out + i * stride_out, to - from);
}

typedef struct mapping {
    const gr_kernel *kernel;
    const gr_kernel_rows *rows;
    size_t padded; /* rows, rounded up to whole strips */
    float *out;
} mapping;

static void map_rows(void *argument, const gr_row_block *block)
{
    const mapping *m = argument;
    double *scratch = block->scratch, *made = scratch + gr_kernel_scratch(m->rows);

    gr_kernel_block(m->kernel, m->rows, block->values, block->rows, block->stride, 0, m->rows->rows,
                    made, m->padded, scratch);
    for (size_t i = 0; i < block->rows; i++)
        for (size_t r = 0; r < m->rows->rows; r++)
            m->out[(block->first + i) * m->rows->rows + r] = (float)made[i * m->padded + r];
}

gradus_status gr_kernel_map(const gr_kernel *kernel, const gr_kernel_rows *rows,
                            const gradus_dataset *data, float *out, gr_pool *pool,
                            gradus_error *err)
{
    mapping m = { kernel, rows, (rows->rows + GR_DOT - 1) / GR_DOT * GR_DOT, out };
    const gr_row_loop loop = {
        .arrays = &data->arrays,
        .features = rows->features,
        .rows = GR_DOT,
        .scratch = (gr_kernel_scratch(rows) + m.padded * GR_DOT) * sizeof(double),
    };

    return gr_for_row_blocks(pool, &loop, map_rows, &m, err);
}
