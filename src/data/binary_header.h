/* SPDX-License-Identifier: Apache-2.0 */
/* The first 512 bytes of a binary data file. */
#ifndef GR_DATA_BINARY_HEADER_H
#define GR_DATA_BINARY_HEADER_H

#include "data/sections.h"

enum {
    GR_BINARY_VERSION = 2,    /* 1 unless the file has bins instead of values */
    GR_BINARY_HEADER = 512,   /* bytes of the header */
    GR_BINARY_ALIGN = 64,     /* sections start at multiples of this */
    GR_BINARY_BLOCK = 1 << 20 /* bytes per checksummed block */
};

typedef struct gr_section {
    uint64_t offset, length; /* bytes */
    uint32_t checksum;       /* CRC-32C of the CRC-32Cs of the section's blocks */
} gr_section;

typedef struct gr_binary_header {
    uint64_t rows, features, queries;
    size_t first_id;
    uint64_t file_size;
    unsigned parts; /* the sections present: a set of GR_PART */
    gr_section sections[GR_PARTS];
} gr_binary_header;

bool gr_binary_is_magic(const unsigned char *bytes, size_t count);

void gr_binary_header_write(const gr_binary_header *header, unsigned char bytes[GR_BINARY_HEADER]);
/* size: of the whole file. Fails unless every section is inside the file and its length matches the
 * counts. name: for messages. */
gradus_status gr_binary_header_read(gr_binary_header *header, const unsigned char *bytes,
                                    uint64_t size, const char *name, gradus_error *err);

/* The n-th section in file order: streamed sections come first. */
gr_part gr_binary_order(size_t n);
/* The first section boundary at or after `at`. */
uint64_t gr_binary_align(uint64_t at);

#endif
