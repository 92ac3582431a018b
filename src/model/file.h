/* SPDX-License-Identifier: Apache-2.0 */
/* What writers and readers of a model file share: its front, and what kinds of nodes write to and
 * read from. docs/formats/models.md specifies it byte by byte. */
#ifndef GR_MODEL_FILE_H
#define GR_MODEL_FILE_H

#include "base/json.h"
#include "model/model.h"

enum {
    GR_MODEL_VERSION = 1,
    GR_MODEL_ALIGN = 64, /* sections begin at multiples of it */
    GR_MODEL_MAGIC = 8,
    GR_MODEL_AT_VERSION = 8,
    GR_MODEL_AT_CHECKSUM = 12, /* of the front and the header, this taken as 0 */
    GR_MODEL_AT_HEADER = 16,   /* size of the JSON header */
    GR_MODEL_AT_SIZE = 24,     /* of the file */
    GR_MODEL_FRONT = 32        /* here the JSON header begins */
};

extern const unsigned char gr_model_magic[GR_MODEL_MAGIC];
extern const char *const gr_meaning_names[]; /* by gr_meaning; NULL ends it */

static inline uint64_t gr_model_align(uint64_t at)
{
    return (at + GR_MODEL_ALIGN - 1) / GR_MODEL_ALIGN * GR_MODEL_ALIGN;
}
/* Of the front and the header. */
uint32_t gr_model_checksum(const unsigned char *front, const char *header, size_t header_size);

/* What is not of a node is of the model itself. */
#define GR_MODEL_ITSELF SIZE_MAX

/* The object that a node's facts are put in. */
gr_json_writer *gr_model_facts(gr_model_writer *writer);
/* Adds a section of the node that is being written. The bytes must stay until the file is
 * written. */
gradus_status gr_model_add_section(gr_model_writer *writer, const char *name, const void *bytes,
                                   size_t size, gradus_error *err);

/* A fact of the node that is being read; an error if it is not there or no count. */
gradus_status gr_model_read_count(const gr_model_reader *reader, const char *name, uint64_t *count,
                                  gradus_error *err);
/* A copy of a text of the node that is being read; NULL if it is not there, an error if it is no
 * text. */
gradus_status gr_model_read_text(const gr_model_reader *reader, const char *name, char **text,
                                 gradus_error *err);
/* A section of the node that is being read, aligned to 64, its checksum verified: `count` items of
 * `item` bytes, an error if it has another size. Not NULL even if it is empty. */
gradus_status gr_model_read_section(const gr_model_reader *reader, const char *name, uint64_t count,
                                    size_t item, const void **bytes, gradus_error *err);
/* A scorer, of the model itself or of the node that is being written or read. What is read is not
 * checked, and must be freed whatever the status. */
gradus_status gr_scorer_put(const gr_scorer *scorer, gr_model_writer *writer, gradus_error *err);
gradus_status gr_scorer_take(const gr_model_reader *reader, gr_scorer *scorer, gradus_error *err);

/* "'x.model' is damaged: ..." */
gradus_status gr_model_damaged(const gr_model_reader *reader, gradus_error *err, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* never GRADUS_OK: see base/error.h */
#define gr_model_damaged(...) gr_not_ok(gr_model_damaged(__VA_ARGS__))
#endif

#endif
