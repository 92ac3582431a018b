/* SPDX-License-Identifier: Apache-2.0 */
/* The first 512 bytes of a binary data file. */
#ifndef GR_DATA_BINARY_HEADER_H
#define GR_DATA_BINARY_HEADER_H

#include "data/parts.h"

enum {
    GR_BINARY_VERSION = 1,
    GR_BINARY_HEADER = 512,   /* bytes of the header */
    GR_BINARY_ALIGN = 64,     /* sections begin at multiples of it */
    GR_BINARY_BLOCK = 1 << 20 /* bytes that are checksummed at once */
};

typedef struct gr_section {
    uint64_t offset, length; /* bytes */
    uint32_t checksum;       /* CRC-32C of the CRC-32Cs of its blocks */
} gr_section;

typedef struct gr_binary_header {
    uint64_t rows, features, queries;
    size_t first_id;
    uint64_t file_size;
    unsigned parts; /* the sections that are there: a set of GR_PART */
    gr_section sections[GR_PARTS];
} gr_binary_header;

bool gr_binary_is_magic(const unsigned char *bytes, size_t count);

void gr_binary_header_write(const gr_binary_header *header, unsigned char bytes[GR_BINARY_HEADER]);
/* size: of the whole file. Fails unless every section lies in the file and is as long as the
 * counts say. name: for messages. */
gradus_status gr_binary_header_read(gr_binary_header *header, const unsigned char *bytes,
                                    uint64_t size, const char *name, gradus_error *err);

/* The n-th section in the order of the file: what is streamed comes first. */
gr_part gr_binary_order(size_t n);
/* Where a section may begin that cannot begin before `at`. */
uint64_t gr_binary_align(uint64_t at);

#endif
