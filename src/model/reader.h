/* SPDX-License-Identifier: Apache-2.0 */
/* A model file that is being read: verified bytes, the tree of its header, its sections. */
#ifndef GR_MODEL_READER_H
#define GR_MODEL_READER_H

#include "model/file.h"

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
    size_t node;          /* that is being read, or GR_MODEL_ITSELF */
    const gr_json *facts; /* its facts */
};

/* Checks every byte of the file: front, header, checksums of all sections, zeros between them.
 * End it with gr_model_reader_close, whatever it returns. */
gradus_status gr_model_reader_open(gr_model_reader *reader, const void *bytes, size_t size,
                                   const char *name, gradus_error *err);
void gr_model_reader_close(gr_model_reader *reader);

bool gr_model_is_magic(const void *bytes, size_t size);
/* A number written as hexadecimal digits, exactly so many. */
bool gr_model_hex(const gr_json *value, size_t digits, uint64_t *number);

#endif
