/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow streams. The input describes a schema and batches in a small format of its own, byte by
 * byte. Every buffer is allocated with exactly the size that type, offset and length require, so
 * that the address sanitizer finds accesses which the specification does not allow, also after a
 * release. Damaged fields have values that must be refused before buffers are used. */
#include "fuzz_target.h"

#include "data/dataset.h"

#include <errno.h>
#include <math.h>

enum { COLUMNS = 8, BATCHES = 4, ROWS = 32, OFFSETS = 12, BUFFERS = 5 };

typedef struct input {
    const uint8_t *at, *end;
} input;

static uint8_t next_byte(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* Memory that is freed together: that of the schema, or of one batch. */
typedef struct block {
    struct block *next;
    max_align_t memory[];
} block;

typedef struct producer {
    input in;
    block *schema_blocks, *batch_blocks;
    uint8_t formats[COLUMNS], values[COLUMNS]; /* of columns and dictionaries; 0: none */
    size_t columns, batches;
    int schemas, arrays, streams; /* handed out and not released */
} producer;

static const char *const formats[] = { "n", "b", "c", "C", "s", "S",  "i",  "I",   "l", "L",
                                       "e", "f", "g", "u", "U", "vu", "+l", "tdD", "" };
static const unsigned char sizes[] = { 0, 0, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 4, 8, 16, 4, 4, 4 };
enum { FORMATS = sizeof formats / sizeof *formats, BOOL = 1, UTF8 = 13, LARGE = 14, VIEW = 15 };

static void *take(block **blocks, size_t size)
{
    block *made = malloc(sizeof *made + size);

    must(made, "memory for the producer");
    made->next = *blocks;
    *blocks = made;
    memset(made->memory, 0, size);
    return made->memory;
}

static void free_blocks(block **blocks)
{
    while (*blocks) {
        block *first = *blocks;

        *blocks = first->next;
        free(first);
    }
}

static void *take_bytes(producer *p, size_t size)
{
    uint8_t *bytes = take(&p->batch_blocks, size);

    for (size_t i = 0; i < size; i++)
        bytes[i] = next_byte(&p->in);
    return bytes;
}

static void release_part(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array)
{
    producer *p = array->private_data;

    must(p->arrays == 1, "a batch is released once");
    p->arrays--;
    free_blocks(&p->batch_blocks);
    array->release = NULL;
}

static void release_field(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    producer *p = schema->private_data;

    must(p->schemas == 1, "a schema is released once");
    p->schemas--;
    free_blocks(&p->schema_blocks);
    schema->release = NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    producer *p = stream->private_data;

    must(p->streams == 1, "a stream is released once");
    p->streams--;
    stream->release = NULL;
}

static void set_field(producer *p, struct ArrowSchema *field, size_t format)
{
    static const char *const names[] = { "label", "qid", "docid", "weight", "a", "b", "c", "d" };
    const uint8_t how = next_byte(&p->in);

    field->format = how == 255 ? NULL : formats[format];
    field->name = how & 1 ? names[(how >> 1) % 8] : NULL;
    field->release = how == 254 ? NULL : release_field;
    field->n_children = how == 253;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    producer *p = stream->private_data;
    const uint8_t how = next_byte(&p->in);

    if (how == 255)
        return EIO;
    p->columns = how % COLUMNS + 1;
    struct ArrowSchema **fields = take(&p->schema_blocks, (p->columns + 1) * sizeof(void *));

    for (size_t c = 0; c < p->columns; c++) {
        const uint8_t kind = next_byte(&p->in);

        fields[c] = take(&p->schema_blocks, sizeof **fields);
        p->formats[c] = kind % FORMATS;
        set_field(p, fields[c], p->formats[c]);
        p->values[c] = kind > 200 ? next_byte(&p->in) % FORMATS : 0;
        if (p->values[c]) {
            fields[c]->dictionary = take(&p->schema_blocks, sizeof **fields);
            set_field(p, fields[c]->dictionary, p->values[c]);
        }
    }
    p->schemas++;
    *out = (struct ArrowSchema){ .format = how == 254 ? "+l" : "+s",
                                 .n_children = how == 253 ? -1 : (int64_t)p->columns,
                                 .children = fields,
                                 .release = release_schema,
                                 .private_data = p };
    return 0;
}

/* Offsets of texts, which may decrease, and text up to the last of them. */
static void add_texts(producer *p, struct ArrowArray *array, size_t items, bool large)
{
    char *offsets = take(&p->batch_blocks, (items + 1) * (large ? 8 : 4));
    int64_t at = next_byte(&p->in) % 4;

    for (size_t i = 0; i <= items; i++) {
        const int32_t narrow = (int32_t)at;

        memcpy(offsets + i * (large ? 8 : 4), large ? (void *)&at : (void *)&narrow, large ? 8 : 4);
        if (i < items)
            at += (int8_t)next_byte(&p->in) / 8 + 2;
    }
    array->buffers[1] = offsets;
    array->buffers[2] = take_bytes(p, at > 0 ? (size_t)at : 0);
    array->n_buffers = 3;
}

/* Views into two data buffers, or beyond them. */
static void add_views(producer *p, struct ArrowArray *array, size_t items)
{
    int32_t *views = take(&p->batch_blocks, items * 16);
    int64_t *data_sizes = take(&p->batch_blocks, 2 * sizeof *data_sizes);

    for (size_t b = 0; b < 2; b++) {
        data_sizes[b] = next_byte(&p->in) % 64;
        array->buffers[2 + b] = take_bytes(p, (size_t)data_sizes[b]);
    }
    for (size_t i = 0; i < 4 * items; i++)
        views[i] = (int8_t)next_byte(&p->in) / (i % 4 == 2 ? 50 : 4);
    array->buffers[1] = views;
    array->buffers[4] = data_sizes;
    array->n_buffers = 5;
}

static void add_validity(producer *p, struct ArrowArray *array, size_t items, uint8_t how)
{
    uint8_t *bits = take_bytes(p, items / 8 + (items % 8 != 0));

    array->buffers[0] = bits;
    array->null_count = 0;
    for (int64_t i = array->offset; i < array->offset + array->length; i++)
        array->null_count += !(bits[i / 8] >> i % 8 & 1);
    if (how & 8)
        array->null_count = -1;
}

/* Values that every reader must refuse, or that need smaller buffers. */
static void damage(struct ArrowArray *array, size_t format, uint8_t how, uint8_t more)
{
    switch (how) {
    case 1:
        array->length = more & 1 ? -(int64_t)more : INT64_MAX - more;
        break;
    case 2:
        array->offset = more & 1 ? -(int64_t)more : INT64_MAX - more;
        break;
    case 3:
        array->null_count = (int64_t)(int8_t)more;
        break;
    case 4:
        array->n_buffers = format == VIEW ? more % 3 : (int8_t)more % 6;
        break;
    case 5:
        array->buffers[more % BUFFERS] = NULL;
        break;
    case 6:
        array->n_children = (int8_t)more;
        break;
    case 7:
        array->dictionary = NULL;
        break;
    case 8:
        array->release = NULL;
        break;
    case 9:
        array->buffers = NULL;
        break;
    case 10:
        array->length = array->length < more ? array->length : more;
        break;
    default:
        break;
    }
}

static struct ArrowArray *make_array(producer *p, size_t format, size_t values, size_t rows)
{
    struct ArrowArray *array = take(&p->batch_blocks, sizeof *array);
    const uint8_t how = next_byte(&p->in);
    const size_t offset = how & 1 ? next_byte(&p->in) % OFFSETS : 0, items = offset + rows;
    const size_t bits = items / 8 + (items % 8 != 0);

    array->buffers = take(&p->batch_blocks, BUFFERS * sizeof(void *));
    array->length = (int64_t)rows;
    array->offset = (int64_t)offset;
    array->release = release_part;
    array->n_buffers = format ? 2 : 0;
    if (format == UTF8 || format == LARGE)
        add_texts(p, array, items, format == LARGE);
    else if (format == VIEW)
        add_views(p, array, items);
    else if (format)
        array->buffers[1] = take_bytes(p, format == BOOL ? bits : items * sizes[format]);
    if (how & 4)
        add_validity(p, array, items, how);
    if (values)
        array->dictionary = make_array(p, values, 0, next_byte(&p->in) % OFFSETS);
    if (how >= 240) {
        const uint8_t what = next_byte(&p->in);

        damage(array, format, what % 12, next_byte(&p->in));
    }
    return array;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    producer *p = stream->private_data;
    const uint8_t how = next_byte(&p->in);

    must(p->arrays == 0, "a batch is released before the next");
    if (how == 255)
        return ENOMEM;
    *out = (struct ArrowArray){ 0 };
    if (p->batches == 0 || how == 254)
        return 0;
    p->batches--;
    const size_t rows = how % ROWS, offset = how >= 128 ? next_byte(&p->in) % OFFSETS : 0;
    struct ArrowArray *batch = make_array(p, 0, 0, rows);
    struct ArrowArray **children = take(&p->batch_blocks, (p->columns + 1) * sizeof(void *));

    for (size_t c = 0; c < p->columns; c++)
        children[c] = make_array(p, p->formats[c], p->values[c], rows + offset);
    if (batch->n_buffers == 0)
        batch->n_buffers = 1;
    if (batch->n_children == 0)
        batch->n_children = (int64_t)p->columns;
    if (batch->offset >= 0 && batch->offset < OFFSETS)
        batch->offset = (int64_t)offset;
    if (batch->buffers) /* a bitmap for offset 0 to OFFSETS and all rows */
        batch->buffers[0] = how & 64 ? take_bytes(p, (ROWS + OFFSETS) / 8 + 1) : NULL;
    batch->children = children;
    *out = *batch;
    out->release = release_batch;
    out->private_data = p;
    p->arrays++;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    return ((producer *)stream->private_data)->batches % 2 ? "a reason" : NULL;
}

static void check_data(const gradus_dataset *data)
{
    const gradus_arrays *a = &data->arrays;
    float *row = calloc(a->features + 1, sizeof *row);

    must(a->rows > 0 && a->query_starts[a->queries] == a->rows, "queries hold all rows");
    for (size_t r = 0; r < a->rows && row; r++) {
        gr_dataset_row(data, r, row);
        for (size_t f = 0; f < a->features; f++)
            must(!isinf(row[f]), "values are finite or missing");
        must(isfinite(a->labels[r]), "labels are finite");
        must(!a->row_weights || a->row_weights[r] >= 0.0f, "weights are not negative");
        must(strlen(gradus_dataset_document_name(data, r)) < 100, "names end");
    }
    for (size_t q = 0; q < a->queries; q++) {
        must(a->query_starts[q] < a->query_starts[q + 1], "no query is empty");
        must(data->lacks_queries || *gradus_dataset_query_name(data, q), "queries have names");
    }
    free(row);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    producer p = { .in = { bytes, bytes + size }, .streams = 1 };
    const uint8_t how = next_byte(&p.in);
    struct ArrowArrayStream stream = { .get_schema = get_schema,
                                       .get_next = get_next,
                                       .get_last_error = how & 8 ? get_last_error : NULL,
                                       .release = release_stream,
                                       .private_data = &p };
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("read", &err);

    p.batches = how % BATCHES;
    if (!options || gradus_options_set_flag(options, "label-optional", how & 16, &err) ||
        ((how & 32) && gradus_options_set(options, "ignore-column", "2", &err)))
        return 0;
    gradus_dataset *data = gradus_dataset_from_arrow(NULL, &stream, options, &err);

    must_explain(!data, &err);
    must(p.streams == 0 && p.schemas == 0 && p.arrays == 0, "everything is released");
    if (data)
        check_data(data);
    gradus_dataset_free(data);
    gradus_options_free(options);
    free_blocks(&p.schema_blocks);
    free_blocks(&p.batch_blocks);
    return 0;
}
