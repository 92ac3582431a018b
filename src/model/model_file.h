/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the model file format, which docs/formats/models.md specifies byte by byte. The
 * functions and tables are in model_write.c. */
#ifndef GR_MODEL_MODEL_FILE_H
#define GR_MODEL_MODEL_FILE_H

#include <stddef.h>
#include <stdint.h>

enum {
    GR_MODEL_VERSION = 3,            /* the newest that is read; adds columns of nodes */
    GR_MODEL_TRANSFORMS_VERSION = 2, /* adds transforms of nodes */
    GR_MODEL_COMMON_VERSION = 1,
    GR_MODEL_ALIGN = 64, /* sections start at multiples of this */
    GR_MODEL_MAGIC = 8,
    GR_MODEL_AT_VERSION = 8,
    GR_MODEL_AT_CHECKSUM = 12, /* of the front and the header, this field as 0 */
    GR_MODEL_AT_HEADER = 16,   /* size of the JSON header */
    GR_MODEL_AT_SIZE = 24,     /* of the file */
    GR_MODEL_FRONT = 32        /* the JSON header starts here */
};

extern const unsigned char gr_model_magic[GR_MODEL_MAGIC];
extern const char *const gr_meaning_names[]; /* by gr_meaning; NULL-terminated */

static inline uint64_t gr_model_align(uint64_t at)
{
    return (at + GR_MODEL_ALIGN - 1) / GR_MODEL_ALIGN * GR_MODEL_ALIGN;
}
/* model_write.c */
/* CRC of the front and the header. */
uint32_t gr_model_checksum(const unsigned char *front, const char *header, size_t header_size);

/* Node number of sections that belong to the model, not to a node. */
#define GR_MODEL_ITSELF SIZE_MAX

#endif
