/* SPDX-License-Identifier: Apache-2.0 */
/* Hands out the structures of an arrow_producer. */
#include "arrow_producer.h"

#include <string.h>

static void release_part(struct ArrowArray *array)
{
    arrow_producer *producer = array->private_data;

    producer->parts_released++;
    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array)
{
    arrow_producer *producer = array->private_data;

    producer->batches_released++;
    for (size_t b = 0; b < producer->batches; b++)
        if (array->buffers == producer->batch_buffers[b] || array->buffers == NULL)
            for (size_t c = 0; c < producer->columns; c++)
                if (producer->column[b][c].release)
                    producer->column[b][c].release(&producer->column[b][c]);
    array->release = NULL;
}

static void release_schema_part(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    ((arrow_producer *)schema->private_data)->schemas_released++;
    schema->release = NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    ((arrow_producer *)stream->private_data)->streams_released++;
    stream->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    arrow_producer *producer = stream->private_data;

    if (producer->schema_error)
        return producer->schema_error;
    producer->schemas_handed += producer->schema.release != NULL;
    *out = producer->schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    arrow_producer *producer = stream->private_data;

    if (producer->next == producer->batches) {
        *out = (struct ArrowArray){ 0 };
        return producer->batch_error;
    }
    *out = producer->batch[producer->next++];
    producer->batches_handed++;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    return ((arrow_producer *)stream->private_data)->message;
}

static int64_t buffers_of(const arrow_column *column)
{
    if (column->n_buffers)
        return column->n_buffers;
    if (strcmp(column->format, "n") == 0)
        return 0;
    return column->format[0] == 'u' || column->format[0] == 'U' ? 3 : 2;
}

static void set_field(arrow_producer *producer, struct ArrowSchema *field,
                      const arrow_column *column)
{
    *field = (struct ArrowSchema){ .format = column->format,
                                   .name = column->name,
                                   .flags = 2,
                                   .release = release_schema_part,
                                   .private_data = producer };
}

static void set_array(arrow_producer *producer, struct ArrowArray *array, const void **buffers,
                      const arrow_column *column)
{
    memcpy(buffers, column->buffers, sizeof column->buffers);
    *array = (struct ArrowArray){ .length = column->length,
                                  .null_count = column->null_count,
                                  .offset = column->offset,
                                  .n_buffers = buffers_of(column),
                                  .buffers = buffers,
                                  .release = release_part,
                                  .private_data = producer };
}

static void set_schema(arrow_producer *producer, const arrow_column *columns, size_t count)
{
    *producer = (arrow_producer){ .columns = count };
    producer->stream = (struct ArrowArrayStream){ .get_schema = get_schema,
                                                  .get_next = get_next,
                                                  .get_last_error = get_last_error,
                                                  .release = release_stream,
                                                  .private_data = producer };
    producer->schema = (struct ArrowSchema){ .format = "+s",
                                             .name = "",
                                             .n_children = (int64_t)count,
                                             .children = producer->field_list,
                                             .release = release_schema,
                                             .private_data = producer };
    for (size_t c = 0; c < count; c++) {
        producer->field_list[c] = &producer->fields[c];
        set_field(producer, &producer->fields[c], &columns[c]);
        if (columns[c].dictionary) {
            producer->fields[c].dictionary = &producer->values[c];
            set_field(producer, &producer->values[c], columns[c].dictionary);
        }
    }
}

void arrow_add(arrow_producer *producer, const arrow_column *columns, size_t count, int64_t length,
               int64_t offset)
{
    if (producer->batches == 0)
        set_schema(producer, columns, count);
    const size_t b = producer->batches++;

    producer->batch[b] = (struct ArrowArray){ .length = length,
                                              .offset = offset,
                                              .n_buffers = 1,
                                              .n_children = (int64_t)count,
                                              .buffers = producer->batch_buffers[b],
                                              .children = producer->column_list[b],
                                              .release = release_batch,
                                              .private_data = producer };
    for (size_t c = 0; c < count; c++) {
        struct ArrowArray *array = &producer->column[b][c];

        producer->column_list[b][c] = array;
        set_array(producer, array, producer->buffers[b][c], &columns[c]);
        if (columns[c].dictionary) {
            array->dictionary = &producer->dictionary[b][c];
            set_array(producer, array->dictionary, producer->dictionary_buffers[b][c],
                      columns[c].dictionary);
        }
    }
}

void arrow_start(arrow_producer *producer, const arrow_column *columns, size_t count)
{
    producer->batches = 0;
    arrow_add(producer, columns, count, columns[0].length, 0);
}

bool arrow_all_released(const arrow_producer *producer)
{
    return producer->streams_released == 1 && !producer->stream.release &&
           producer->schemas_released == producer->schemas_handed &&
           producer->batches_released == producer->batches_handed;
}
