/* SPDX-License-Identifier: Apache-2.0 */
/* Growing texts: escapes, numbers, bars and line wrapping. */
#include "print_text.h"

#include "gradus.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void out_of_memory(void)
{
    fputs("gradus: out of memory\n", stderr);
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
    if (size)
        memcpy(t->at + t->length, more, size);
    t->length += size;
    t->at[t->length] = '\0';
}

void text_add(text *t, const char *more)
{
    text_add_bytes(t, more, strlen(more));
}

size_t utf8_length(const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    const size_t length = s[0] < 0x80   ? 1
                          : s[0] < 0xC2 ? 0
                          : s[0] < 0xE0 ? 2
                          : s[0] < 0xF0 ? 3
                          : s[0] < 0xF5 ? 4
                                        : 0;

    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return length;
}

size_t plain_length(const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    const bool control = s[0] < 0x20 || s[0] == 0x7F || (s[0] == 0xC2 && s[1] < 0xA0);

    return control ? 0 : utf8_length(string);
}

/* Escapes control characters and invalid UTF-8, except the characters of `kept`. */
static void add_escaped(text *t, const char *string, const char *kept)
{
    while (*string) {
        const size_t length = strchr(kept, *string) ? 1 : plain_length(string);

        if (length)
            text_add_bytes(t, string, length);
        else {
            char code[8];

            snprintf(code, sizeof code, "\\x%02x", (unsigned char)*string);
            text_add(t, code);
        }
        string += length ? length : 1;
    }
}

void text_add_shown(text *t, const char *string)
{
    add_escaped(t, string, "");
}

void text_format_list(text *t, const char *format, va_list list)
{
    char *line = NULL;

    if (vasprintf(&line, format, list) < 0)
        out_of_memory();
    add_escaped(t, line, "\n\t");
    free(line);
}

void text_format(text *t, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_format_list(t, format, list);
    va_end(list);
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

void text_label(text *t, double label)
{
    char digits[GRADUS_NUMBER_SIZE];

    gradus_label_format(label, digits);
    text_add(t, isfinite(label) ? digits : "null");
}

void text_pad(text *t, size_t width)
{
    for (; width > 0; width--)
        text_add_bytes(t, " ", 1);
}

static bool is_plain(const char *word)
{
    while (*word && plain_length(word))
        word += plain_length(word);
    return !*word;
}

/* Quotes as $'...', which bash and zsh understand, so that no control characters are printed. */
static void add_ansi_word(text *t, const char *word)
{
    text shown = { NULL, 0, 0 };

    for (; *word; word++)
        if (*word == '\'' || *word == '\\')
            text_format(&shown, "\\%c", *word);
        else if (plain_length(word) == 1)
            text_add_bytes(&shown, word, 1);
        else
            text_format(&shown, "\\%03o", (unsigned char)*word);
    text_format(t, "$'%s'", text_string(&shown));
    text_free(&shown);
}

void text_add_word(text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+./,:@%^";

    if (*word && word[strspn(word, plain)] == '\0') {
        text_add(t, word);
        return;
    }
    if (!is_plain(word)) {
        add_ansi_word(t, word);
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

size_t nearest_step(double fraction, size_t steps)
{
    return (size_t)(fmin(fmax(fraction, 0.0), 1.0) * (double)steps + 0.5); /* fmax drops NAN */
}

/* The name of the locale: the first variable that is set, in the order of the C library. */
static const char *locale_name(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return value;
    }
    return "C";
}

bool locale_is_utf8(void)
{
    const locale_t now = newlocale(LC_CTYPE_MASK, "", (locale_t)0);

    if (!now) /* not installed here, as after a remote login: go by its name */
        return strcasestr(locale_name(), "utf-8") || strcasestr(locale_name(), "utf8");
    const bool is_utf8 = strcmp(nl_langinfo_l(CODESET, now), "UTF-8") == 0;

    freelocale(now);
    return is_utf8;
}

size_t text_fine_bar(text *t, double fraction, size_t columns)
{
    static const char *const parts[2][9] = {
        { "", ".", ".", ":", ":", "=", "=", "#", "#" },
        { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" },
    };
    const size_t eighths = nearest_step(fraction, 8 * columns);
    const bool utf8 = locale_is_utf8();

    for (size_t i = 0; i < eighths / 8; i++)
        text_add(t, parts[utf8][8]);
    text_add(t, parts[utf8][eighths % 8]);
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
    bool joined = false; /* to the previous part of a broken word */

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
