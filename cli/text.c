#include "text.h"

#include "gradus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(void)
{
    fputs("gradus: no memory\n", stderr);
    exit(1);
}

void *must_have(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory)
        out_of_memory();
    return memory;
}

char *must_copy(const char *string)
{
    char *copy = strdup(string);

    if (!copy)
        out_of_memory();
    return copy;
}

void text_add_bytes(text *t, const char *more, size_t size)
{
    if (t->length + size + 1 > t->capacity) {
        const size_t capacity = 2 * (t->length + size) + 64;
        char *at = realloc(t->at, capacity);

        if (!at)
            out_of_memory();
        t->at = at;
        t->capacity = capacity;
    }
    memcpy(t->at + t->length, more, size);
    t->length += size;
    t->at[t->length] = '\0';
}

void text_add(text *t, const char *more)
{
    text_add_bytes(t, more, strlen(more));
}

void text_format(text *t, const char *format, ...)
{
    va_list arguments;
    char *line = NULL;

    va_start(arguments, format);
    const int size = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (size < 0)
        out_of_memory();
    text_add_bytes(t, line, (size_t)size);
    free(line);
}

void text_number(text *t, double number)
{
    char digits[GRADUS_NUMBER_SIZE];

    if (!isfinite(number)) {
        text_add(t, "null");
        return;
    }
    gradus_number_format(number, digits);
    text_add(t, digits);
}

void text_pad(text *t, size_t width)
{
    for (; width > 0; width--)
        text_add_bytes(t, " ", 1);
}

void text_add_word(text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+./,:@%^";

    if (*word && word[strspn(word, plain)] == '\0') {
        text_add(t, word);
        return;
    }
    text_add(t, "'");
    for (; *word; word++)
        if (*word == '\'')
            text_add(t, "'\\''");
        else
            text_add_bytes(t, word, 1);
    text_add(t, "'");
}

void text_free(text *t)
{
    free(t->at);
    *t = (text){ NULL, 0, 0 };
}

const char *text_string(const text *t)
{
    return t->at ? t->at : "";
}

size_t text_eighths(text *t, size_t eighths)
{
    static const char *const parts[8] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };

    for (size_t i = 0; i < eighths / 8; i++)
        text_add(t, "█");
    text_add(t, parts[eighths % 8]);
    return eighths / 8 + (eighths % 8 != 0);
}

size_t text_columns(const char *string)
{
    size_t columns = 0;

    for (; *string; string++)
        columns += ((unsigned char)*string & 0xC0) != 0x80;
    return columns;
}

/* Bytes of the word, or of its part up to the last '|' that fits into a line. */
static size_t word_length(const char *word, size_t most)
{
    const size_t length = strcspn(word, " \n");
    size_t part = most;

    if (length <= most)
        return length;
    while (part > 0 && word[part - 1] != '|')
        part--;
    return part ? part : length;
}

void text_wrap(text *t, const char *paragraph, size_t indent, size_t width)
{
    size_t column = indent;
    bool joined = false; /* to the part of a word before it */

    while (*paragraph) {
        const size_t length = word_length(paragraph, width > indent ? width - indent : 1);
        const bool forced = paragraph[length] == '\n';

        if (column > indent && column + !joined + length > width) {
            text_add(t, "\n");
            text_pad(t, indent);
            column = indent;
        }
        if (column > indent && !joined) {
            text_add(t, " ");
            column++;
        }
        text_add_bytes(t, paragraph, length);
        column += length;
        joined = paragraph[length] != '\0' && paragraph[length] != ' ' && !forced;
        paragraph += length + (paragraph[length] != '\0' && !joined);
        if (forced) {
            text_add(t, "\n");
            if (*paragraph && *paragraph != '\n')
                text_pad(t, indent);
            column = indent;
        }
    }
}
