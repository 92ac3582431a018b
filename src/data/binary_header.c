/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, checks and writes the header of a binary data file. */
#include "data/binary_header.h"

#include "base/crc32c.h"

#include <string.h>

/* Byte offsets. Numbers are in native byte order; the mark at AT_ORDER identifies it. */
enum {
    AT_ORDER = 8,
    AT_VERSION = 12,
    AT_CHECKSUM = 16,
    AT_FLAGS = 20,
    AT_FILE_SIZE = 24,
    AT_ROWS = 32,
    AT_FEATURES = 40,
    AT_QUERIES = 48,
    AT_FIRST_ID = 56,
    AT_SECTIONS = 60,
    AT_TABLE = 64,
    ROW = 24, /* bytes per table row: id, checksum, offset, length */
    MAX_SECTIONS = (GR_BINARY_HEADER - AT_TABLE) / ROW
};
static const uint32_t ORDER_MARK = 0x01020304u;
static const unsigned char MAGIC[8] = { 0x89, 'G', 'R', 'A', 'D', 'U', 'S', '\n' };

_Static_assert(GR_PARTS - 4 <= MAX_SECTIONS, "bins, or values, and all others fit in the header");
/* Section ids are part numbers plus 1. They are part of the file format and must never change. */
_Static_assert(GR_VALUES == 0 && GR_LABELS == 4 && GR_QUERY_BYTES == 9 && GR_FEATURE_NAMES == 14 &&
                   GR_BIN_TABLE == 15 && GR_BIN_ENTRIES == 18,
               "ids of sections");

static void put32(unsigned char *at, uint32_t number)
{
    memcpy(at, &number, sizeof number);
}

static void put64(unsigned char *at, uint64_t number)
{
    memcpy(at, &number, sizeof number);
}

static uint32_t get32(const unsigned char *at)
{
    uint32_t number;

    memcpy(&number, at, sizeof number);
    return number;
}

static uint64_t get64(const unsigned char *at)
{
    uint64_t number;

    memcpy(&number, at, sizeof number);
    return number;
}

bool gr_binary_is_magic(const unsigned char *bytes, size_t count)
{
    return count >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

gr_part gr_binary_order(size_t n)
{
    static const gr_part order[GR_PARTS] = {
        GR_VALUES,       GR_COLUMNS,        GR_ENTRIES,        GR_ROW_STARTS,    GR_LABELS,
        GR_QUERY_STARTS, GR_ROW_WEIGHTS,    GR_QUERY_WEIGHTS,  GR_FILE_ROWS,     GR_QUERY_BYTES,
        GR_QUERY_NAMES,  GR_DOCUMENT_BYTES, GR_DOCUMENT_NAMES, GR_FEATURE_BYTES, GR_FEATURE_NAMES,
        GR_BIN_TABLE,    GR_BIN_WORDS,      GR_BIN_STARTS,     GR_BIN_ENTRIES,
    };

    return order[n];
}

uint64_t gr_binary_align(uint64_t at)
{
    return (at + GR_BINARY_ALIGN - 1) / GR_BINARY_ALIGN * GR_BINARY_ALIGN;
}

/* Checksum of the header, with the checksum field itself taken as 0. */
static uint32_t header_checksum(const unsigned char *bytes)
{
    const unsigned char zeros[4] = { 0, 0, 0, 0 };
    uint32_t crc = gr_crc32c(0, bytes, AT_CHECKSUM);

    crc = gr_crc32c(crc, zeros, sizeof zeros);
    return gr_crc32c(crc, bytes + AT_CHECKSUM + 4, GR_BINARY_HEADER - AT_CHECKSUM - 4);
}

/* Versions of gradus that know only values refuse files without. */
static uint32_t version_of(unsigned parts)
{
    return parts & GR_NEED_BINS ? 2 : 1;
}

void gr_binary_header_write(const gr_binary_header *header, unsigned char bytes[GR_BINARY_HEADER])
{
    unsigned char *row = bytes + AT_TABLE;
    uint32_t sections = 0;

    memset(bytes, 0, GR_BINARY_HEADER);
    memcpy(bytes, MAGIC, sizeof MAGIC);
    put32(bytes + AT_ORDER, ORDER_MARK);
    put32(bytes + AT_VERSION, version_of(header->parts));
    put64(bytes + AT_FILE_SIZE, header->file_size);
    put64(bytes + AT_ROWS, header->rows);
    put64(bytes + AT_FEATURES, header->features);
    put64(bytes + AT_QUERIES, header->queries);
    put32(bytes + AT_FIRST_ID, (uint32_t)header->first_id);
    for (size_t n = 0; n < GR_PARTS; n++) {
        const gr_part part = gr_binary_order(n);
        const gr_section *section = &header->sections[part];

        if (!(header->parts & GR_PART(part)))
            continue;
        put32(row, (uint32_t)part + 1);
        put32(row + 4, section->checksum);
        put64(row + 8, section->offset);
        put64(row + 16, section->length);
        row += ROW;
        sections++;
    }
    put32(bytes + AT_SECTIONS, sections);
    put32(bytes + AT_CHECKSUM, header_checksum(bytes));
}

static gradus_status damaged(const char *name, const char *what, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is damaged: %s", name, what);
}

/* Checks that apply to files of every version, before the checksum of this version is trusted. */
static gradus_status check_front(const unsigned char *bytes, uint64_t size, const char *name,
                                 gradus_error *err)
{
    if (!gr_binary_is_magic(bytes, (size_t)size))
        return gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is not a gradus data file", name);
    if (size < AT_CHECKSUM)
        return gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is truncated: %llu bytes", name,
                       (unsigned long long)size);
    if (get32(bytes + AT_ORDER) == __builtin_bswap32(ORDER_MARK))
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "'%.300s' was written on a machine with the opposite byte order; "
                       "convert it to text there",
                       name);
    if (get32(bytes + AT_ORDER) != ORDER_MARK || get32(bytes + AT_VERSION) == 0)
        return damaged(name, "invalid header", err);
    if (get32(bytes + AT_VERSION) > GR_BINARY_VERSION)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "'%.300s' has format version %lu; this gradus reads versions up to %d", name,
                       (unsigned long)get32(bytes + AT_VERSION), GR_BINARY_VERSION);
    if (size < GR_BINARY_HEADER)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "'%.300s' is truncated: %llu bytes, but the header alone has %d", name,
                       (unsigned long long)size, GR_BINARY_HEADER);
    if (header_checksum(bytes) != get32(bytes + AT_CHECKSUM))
        return damaged(name, "header checksum mismatch", err);
    return GRADUS_OK;
}

static gradus_status read_table(gr_binary_header *header, const unsigned char *bytes,
                                const char *name, gradus_error *err)
{
    const uint32_t sections = get32(bytes + AT_SECTIONS);

    if (sections > MAX_SECTIONS)
        return damaged(name, "invalid section table", err);
    for (uint32_t n = 0; n < sections; n++) {
        const unsigned char *row = bytes + AT_TABLE + n * ROW;
        const uint32_t part = get32(row) - 1;

        if (part >= GR_PARTS || header->parts & GR_PART(part))
            return damaged(name, "invalid section table", err);
        header->parts |= GR_PART(part);
        header->sections[part] = (gr_section){ get64(row + 8), get64(row + 16), get32(row + 4) };
    }
    return GRADUS_OK;
}

/* The number of items that the counts of the header require for a part; false if they do not
 * determine it. */
static bool counted_items(const gr_binary_header *h, gr_part part, uint64_t *items)
{
    switch (part) {
    case GR_VALUES:
        if (__builtin_mul_overflow(h->rows, h->features, items))
            *items = UINT64_MAX;
        return true;
    case GR_LABELS:
    case GR_ROW_WEIGHTS:
    case GR_FILE_ROWS:
        *items = h->rows;
        return true;
    case GR_ROW_STARTS:
    case GR_DOCUMENT_NAMES:
        *items = h->rows + 1;
        return true;
    case GR_QUERY_WEIGHTS:
        *items = h->queries;
        return true;
    case GR_QUERY_STARTS:
    case GR_QUERY_NAMES:
        *items = h->queries + 1;
        return true;
    case GR_FEATURE_NAMES:
        *items = h->features + 1;
        return true;
    default: /* determined by the section itself */
        return false;
    }
}

static bool section_fits(const gr_binary_header *h, gr_part part)
{
    const gr_section *section = &h->sections[part];
    const uint64_t size = gr_part_size(part);
    uint64_t items;

    if (section->offset < GR_BINARY_HEADER || section->offset % GR_BINARY_ALIGN != 0 ||
        section->offset > h->file_size || section->length > h->file_size - section->offset ||
        section->length % size != 0)
        return false;
    return !counted_items(h, part, &items) || section->length / size == items;
}

/* The rows are either dense or sparse or binned, sections that belong together are both present, and no
 * mandatory section is absent. */
static bool parts_fit(const gr_binary_header *h)
{
    const unsigned sparse = GR_PART(GR_ROW_STARTS) | GR_PART(GR_COLUMNS) | GR_PART(GR_ENTRIES);
    const unsigned always = GR_PART(GR_LABELS) | GR_PART(GR_QUERY_STARTS);
    const gr_part pairs[3][2] = { { GR_QUERY_BYTES, GR_QUERY_NAMES },
                                  { GR_DOCUMENT_BYTES, GR_DOCUMENT_NAMES },
                                  { GR_FEATURE_BYTES, GR_FEATURE_NAMES } };
    const unsigned rows = h->parts & (sparse | GR_PART(GR_VALUES) | GR_NEED_BINS);

    for (size_t i = 0; i < 3; i++)
        if (!(h->parts & GR_PART(pairs[i][0])) != !(h->parts & GR_PART(pairs[i][1])))
            return false;
    if (rows == sparse && h->sections[GR_COLUMNS].length != h->sections[GR_ENTRIES].length)
        return false;
    return (h->parts & always) == always &&
           (rows == sparse || rows == GR_PART(GR_VALUES) || rows == GR_NEED_BINS);
}

static bool counts_fit(const gr_binary_header *h, uint32_t flags)
{
    const uint64_t most = UINT64_MAX / 16; /* so that 8 * (count + 1) does not overflow */

    return h->rows > 0 && h->rows < most && h->features <= UINT32_MAX && h->queries > 0 &&
           h->queries <= h->rows && h->first_id <= 1 && flags == 0;
}

gradus_status gr_binary_header_read(gr_binary_header *header, const unsigned char *bytes,
                                    uint64_t size, const char *name, gradus_error *err)
{
    GR_TRY(check_front(bytes, size, name, err));
    *header = (gr_binary_header){ .rows = get64(bytes + AT_ROWS),
                                  .features = get64(bytes + AT_FEATURES),
                                  .queries = get64(bytes + AT_QUERIES),
                                  .first_id = get32(bytes + AT_FIRST_ID),
                                  .file_size = get64(bytes + AT_FILE_SIZE) };
    if (size < header->file_size)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "'%.300s' is truncated: %llu bytes, but its header says %llu", name,
                       (unsigned long long)size, (unsigned long long)header->file_size);
    if (size > header->file_size)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "'%.300s' is damaged: %llu bytes, but its header says %llu", name,
                       (unsigned long long)size, (unsigned long long)header->file_size);
    GR_TRY(read_table(header, bytes, name, err));
    if (!counts_fit(header, get32(bytes + AT_FLAGS)) || !parts_fit(header) ||
        get32(bytes + AT_VERSION) != version_of(header->parts))
        return damaged(name, "invalid header", err);
    for (int part = 0; part < GR_PARTS; part++)
        if (header->parts & GR_PART(part) && !section_fits(header, (gr_part)part))
            return gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is damaged: wrong size of the %s",
                           name, gr_part_name((gr_part)part));
    return GRADUS_OK;
}
