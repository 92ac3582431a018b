/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the arrays of a data file for numpy: PREFIX.x.npy (rows x features, 32-bit), PREFIX.y.npy
 * (labels) and PREFIX.q.npy (documents per query), so that other tools use the same rows. */
#include "gradus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
    fprintf(stderr, "bench_dump: %s\n", what);
    exit(1);
}

/* Opens PREFIX.name.npy and writes the header of version 1.0, padded to a multiple of 64 bytes. */
static FILE *begin_array(const char *prefix, const char *name, const char *type, size_t rows,
                         size_t columns)
{
    char path[4096], facts[118], shape[64];
    FILE *file;

    if (columns)
        snprintf(shape, sizeof shape, "(%zu, %zu)", rows, columns);
    else
        snprintf(shape, sizeof shape, "(%zu,)", rows);
    snprintf(facts, sizeof facts, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type,
             shape);
    snprintf(path, sizeof path, "%s.%s.npy", prefix, name);
    file = fopen(path, "wb");
    if (!file)
        fail(path);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fprintf(file, "%-117s\n", facts);
    return file;
}

static void end_array(FILE *file)
{
    if (ferror(file) || fclose(file) != 0)
        fail("cannot write");
}

static void write_values(const char *prefix, const gradus_arrays *a)
{
    FILE *file = begin_array(prefix, "x", "<f4", a->rows, a->features);
    float *row = calloc(a->features, sizeof *row);

    for (size_t r = 0; row && r < a->rows; r++) {
        if (a->values) {
            memcpy(row, a->values + r * a->stride, a->features * sizeof *row);
        } else {
            memset(row, 0, a->features * sizeof *row);
            for (uint64_t i = a->row_starts[r]; i < a->row_starts[r + 1]; i++)
                row[a->columns[i]] = a->entries[i];
        }
        fwrite(row, sizeof *row, a->features, file);
    }
    free(row);
    end_array(file);
}

static void write_queries(const char *prefix, const gradus_arrays *a)
{
    FILE *file = begin_array(prefix, "q", "<u8", a->queries, 0);

    for (size_t q = 0; q < a->queries; q++) {
        const uint64_t size = a->query_starts[q + 1] - a->query_starts[q];

        fwrite(&size, sizeof size, 1, file);
    }
    end_array(file);
}

int main(int count, char **words)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays a;
    gradus_dataset *data;
    FILE *labels;

    if (count != 3) {
        fprintf(stderr, "usage: bench_dump FILE PREFIX\n");
        return 2;
    }
    data = gradus_dataset_read(NULL, words[1], NULL, &err);
    if (!data || gradus_dataset_arrays(NULL, data, &a, &err) != GRADUS_OK)
        fail(err.message);
    write_values(words[2], &a);
    write_queries(words[2], &a);
    labels = begin_array(words[2], "y", "<f4", a.rows, 0);
    fwrite(a.labels, sizeof *a.labels, a.rows, labels);
    end_array(labels);
    gradus_dataset_free(data);
    return 0;
}
