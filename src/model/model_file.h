/* SPDX-License-Identifier: Apache-2.0 */
/* The model file format as seen by writers, readers and the node kinds. docs/formats/models.md
 * specifies it byte by byte. */
#ifndef GR_MODEL_MODEL_FILE_H
#define GR_MODEL_MODEL_FILE_H

#include "base/json.h"
#include "model/model.h"

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
/* CRC of the front and the header. */
uint32_t gr_model_checksum(const unsigned char *front, const char *header, size_t header_size);

/* Node number of sections that belong to the model, not to a node. */
#define GR_MODEL_ITSELF SIZE_MAX

/* The JSON object for the facts of the current node. */
gr_json_writer *gr_model_facts(gr_model_writer *writer);
/* Adds a section for the node being written. The bytes must stay valid until the file is
 * written. */
gradus_status gr_model_add_section(gr_model_writer *writer, const char *name, const void *bytes,
                                   size_t size, gradus_error *err);

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
/* A scorer, of the model itself or of the node being written or read. What is read is not checked,
 * and must be freed whatever the status. */
gradus_status gr_scorer_put(const gr_scorer *scorer, gr_model_writer *writer, gradus_error *err);
gradus_status gr_scorer_take(const gr_model_reader *reader, gr_scorer *scorer, gradus_error *err);

/* "'x.model' is damaged: ..." */
gradus_status gr_model_damaged(const gr_model_reader *reader, gradus_error *err, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* never GRADUS_OK: see base/error.h */
#define gr_model_damaged(...) gr_not_ok(gr_model_damaged(__VA_ARGS__))
#endif

#endif
