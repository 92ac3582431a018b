/* SPDX-License-Identifier: Apache-2.0 */
/* Opens binary data files by memory mapping, so that opening takes the same time for any size.
 * Checksums are verified per section when it is first used. If another program truncates the file
 * while it is mapped, this process receives SIGBUS, as with any mapped file. */
#include "data/binary.h"

#include "base/crc32c.h"
#include "base/ranges.h"
#include "data/binary_header.h"
#include "data/binned.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct gr_binary {
    char *name;
    const unsigned char *bytes;
    size_t size;
    bool mapped; /* otherwise the bytes are in `memory` */
    gr_array memory;
    gr_binary_header header;
    const gradus_dataset *data; /* its arrays point into bytes */
    pthread_mutex_t lock;       /* serialises checks */
    atomic_uint good;           /* parts found valid */
    unsigned bad;               /* parts found damaged */
    gradus_error faults[GR_PARTS];
    uint32_t *value_sums; /* checksums of the blocks of dense values, once these are found valid */
};

bool gr_binary_is(const unsigned char *first_bytes, size_t count)
{
    return gr_binary_is_magic(first_bytes, count);
}

void gr_binary_close(gr_binary *binary)
{
    if (!binary)
        return;
    if (binary->mapped)
        munmap((void *)(uintptr_t)binary->bytes, binary->size);
    gr_array_free(&binary->memory);
    pthread_mutex_destroy(&binary->lock);
    free(binary->value_sums);
    free(binary->name);
    free(binary);
}

static gr_binary *binary_new(const char *name, gradus_error *err)
{
    gr_binary *binary = calloc(1, sizeof *binary);

    if (!binary || !(binary->name = strdup(name))) {
        gr_fail_memory(err, "a data file");
        free(binary);
        return NULL;
    }
    pthread_mutex_init(&binary->lock, NULL);
    return binary;
}

static const void *section_at(const gr_binary *binary, gr_part part)
{
    return binary->header.parts & GR_PART(part)
               ? binary->bytes + binary->header.sections[part].offset
               : NULL;
}

static gr_names names_at(const gr_binary *binary, gr_part bytes, gr_part starts, uint64_t count)
{
    const gr_names none = { NULL, NULL, 0 };
    const gr_names names = { section_at(binary, bytes), section_at(binary, starts), (size_t)count };

    return names.starts ? names : none;
}

static void point_at_sections(gradus_dataset *data, const gr_binary *binary)
{
    const gr_binary_header *h = &binary->header;

    data->arrays = (gradus_arrays){
        .rows = (size_t)h->rows,
        .features = (size_t)h->features,
        .values = section_at(binary, GR_VALUES),
        .stride = (size_t)h->features,
        .row_starts = section_at(binary, GR_ROW_STARTS),
        .columns = section_at(binary, GR_COLUMNS),
        .entries = section_at(binary, GR_ENTRIES),
        .labels = section_at(binary, GR_LABELS),
        .queries = (size_t)h->queries,
        .query_starts = section_at(binary, GR_QUERY_STARTS),
        .row_weights = section_at(binary, GR_ROW_WEIGHTS),
        .query_weights = section_at(binary, GR_QUERY_WEIGHTS),
    };
    data->first_id = h->first_id;
    data->lacks_queries = h->queries == 1 && !section_at(binary, GR_QUERY_NAMES);
    data->file_rows = section_at(binary, GR_FILE_ROWS);
    data->query_names = names_at(binary, GR_QUERY_BYTES, GR_QUERY_NAMES, h->queries);
    data->document_names = names_at(binary, GR_DOCUMENT_BYTES, GR_DOCUMENT_NAMES, h->rows);
    data->feature_names = names_at(binary, GR_FEATURE_BYTES, GR_FEATURE_NAMES, h->features);
}

const char *gr_binary_name(const gr_binary *binary)
{
    return binary->name;
}

const void *gr_binary_section(const gr_binary *binary, gr_part part, uint64_t *bytes)
{
    *bytes = binary->header.sections[part].length;
    return section_at(binary, part);
}

/* Takes ownership of binary. */
static gradus_dataset *dataset_over(gr_binary *binary, gradus_error *err)
{
    gradus_dataset *data = NULL;

    if (gr_binary_header_read(&binary->header, binary->bytes, binary->size, binary->name, err) ==
        GRADUS_OK)
        data = gr_dataset_new(err);
    if (!data) {
        gr_binary_close(binary);
        return NULL;
    }
    point_at_sections(data, binary);
    data->binary = binary;
    binary->data = data;
    /* until the folder that knows bins attaches them */
    if (binary->header.parts & GR_NEED_BINS &&
        gr_binned_attach(data, &(gr_binned){ .state = NULL }, err) != GRADUS_OK) {
        gradus_dataset_free(data);
        return NULL;
    }
    return data;
}

static gradus_status map_descriptor(gr_binary *binary, int descriptor, gradus_error *err)
{
    struct stat about;
    void *at;

    if (fstat(descriptor, &about) != 0)
        return gr_fail_errno(err, "read", binary->name, errno);
    if (about.st_size <= 0 || (uint64_t)about.st_size > SIZE_MAX)
        return gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is not a gradus data file", binary->name);
    at = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (at == MAP_FAILED)
        return gr_fail_errno(err, "map", binary->name, errno);
    binary->bytes = at;
    binary->size = (size_t)about.st_size;
    binary->mapped = true;
    return GRADUS_OK;
}

gradus_dataset *gr_binary_open(const char *path, gradus_error *err)
{
    gr_binary *binary = binary_new(path, err);
    int descriptor;
    gradus_status status;

    if (!binary)
        return NULL;
    descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        gr_fail_errno(err, "open", path, errno);
        gr_binary_close(binary);
        return NULL;
    }
    status = map_descriptor(binary, descriptor, err);
    close(descriptor);
    if (status != GRADUS_OK) {
        gr_binary_close(binary);
        return NULL;
    }
    return dataset_over(binary, err);
}

gradus_dataset *gr_binary_from_memory(gr_array *bytes, size_t size, const char *name,
                                      gradus_error *err)
{
    gr_binary *binary = binary_new(name, err);

    if (!binary) {
        gr_array_free(bytes);
        return NULL;
    }
    binary->memory = *bytes;
    *bytes = (gr_array){ NULL, 0, false };
    binary->bytes = binary->memory.at;
    binary->size = size;
    return dataset_over(binary, err);
}

typedef struct checksums {
    const unsigned char *bytes;
    uint64_t length;
    uint32_t *of_block;
} checksums;

static void checksum_block(void *argument, gr_range range)
{
    const checksums *c = argument;

    c->of_block[range.index] = gr_crc32c(0, c->bytes + range.first, range.end - range.first);
}

static gradus_status check_sum(gr_binary *binary, gr_part part, gr_pool *pool, gradus_error *err)
{
    const gr_section *section = &binary->header.sections[part];
    const size_t blocks = gr_range_count((size_t)section->length, GR_BINARY_BLOCK);
    checksums c = { binary->bytes + section->offset, section->length, NULL };
    uint32_t found;

    c.of_block = gr_new_array(blocks, sizeof *c.of_block);
    if (!c.of_block)
        return gr_fail_memory(err, "checksums");
    gr_for_ranges(pool, (size_t)section->length, GR_BINARY_BLOCK, checksum_block, &c);
    found = gr_crc32c(0, c.of_block, blocks * sizeof *c.of_block);
    if (part == GR_VALUES && found == section->checksum && !binary->value_sums)
        binary->value_sums = c.of_block;
    else
        free(c.of_block);
    if (found != section->checksum)
        return gr_fail(err, GRADUS_BAD_FORMAT, "checksum mismatch in the %s", gr_part_name(part));
    return GRADUS_OK;
}

const uint32_t *gr_binary_value_sums(const gr_binary *binary, const float *values)
{
    const bool valid = atomic_load(&binary->good) & GR_PART(GR_VALUES);

    return valid && section_at(binary, GR_VALUES) == (const void *)values ? binary->value_sums
                                                                          : NULL;
}

/* Sums of all blocks from those that each process computes. */
static gradus_status share_sums(checksums *c, size_t blocks, const gradus_collectives *with,
                                gr_pool *pool, gradus_error *err)
{
    const size_t first =
        blocks / with->size * with->rank + blocks % with->size * with->rank / with->size;
    const size_t next = with->rank + 1;
    const size_t end = blocks / with->size * next + blocks % with->size * next / with->size;
    checksums own = { c->bytes + first * GR_BINARY_BLOCK, 0, c->of_block + first };
    uint64_t *sums = gr_new_array(blocks, sizeof *sums);
    gradus_status status;

    if (!sums)
        return gr_fail_memory(err, "checksums");
    own.length = (end == blocks ? c->length : end * GR_BINARY_BLOCK) - first * GR_BINARY_BLOCK;
    if (end > first)
        gr_for_ranges(pool, (size_t)own.length, GR_BINARY_BLOCK, checksum_block, &own);
    for (size_t b = first; b < end; b++)
        sums[b] = c->of_block[b];
    status = with->sum(with->state, (int64_t *)sums, blocks, err);
    for (size_t b = 0; b < blocks; b++)
        c->of_block[b] = (uint32_t)sums[b];
    free(sums);
    return status;
}

static gradus_status share_check(gr_binary *binary, gr_part part, const gradus_collectives *with,
                                 gr_pool *pool, gradus_error *err)
{
    const gr_section *section = &binary->header.sections[part];
    const size_t blocks = gr_range_count((size_t)section->length, GR_BINARY_BLOCK);
    checksums c = { binary->bytes + section->offset, section->length, NULL };
    gradus_status status;

    if (!(binary->header.parts & GR_PART(part)))
        return GRADUS_OK;
    c.of_block = gr_new_array(blocks, sizeof *c.of_block);
    if (!c.of_block)
        return gr_fail_memory(err, "checksums");
    status = share_sums(&c, blocks, with, pool, err);
    /* a wrong sum is reported by gr_binary_check, which then reads the values again */
    if (status == GRADUS_OK &&
        gr_crc32c(0, c.of_block, blocks * sizeof *c.of_block) == section->checksum)
        atomic_fetch_or(&binary->good, GR_PART(part));
    free(c.of_block);
    return status;
}

gradus_status gr_binary_share_check(gr_binary *binary, const gradus_collectives *with,
                                    gr_pool *pool, gradus_error *err)
{
    static const gr_part large[] = { GR_VALUES, GR_BIN_WORDS, GR_BIN_STARTS, GR_BIN_ENTRIES };

    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        GR_TRY(share_check(binary, large[i], with, pool, err));
    return GRADUS_OK;
}

/* Offsets must start at 0 and end at the length of the section they index, because gr_part_check
 * relies on their ends. */
static gradus_status check_ends(const gr_binary *binary, gr_part part, gradus_error *err)
{
    const gr_section *sections = binary->header.sections;
    const uint64_t *starts = section_at(binary, part);
    const gr_part into = part == GR_ROW_STARTS ? GR_COLUMNS : (gr_part)(part - 1);
    const uint64_t last = sections[part].length / sizeof *starts - 1;

    if (part != GR_ROW_STARTS && part != GR_QUERY_NAMES && part != GR_DOCUMENT_NAMES &&
        part != GR_FEATURE_NAMES)
        return GRADUS_OK;
    if (starts[0] != 0 || starts[last] != sections[into].length / gr_part_size(into))
        return gr_fail(err, GRADUS_BAD_FORMAT, "the %s do not span the %s", gr_part_name(part),
                       gr_part_name(into));
    return GRADUS_OK;
}

static gradus_status check_content(gr_binary *binary, gr_part part, gr_pool *pool,
                                   gradus_error *err)
{
    GR_TRY(check_sum(binary, part, pool, err));
    GR_TRY(check_ends(binary, part, err));
    return gr_part_check(binary->data, part, pool, err);
}

/* Checks a part and remembers the result, unless memory ran out, which says nothing about the
 * file. */
static gradus_status check_part(gr_binary *binary, gr_part part, gr_pool *pool, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    const gradus_status status = check_content(binary, part, pool, &fault);

    if (status == GRADUS_NO_MEMORY)
        return gr_fail(err, status, "%s", fault.message);
    if (status == GRADUS_OK) {
        atomic_fetch_or(&binary->good, GR_PART(part));
        return GRADUS_OK;
    }
    gr_fail(&binary->faults[part], GRADUS_BAD_FORMAT, "'%.300s' is damaged: %.180s", binary->name,
            fault.message);
    binary->bad |= GR_PART(part);
    return GRADUS_OK;
}

static gradus_status check_parts(gr_binary *binary, unsigned parts, gr_pool *pool,
                                 gradus_error *err)
{
    for (int part = 0; part < GR_PARTS; part++) {
        const unsigned set = GR_PART(part);

        if (!(parts & set))
            continue;
        if (!((atomic_load(&binary->good) | binary->bad) & set))
            GR_TRY(check_part(binary, (gr_part)part, pool, err));
        if (binary->bad & set)
            return gr_fail(err, GRADUS_BAD_FORMAT, "%s", binary->faults[part].message);
    }
    return GRADUS_OK;
}

/* Adds the parts that must be valid before the given ones can be used or checked. */
static unsigned with_companions(unsigned parts)
{
    parts |= GR_PART(GR_QUERY_STARTS) | GR_PART(GR_QUERY_BYTES) | GR_PART(GR_QUERY_NAMES) |
             GR_PART(GR_FEATURE_BYTES) | GR_PART(GR_FEATURE_NAMES);
    if (parts & (GR_PART(GR_COLUMNS) | GR_PART(GR_ENTRIES)))
        parts |= GR_PART(GR_ROW_STARTS) | GR_PART(GR_COLUMNS);
    if (parts & (GR_PART(GR_DOCUMENT_BYTES) | GR_PART(GR_DOCUMENT_NAMES)))
        parts |= GR_PART(GR_DOCUMENT_BYTES) | GR_PART(GR_DOCUMENT_NAMES);
    return parts;
}

gradus_status gr_binary_check(gr_binary *binary, unsigned parts, gr_pool *pool, gradus_error *err)
{
    gradus_status status;

    parts = with_companions(parts) & binary->header.parts;
    if ((parts & ~atomic_load(&binary->good)) == 0)
        return GRADUS_OK;
    pthread_mutex_lock(&binary->lock);
    status = check_parts(binary, parts, pool, err);
    pthread_mutex_unlock(&binary->lock);
    return status;
}
