/* SPDX-License-Identifier: Apache-2.0 */
/* A model file while it is read: verified bytes, the parsed header, its sections. */
#ifndef GR_MODEL_MODEL_READER_H
#define GR_MODEL_MODEL_READER_H

#include "base/error.h"
#include "base/json.h"
#include "model/node.h"

typedef struct gr_model_section {
    size_t node; /* or GR_MODEL_ITSELF */
    const char *name;
    const unsigned char *bytes;
    uint64_t size;
} gr_model_section;

struct gr_model_reader {
    const char *name; /* of the file, for messages */
    const unsigned char *bytes;
    size_t size;
    gr_json *header;
    gr_model_section *sections;
    size_t section_count;
    size_t node;          /* the node being read, or GR_MODEL_ITSELF */
    const gr_json *facts; /* of that node */
};

/* Checks every byte of the file: front, header, the checksums of all sections, the zeros between
 * them. Call gr_model_reader_close afterwards, whatever the status. */
gradus_status gr_model_reader_open(gr_model_reader *reader, const void *bytes, size_t size,
                                   const char *name, gradus_error *err);
void gr_model_reader_close(gr_model_reader *reader);

bool gr_model_is_magic(const void *bytes, size_t size);
/* A number written as exactly `digits` hexadecimal digits. */
bool gr_model_hex(const gr_json *value, size_t digits, uint64_t *number);

/* A count from the facts of the node being read; fails if it is missing or not a count. */
gradus_status gr_model_read_count(const gr_model_reader *reader, const char *name, uint64_t *count,
                                  gradus_error *err);
/* A copy of a text from the facts of the node being read. *text is unchanged if it is absent;
 * fails if it is not a text. */
gradus_status gr_model_read_text(const gr_model_reader *reader, const char *name, char **text,
                                 gradus_error *err);
/* A section of the node being read: `count` items of `item` bytes, 64-byte aligned, checksum
 * verified. Fails if the size differs. Never NULL, even if empty. */
gradus_status gr_model_read_section(const gr_model_reader *reader, const char *name, uint64_t count,
                                    size_t item, const void **bytes, gradus_error *err);
/* The same for *array, a pointer of any type; the items are read-only. */
gradus_status gr_model_read_array(const gr_model_reader *reader, const char *name, uint64_t count,
                                  size_t item, void *array, gradus_error *err);
/* As gr_model_read_array, but a copy in allocated memory. */
gradus_status gr_model_copy_array(const gr_model_reader *reader, const char *name, uint64_t count,
                                  size_t item, void *array, gradus_error *err);

/* The finite weights of the members of a node that combines others, read-only. `what` names the
 * combination in messages. */
gradus_status gr_model_read_weights(const gr_model_reader *reader, const char *what, size_t *count,
                                    double **weights, gradus_error *err);

/* "'x.model' is damaged: ..." */
gradus_status gr_model_damaged(const gr_model_reader *reader, gradus_error *err, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* never GRADUS_OK: see base/error.h */
#define gr_model_damaged(...) gr_not_ok(gr_model_damaged(__VA_ARGS__))
#endif

#endif
