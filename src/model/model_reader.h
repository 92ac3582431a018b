/* SPDX-License-Identifier: Apache-2.0 */
/* A model file while it is read: verified bytes, the parsed header, its sections. */
#ifndef GR_MODEL_MODEL_READER_H
#define GR_MODEL_MODEL_READER_H

#include "model/model_file.h"

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

#endif
