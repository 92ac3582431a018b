/* SPDX-License-Identifier: Apache-2.0 */
/* soak_mutate FILE FOLDER COUNT SEED: writes COUNT damaged copies of a model or a binary data file
 * to FOLDER/0, FOLDER/1, ... Most have valid checksums, so that the code behind them is reached. */
#include "seal.h"

#include <math.h>

enum { MAX_EDITS = 6 };

static uint64_t random_state;

/* SplitMix64. */
static uint64_t draw(uint64_t below)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

/* Numbers that are difficult for readers and printers, as bytes of a float, a double or an integer.
 */
static size_t hard_number(char bytes[8])
{
    static const double numbers[] = { -1.0, 0.0, -0.0, 1e30, -1e30, 1e300, -1e300, 1e-310 };
    const double chosen = draw(4) == 0   ? (double)NAN
                          : draw(4) == 0 ? (double)INFINITY
                                         : numbers[draw(sizeof numbers / sizeof *numbers)];
    const uint64_t counts[] = { UINT64_MAX, 1ull << 63, 1ull << 32, UINT32_MAX, INT32_MAX, 0, 1 };
    const float small = (float)chosen;

    switch (draw(4)) {
    case 0:
        memcpy(bytes, &chosen, 8);
        return 8;
    case 1:
        memcpy(bytes, &small, 4);
        return 4;
    case 2:
        memcpy(bytes, &counts[draw(7)], 8);
        return 8;
    default:
        memcpy(bytes, &counts[draw(7)], 4);
        return 4;
    }
}

/* Replaces a digit of the header, which is text in models. */
static void edit_digit(char *bytes, size_t size)
{
    const size_t front = size < 4096 ? size : 4096;

    for (size_t tries = 0; tries < 200; tries++) {
        char *at = bytes + draw(front);

        if (*at >= '0' && *at <= '9') {
            *at = (char)('0' + draw(10));
            return;
        }
    }
}

static void edit(char *bytes, size_t size)
{
    char number[8];
    const size_t length = hard_number(number);
    const size_t at = draw(size);

    switch (draw(4)) {
    case 0:
        bytes[at] = (char)(bytes[at] ^ 1 << draw(8));
        return;
    case 1:
        edit_digit(bytes, size);
        return;
    case 2:
        bytes[at] = (char)draw(256);
        return;
    default:
        if (size >= 16)
            memcpy(bytes + draw(size / 4 - 2) * 4, number, length);
    }
}

static int write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    const int failed = !file || fwrite(bytes, 1, size, file) != size;

    if (file && fclose(file) == 0 && !failed)
        return 0;
    fprintf(stderr, "soak_mutate: cannot write '%s'\n", path);
    return 1;
}

static int write_copy(const char *path, const char *bytes, size_t size)
{
    const bool is_model = size >= 8 && memcmp(bytes + 1, "GRMODL", 6) == 0;
    const size_t kept = draw(20) == 0 ? draw(size) + 1 : size;
    char *copy = malloc(size);
    int status;

    if (!copy)
        return 1;
    memcpy(copy, bytes, size);
    for (uint64_t edits = 1 + draw(MAX_EDITS); edits > 0; edits--)
        edit(copy, kept);
    if (draw(20) != 0 && is_model && kept >= SEAL_FRONT)
        seal_model(copy, kept);
    else if (draw(20) != 0 && !is_model && kept >= 512)
        seal_file(copy, kept);
    status = write_file(path, copy, kept);
    free(copy);
    return status;
}

int main(int count, char **words)
{
    static char bytes[1 << 24];
    FILE *file = count == 5 ? fopen(words[1], "rb") : NULL;
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    int status = 0;

    if (size < 16) {
        fprintf(stderr, "usage: soak_mutate FILE FOLDER COUNT SEED\n");
        return 2;
    }
    fclose(file);
    random_state = strtoull(words[4], NULL, 10);
    for (unsigned long i = 0; status == 0 && i < strtoul(words[3], NULL, 10); i++) {
        char path[4096];

        snprintf(path, sizeof path, "%s/%lu", words[2], i);
        status = write_copy(path, bytes, size);
    }
    return status;
}
