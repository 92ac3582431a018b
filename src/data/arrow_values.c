/* SPDX-License-Identifier: Apache-2.0 */
/* Values of Arrow columns as floats and as text. Buffers need not be aligned. */
#include "data/arrow_column.h"

#include "base/text.h"
#include "data/lines.h"

#include <math.h>
#include <string.h>

gradus_status gr_arrow_expected(const gr_arrow_column *column, int64_t row, gradus_status status,
                                const char *what, gradus_error *err)
{
    char name[GR_SHOWN], found[GR_SHOWN], number[GRADUS_NUMBER_SIZE];
    const char *text = NULL;
    size_t length = 0;

    if (gr_arrow_text(column, row, number, &text, &length, err) != GRADUS_OK)
        return GRADUS_BAD_FORMAT; /* the index into the dictionary is wrong */
    gr_show_text(name, column->name, column->name + strlen(column->name));
    if (!text) {
        text = "null";
        length = strlen(text);
    }
    gr_show_text(found, text, text + length);
    return gr_fail(err, status, "Arrow batch %zu, row %lld: expected %s in column '%s', found '%s'",
                   column->batch, (long long)row + 1, what, name, found);
}

/* The bits of a float16: a sign, 5 bits of exponent and 10 of fraction. */
static float from_half(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    float magnitude;

    if (exponent == 31)
        magnitude = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexpf((float)fraction, -24);
    else
        magnitude = ldexpf((float)(fraction | 1024), exponent - 25);
    return half >> 15 ? -magnitude : magnitude;
}

static bool bit_at(const unsigned char *bits, int64_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

static bool is_null(const gr_arrow_values *values, int64_t i)
{
    return values->type->kind == GR_ARROW_NULL ||
           (values->validity && !bit_at(values->validity, values->first + i));
}

/* Item i of a buffer of `type`. */
#define LOAD(type)                                                                                 \
    static inline type load_##type(const unsigned char *items, int64_t i)                          \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        memcpy(&value, items + i * (int64_t)sizeof value, sizeof value);                           \
        return value;                                                                              \
    }
LOAD(int8_t)
LOAD(uint8_t)
LOAD(int16_t)
LOAD(uint16_t)
LOAD(int32_t)
LOAD(uint32_t)
LOAD(int64_t)
LOAD(uint64_t)
LOAD(float)
LOAD(double)
#undef LOAD

/* A whole number: sign and magnitude. */
typedef struct whole {
    bool negative;
    uint64_t magnitude;
} whole;

static whole from_signed(int64_t number)
{
    return (whole){ number < 0, number < 0 ? 0 - (uint64_t)number : (uint64_t)number };
}

/* For bool and integers. */
static whole whole_at(const gr_arrow_values *values, int64_t row)
{
    const int64_t i = values->first + row;

    switch (values->type->kind) {
    case GR_ARROW_BOOL:
        return (whole){ false, bit_at(values->items, i) };
    case GR_ARROW_INT8:
        return from_signed(load_int8_t(values->items, i));
    case GR_ARROW_UINT8:
        return (whole){ false, load_uint8_t(values->items, i) };
    case GR_ARROW_INT16:
        return from_signed(load_int16_t(values->items, i));
    case GR_ARROW_UINT16:
        return (whole){ false, load_uint16_t(values->items, i) };
    case GR_ARROW_INT32:
        return from_signed(load_int32_t(values->items, i));
    case GR_ARROW_UINT32:
        return (whole){ false, load_uint32_t(values->items, i) };
    case GR_ARROW_INT64:
        return from_signed(load_int64_t(values->items, i));
    default:
        return (whole){ false, load_uint64_t(values->items, i) };
    }
}

/* Each case has its own loop, so that the compiler can vectorise it. */
#define CONVERT(expression)                                                                        \
    for (size_t r = 0; r < count; r++) {                                                           \
        const int64_t i = first + (int64_t)r;                                                      \
        to[r * stride] = (float)(expression);                                                      \
    }                                                                                              \
    break

/* Converts values; nulls get any number. Integers are rounded once, to the nearest float. */
static void convert(const gr_arrow_values *values, int64_t from, size_t count, float *to,
                    size_t stride)
{
    const unsigned char *items = values->items;
    const int64_t first = values->first + from;

    switch (values->type->kind) {
    case GR_ARROW_BOOL:
        CONVERT(bit_at(items, i));
    case GR_ARROW_INT8:
        CONVERT(load_int8_t(items, i));
    case GR_ARROW_UINT8:
        CONVERT(load_uint8_t(items, i));
    case GR_ARROW_INT16:
        CONVERT(load_int16_t(items, i));
    case GR_ARROW_UINT16:
        CONVERT(load_uint16_t(items, i));
    case GR_ARROW_INT32:
        CONVERT(load_int32_t(items, i));
    case GR_ARROW_UINT32:
        CONVERT(load_uint32_t(items, i));
    case GR_ARROW_INT64:
        CONVERT(load_int64_t(items, i));
    case GR_ARROW_UINT64:
        CONVERT(load_uint64_t(items, i));
    case GR_ARROW_FLOAT16:
        CONVERT(from_half(load_uint16_t(items, i)));
    case GR_ARROW_FLOAT32:
        CONVERT(load_float(items, i));
    case GR_ARROW_FLOAT64:
        CONVERT(load_double(items, i));
    default: /* null */
        break;
    }
}

/* The item of the dictionary that a row names; -1 for null. */
static gradus_status index_at(const gr_arrow_column *column, int64_t row, int64_t *index,
                              gradus_error *err)
{
    *index = -1;
    if (is_null(&column->rows, row))
        return GRADUS_OK;
    const whole at = whole_at(&column->rows, row);

    if (at.negative || at.magnitude >= (uint64_t)column->dictionary.count) {
        char name[GR_SHOWN];

        gr_show_text(name, column->name, column->name + strlen(column->name));
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "Arrow batch %zu, row %lld: index %s%llu in column '%s' is not in its "
                       "dictionary of %lld",
                       column->batch, (long long)row + 1, at.negative ? "-" : "",
                       (unsigned long long)at.magnitude, name, (long long)column->dictionary.count);
    }
    if (!is_null(&column->dictionary, (int64_t)at.magnitude))
        *index = (int64_t)at.magnitude;
    return GRADUS_OK;
}

static gradus_status decode(const gr_arrow_column *column, int64_t from, size_t count,
                            float *values, size_t stride, gradus_error *err)
{
    for (size_t r = 0; r < count; r++) {
        int64_t index;

        GR_TRY(index_at(column, from + (int64_t)r, &index, err));
        if (index < 0)
            values[r * stride] = NAN;
        else
            convert(&column->dictionary, index, 1, &values[r * stride], 1);
    }
    return GRADUS_OK;
}

gradus_status gr_arrow_floats(const gr_arrow_column *column, int64_t from, size_t count,
                              float *values, size_t stride, gradus_error *err)
{
    const gr_arrow_values *rows = &column->rows;

    if (column->encoded)
        GR_TRY(decode(column, from, count, values, stride, err));
    else
        convert(rows, from, count, values, stride);
    for (size_t r = 0; r < count; r++) {
        if (!column->encoded && is_null(rows, from + (int64_t)r))
            values[r * stride] = NAN;
        else if (isinf(values[r * stride]))
            return gr_arrow_expected(column, from + (int64_t)r, GRADUS_BAD_NUMBER,
                                     "a finite number", err);
    }
    return GRADUS_OK;
}

static const char *view_at(const gr_arrow_values *values, int64_t i, size_t *length)
{
    const unsigned char *at = values->items + i * 16;
    int32_t view[4];

    memcpy(view, at, sizeof view);
    *length = (size_t)view[0];
    return view[0] <= 12 ? (const char *)at + 4 : (const char *)values->buffers[view[2]] + view[3];
}

static const char *text_at(const gr_arrow_values *values, int64_t row, size_t *length)
{
    const int64_t i = values->first + row;
    int64_t start, end;

    if (values->type->kind == GR_ARROW_UTF8_VIEW)
        return view_at(values, i, length);
    if (values->type->kind == GR_ARROW_UTF8) {
        start = load_int32_t(values->items, i);
        end = load_int32_t(values->items, i + 1);
    } else {
        start = load_int64_t(values->items, i);
        end = load_int64_t(values->items, i + 1);
    }
    *length = (size_t)(end - start);
    return *length ? values->bytes + start : "";
}

static size_t number_at(const gr_arrow_values *values, int64_t row, char number[GRADUS_NUMBER_SIZE])
{
    const int64_t i = values->first + row;

    switch (values->type->kind) {
    case GR_ARROW_FLOAT16:
        return gr_format_float(from_half(load_uint16_t(values->items, i)), number);
    case GR_ARROW_FLOAT32:
        return gr_format_float(load_float(values->items, i), number);
    case GR_ARROW_FLOAT64:
        return gr_format_double(load_double(values->items, i), number);
    default: {
        const whole value = whole_at(values, row);

        number[0] = '-';
        return value.negative + gr_format_count(value.magnitude, number + value.negative);
    }
    }
}

gradus_status gr_arrow_text(const gr_arrow_column *column, int64_t row,
                            char number[GRADUS_NUMBER_SIZE], const char **text, size_t *length,
                            gradus_error *err)
{
    const gr_arrow_values *values = column->encoded ? &column->dictionary : &column->rows;
    int64_t index = is_null(&column->rows, row) ? -1 : row;

    if (column->encoded)
        GR_TRY(index_at(column, row, &index, err));
    *text = NULL;
    *length = 0;
    if (index < 0)
        return GRADUS_OK;
    if (gr_arrow_is_text(values->type)) {
        *text = text_at(values, index, length);
    } else {
        *length = number_at(values, index, number);
        *text = number;
    }
    return GRADUS_OK;
}
