/* SPDX-License-Identifier: Apache-2.0 */
/* Checks columns of the Arrow C data interface
 * (https://arrow.apache.org/docs/format/CDataInterface.html). The structures do not contain the
 * sizes of their buffers: those follow from type, offset and length, which are trusted. */
#include "data/arrow_column.h"

#include "data/lines.h"

#include <stdio.h>
#include <string.h>

static const gr_arrow_type types[] = {
    { "n", "null", GR_ARROW_NULL, 0, 0 },
    { "b", "bool", GR_ARROW_BOOL, 0, 2 },
    { "c", "int8", GR_ARROW_INT8, 1, 2 },
    { "C", "uint8", GR_ARROW_UINT8, 1, 2 },
    { "s", "int16", GR_ARROW_INT16, 2, 2 },
    { "S", "uint16", GR_ARROW_UINT16, 2, 2 },
    { "i", "int32", GR_ARROW_INT32, 4, 2 },
    { "I", "uint32", GR_ARROW_UINT32, 4, 2 },
    { "l", "int64", GR_ARROW_INT64, 8, 2 },
    { "L", "uint64", GR_ARROW_UINT64, 8, 2 },
    { "e", "float16", GR_ARROW_FLOAT16, 2, 2 },
    { "f", "float32", GR_ARROW_FLOAT32, 4, 2 },
    { "g", "float64", GR_ARROW_FLOAT64, 8, 2 },
    { "u", "utf8", GR_ARROW_UTF8, 4, 3 },
    { "U", "large_utf8", GR_ARROW_LARGE_UTF8, 8, 3 },
    { "vu", "utf8_view", GR_ARROW_UTF8_VIEW, 16, 3 },
};

static const gr_arrow_type *type_of(const char *format)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].format, format) == 0)
            return &types[i];
    return NULL;
}

static bool is_index(const gr_arrow_type *type)
{
    return type->kind >= GR_ARROW_INT8 && type->kind <= GR_ARROW_UINT64;
}

static gradus_status read_type(const struct ArrowSchema *schema, const char *name,
                               const gr_arrow_type **type, gradus_error *err)
{
    char shown[GR_SHOWN], column[GR_SHOWN];

    gr_show_text(column, name, name + strlen(name));
    if (!schema->release || !schema->format)
        return gr_fail(err, GRADUS_BAD_FORMAT, "Arrow column '%s': the schema %s", column,
                       schema->release ? "has no format" : "has been released");
    *type = type_of(schema->format);
    gr_show_text(shown, schema->format, schema->format + strlen(schema->format));
    if (!*type)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "Arrow column '%s' has the %s '%s'; supported are numbers, bool, utf8 and "
                       "dictionaries of these",
                       column, shown[0] == '+' ? "nested type" : "type", shown);
    if (schema->n_children != 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "Arrow column '%s' of type %s has %lld children",
                       column, (*type)->name, (long long)schema->n_children);
    return GRADUS_OK;
}

gradus_status gr_arrow_field_read(const struct ArrowSchema *schema, const char *name,
                                  gr_arrow_field *field, gradus_error *err)
{
    char column[GR_SHOWN];

    *field = (gr_arrow_field){ NULL, NULL };
    GR_TRY(read_type(schema, name, &field->type, err));
    if (!schema->dictionary)
        return GRADUS_OK;
    gr_show_text(column, name, name + strlen(name));
    if (!is_index(field->type))
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "Arrow column '%s': the indices of a dictionary are %s, not integers",
                       column, field->type->name);
    GR_TRY(read_type(schema->dictionary, name, &field->values, err));
    if (schema->dictionary->dictionary)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "Arrow column '%s': the values of its dictionary have a dictionary", column);
    return GRADUS_OK;
}

/* "Arrow batch 2, column 'x': " and a problem; the batch itself is column "". */
static gradus_status wrong(const gr_arrow_column *column, gradus_error *err, const char *problem)
{
    char name[GR_SHOWN];

    gr_show_text(name, column->name, column->name + strlen(column->name));
    if (!name[0])
        return gr_fail(err, GRADUS_BAD_FORMAT, "Arrow batch %zu: %s", column->batch, problem);
    return gr_fail(err, GRADUS_BAD_FORMAT, "Arrow batch %zu, column '%s': %s", column->batch, name,
                   problem);
}

static gradus_status wrong_number(const gr_arrow_column *column, gradus_error *err,
                                  const char *problem, long long found)
{
    char text[120];

    snprintf(text, sizeof text, "%s %lld", problem, found);
    return wrong(column, err, text);
}

gradus_status gr_arrow_check(const gr_arrow_column *column, const struct ArrowArray *array,
                             int64_t buffers, int64_t children, gradus_error *err)
{
    const int64_t most = INT64_MAX / 16; /* so that sizes in bytes do not overflow */

    if (!array || !array->release)
        return wrong(column, err, "the array is missing or has been released");
    if (array->length < 0 || array->length > most)
        return wrong_number(column, err, "the length is", array->length);
    if (array->offset < 0 || array->offset > most - array->length)
        return wrong_number(column, err, "the offset is", array->offset);
    if (array->null_count < -1 || array->null_count > array->length)
        return wrong_number(column, err, "the null count is", array->null_count);
    if (array->n_buffers != buffers)
        return wrong_number(column, err, "the number of buffers is", array->n_buffers);
    if (buffers > 0 && !array->buffers)
        return wrong(column, err, "the list of buffers is missing");
    if (array->n_children != children)
        return wrong_number(column, err, "the number of children is", array->n_children);
    if (children > 0 && !array->children)
        return wrong(column, err, "the list of children is missing");
    if (buffers > 0 && !array->buffers[0] && array->null_count > 0)
        return wrong_number(column, err, "there is no validity bitmap, but the null count is",
                            array->null_count);
    return GRADUS_OK;
}

int64_t gr_arrow_nulls(const unsigned char *validity, int64_t first, int64_t count)
{
    int64_t nulls = 0;

    for (int64_t i = first; i < first + count; i++) {
        if (i % 8 == 0 && i + 8 <= first + count) {
            nulls += 8 - __builtin_popcount(validity[i / 8]);
            i += 7;
        } else {
            nulls += !(validity[i / 8] >> i % 8 & 1);
        }
    }
    return nulls;
}

static int64_t offset_at(const gr_arrow_values *values, int64_t i)
{
    const unsigned char *at = values->items + i * values->type->size;
    int32_t narrow;
    int64_t wide;

    if (values->type->kind == GR_ARROW_UTF8) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static gradus_status check_offsets(const gr_arrow_column *column, const gr_arrow_values *values,
                                   gradus_error *err)
{
    int64_t before = offset_at(values, values->first);
    const int64_t start = before;

    if (before < 0)
        return wrong_number(column, err, "a text offset is", before);
    for (int64_t i = 1; i <= values->count; i++) {
        const int64_t next = offset_at(values, values->first + i);

        if (next < before)
            return wrong_number(column, err, "text offsets decrease to", next);
        before = next;
    }
    if (before > start && !values->bytes)
        return wrong_number(column, err, "there is no buffer of text, but offsets reach", before);
    return GRADUS_OK;
}

/* A view is a length and, for texts of more than 12 bytes, a prefix, a buffer and an offset. */
static gradus_status check_view(const gr_arrow_column *column, const gr_arrow_values *values,
                                int64_t i, gradus_error *err)
{
    int32_t view[4];
    int64_t size;

    memcpy(view, values->items + i * (int64_t)sizeof view, sizeof view);
    if (view[0] < 0)
        return wrong_number(column, err, "the length of a text is", view[0]);
    if (view[0] <= 12)
        return GRADUS_OK;
    if (view[2] < 0 || view[2] >= values->buffer_count)
        return wrong_number(column, err, "a text is in data buffer", view[2]);
    memcpy(&size, values->sizes + view[2] * (int64_t)sizeof size, sizeof size);
    if (view[3] < 0 || (int64_t)view[3] + view[0] > size)
        return wrong_number(column, err, "a text is outside its data buffer, at", view[3]);
    if (!values->buffers[view[2]])
        return wrong_number(column, err, "there is no data buffer", view[2]);
    return GRADUS_OK;
}

static bool is_valid(const gr_arrow_values *values, int64_t i)
{
    return !values->validity || (values->validity[i / 8] >> i % 8 & 1);
}

static gradus_status check_texts(const gr_arrow_column *column, const gr_arrow_values *values,
                                 gradus_error *err)
{
    if (values->count == 0 || !values->items || !gr_arrow_is_text(values->type))
        return GRADUS_OK;
    if (values->type->kind != GR_ARROW_UTF8_VIEW)
        return check_offsets(column, values, err);
    for (int64_t i = values->first; i < values->first + values->count; i++)
        if (is_valid(values, i)) /* the view of a null may have any content */
            GR_TRY(check_view(column, values, i, err));
    return GRADUS_OK;
}

/* The null count of the array must agree with the bitmap; of a part it is an upper bound. */
static gradus_status check_nulls(const gr_arrow_column *column, const struct ArrowArray *array,
                                 const gr_arrow_values *values, gradus_error *err)
{
    if (!values->validity || array->null_count < 0)
        return GRADUS_OK;
    const int64_t nulls = gr_arrow_nulls(values->validity, values->first, values->count);

    if (nulls > array->null_count || (nulls < array->null_count && values->count == array->length))
        return wrong_number(column, err,
                            "the validity bitmap disagrees with the null count, which is",
                            array->null_count);
    return GRADUS_OK;
}

static gradus_status set_buffers(const gr_arrow_column *column, const struct ArrowArray *array,
                                 gr_arrow_values *values, gradus_error *err)
{
    const gr_arrow_type *type = values->type;

    if (type->buffers == 0)
        return GRADUS_OK;
    values->validity = array->buffers[0];
    values->items = array->buffers[1];
    if (values->count > 0 && !values->items)
        return wrong(column, err, "the buffer of values is missing");
    if (type->kind == GR_ARROW_UTF8_VIEW) {
        values->buffer_count = array->n_buffers - 3;
        values->buffers = array->buffers + 2;
        values->sizes = array->buffers[array->n_buffers - 1];
        if (values->buffer_count > 0 && !values->sizes)
            return wrong(column, err, "the sizes of the data buffers are missing");
    } else if (type->buffers == 3) {
        values->bytes = array->buffers[2];
    }
    return GRADUS_OK;
}

/* Sets the values of rows [first, first + count) of an array. */
static gradus_status set_values(const gr_arrow_column *column, const struct ArrowArray *array,
                                const gr_arrow_type *type, int64_t first, int64_t count,
                                gr_arrow_values *values, gradus_error *err)
{
    int64_t buffers = type->buffers;

    if (type->kind == GR_ARROW_UTF8_VIEW && array && array->n_buffers > buffers)
        buffers = array->n_buffers; /* as many as the producer likes */
    GR_TRY(gr_arrow_check(column, array, buffers, 0, err));
    if (array->length < first || array->length - first < count)
        return wrong_number(column, err, "the column is shorter than the batch; its length is",
                            array->length);
    *values = (gr_arrow_values){ .type = type, .first = array->offset + first, .count = count };
    GR_TRY(set_buffers(column, array, values, err));
    GR_TRY(check_nulls(column, array, values, err));
    if (array->null_count == 0)
        values->validity = NULL;
    return check_texts(column, values, err);
}

gradus_status gr_arrow_column_set(gr_arrow_column *column, const struct ArrowArray *array,
                                  const gr_arrow_field *field, int64_t first, int64_t count,
                                  gradus_error *err)
{
    column->encoded = field->values != NULL;
    GR_TRY(set_values(column, array, field->type, first, count, &column->rows, err));
    if (!column->encoded != !array->dictionary)
        return wrong(column, err,
                     column->encoded ? "the dictionary is missing"
                                     : "there is a dictionary, but not in the schema");
    if (!column->encoded)
        return GRADUS_OK;
    if (array->dictionary->length < 0) /* its length is used before the check */
        return wrong_number(column, err, "the length of the dictionary is",
                            array->dictionary->length);
    return set_values(column, array->dictionary, field->values, 0, array->dictionary->length,
                      &column->dictionary, err);
}
