/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON token by token. */
#include "base/json_scan.h"

#include "base/short_number.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

enum {
    SHORT_SPACE = 64
}; /* bytes of a number and its comma, and those that gr_short_number may read */

gradus_status gr_json_scan_fault(const gr_json_scan *scan, const char *what)
{
    return gr_fail(scan->err, GRADUS_BAD_FORMAT, "byte %zu: %s", (size_t)(scan->at - scan->begin),
                   what);
}

static void skip_space(gr_json_scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t'))
        s->at++;
}

static bool take(gr_json_scan *s, char wanted)
{
    if (s->at == s->end || *s->at != wanted)
        return false;
    s->at++;
    return true;
}

gr_json_kind gr_json_scan_kind(gr_json_scan *s)
{
    skip_space(s);
    switch (s->at < s->end ? *s->at : '\0') {
    case '{':
        return GR_JSON_OBJECT;
    case '[':
        return GR_JSON_LIST;
    case '"':
        return GR_JSON_TEXT;
    case 't':
    case 'f':
        return GR_JSON_FLAG;
    case 'n':
        return GR_JSON_NULL;
    default:
        return GR_JSON_NUMBER;
    }
}

gradus_status gr_json_scan_open(gr_json_scan *s, char bracket)
{
    skip_space(s);
    if (!take(s, bracket))
        return gr_json_scan_fault(s, bracket == '{' ? "expected '{'" : "expected '['");
    if (++s->depth > GR_JSON_DEPTH)
        return gr_json_scan_fault(s, "nested too deeply");
    return GRADUS_OK;
}

gradus_status gr_json_scan_next(gr_json_scan *s, char closing, bool *first, bool *more)
{
    skip_space(s);
    *more = !take(s, closing);
    if (!*more) {
        s->depth--;
    } else if (!*first) {
        if (!take(s, ','))
            return gr_json_scan_fault(s, closing == '}' ? "expected ',' or '}'"
                                                        : "expected ',' or ']'");
        skip_space(s);
    }
    *first = false;
    return GRADUS_OK;
}

size_t gr_utf8_length(const char *at, const char *end)
{
    const unsigned char *c = (const unsigned char *)at;
    const size_t left = (size_t)(end - at);
    const size_t length = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;

    if (length < 2)
        return length;
    if (c[0] > 0xF4 || left < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) || /* overlong, surrogate */
        (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F))
        return 0;
    return length;
}

/* Writes a character as UTF-8; returns the end. */
static char *put_code(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *to++ = (char)(0xE0 | code >> 12);
        } else {
            *to++ = (char)(0xF0 | code >> 18);
            *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        }
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
    }
    *to++ = (char)(0x80 | (code & 0x3F));
    return to;
}

static bool scan_hex(gr_json_scan *s, uint32_t *code)
{
    *code = 0;
    if (s->end - s->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char c = s->at[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;

        if (digit < 0)
            return false;
        *code = *code * 16 + (uint32_t)digit;
    }
    s->at += 4;
    return true;
}

/* The digits after "\u", and the second half of a surrogate pair. */
static gradus_status scan_code(gr_json_scan *s, char **to)
{
    uint32_t code, low;

    if (!scan_hex(s, &code))
        return gr_json_scan_fault(s, "expected four hexadecimal digits");
    if (code == 0)
        return gr_json_scan_fault(s, "NUL in a string");
    if (code >= 0xD800 && code < 0xE000) {
        if (code >= 0xDC00 || !take(s, '\\') || !take(s, 'u') || !scan_hex(s, &low) ||
            low < 0xDC00 || low >= 0xE000)
            return gr_json_scan_fault(s, "unpaired surrogate");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    *to = put_code(*to, code);
    return GRADUS_OK;
}

static gradus_status scan_escape(gr_json_scan *s, char **to)
{
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *which;

    if (take(s, 'u'))
        return scan_code(s, to);
    which = s->at < s->end && *s->at ? strchr(escapes, *s->at) : NULL;
    if (!which)
        return gr_json_scan_fault(s, "unknown escape");
    s->at++;
    *(*to)++ = meant[which - escapes];
    return GRADUS_OK;
}

/* Appends one character of a string to *to. */
static gradus_status scan_character(gr_json_scan *s, char **to)
{
    size_t length;

    if (s->at == s->end)
        return gr_json_scan_fault(s, "unterminated string");
    if (take(s, '\\'))
        return scan_escape(s, to);
    if ((unsigned char)*s->at < 0x20)
        return gr_json_scan_fault(s, "control character in a string");
    length = gr_utf8_length(s->at, s->end);
    if (length == 0)
        return gr_json_scan_fault(s, "invalid UTF-8");
    memcpy(*to, s->at, length);
    *to += length;
    s->at += length;
    return GRADUS_OK;
}

gradus_status gr_json_scan_string(gr_json_scan *s, char *text, size_t *length)
{
    char *to = text;

    skip_space(s);
    if (!take(s, '"'))
        return gr_json_scan_fault(s, "expected '\"'");
    while (!take(s, '"'))
        GR_TRY(scan_character(s, &to));
    *to = '\0';
    *length = (size_t)(to - text);
    return GRADUS_OK;
}

gradus_status gr_json_scan_key(gr_json_scan *s, char *text, size_t *length)
{
    GR_TRY(gr_json_scan_string(s, text, length));
    skip_space(s);
    return take(s, ':') ? GRADUS_OK : gr_json_scan_fault(s, "expected ':'");
}

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

static bool skip_digits(gr_json_scan *s)
{
    const char *from = s->at;

    while (s->at < s->end && is_digit(*s->at))
        s->at++;
    return s->at > from;
}

gradus_status gr_json_scan_number(gr_json_scan *s, const char **text, size_t *length)
{
    skip_space(s);
    *text = s->at;
    take(s, '-');
    if (!take(s, '0') && !skip_digits(s))
        return gr_json_scan_fault(s, "expected a value");
    if (take(s, '.') && !skip_digits(s))
        return gr_json_scan_fault(s, "expected a digit");
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        if (!take(s, '+'))
            take(s, '-');
        if (!skip_digits(s))
            return gr_json_scan_fault(s, "expected a digit");
    }
    *length = (size_t)(s->at - *text);
    return GRADUS_OK;
}

/* A number that gr_short_number reads and JSON allows, at least SHORT_SPACE bytes before the end. Returns
 * where reading stopped, or NULL if the general functions are needed. The caller must check that the
 * number ends there. */
static inline const char *short_float(const char *at, float *number)
{
    const char *const first = at + (*at == '-'), *const stop = gr_short_number(at, number);

    if (!stop)
        return NULL;
    /* "05", ".5", "5.": without a branch for each, which would be unpredictable for the first */
    const bool zero = (*first == '0') & is_digit(first[1]);

    const bool other = zero | (*first == '.') | (stop[-1] == '.');

    return other ? NULL : stop;
}

static bool ends_number(char c)
{
    return !is_digit(c) && c != 'e' && c != 'E';
}

gradus_status gr_json_scan_float(gr_json_scan *s, float *number)
{
    const char *text, *stop;
    size_t length;

    skip_space(s);
    if (s->end - s->at >= SHORT_SPACE && (stop = short_float(s->at, number)) &&
        ends_number(*stop)) {
        s->at = stop;
        return GRADUS_OK;
    }
    GR_TRY(gr_json_scan_number(s, &text, &length));
    gr_parse_float(text, text + length, number);
    return GRADUS_OK;
}

/* Reads the number that ends at `end`; false if the general functions are needed, or there is an error. */
static inline bool float_before(const char *at, const char *end, float *number)
{
    if (end != at + 1 || !is_digit(*at))
        return short_float(at, number) == end;
    *number = (float)(*at - '0');
    return true;
}

/* The ends of numbers are found 64 bytes at a time, so that a number can be read before the end of the one
 * before it is known: the processor then reads several at the same time. */
size_t gr_json_scan_more_floats(gr_json_scan *s, float *numbers, size_t count)
{
    const char *comma = s->at;
    size_t done = 0;
    bool read = comma < s->end && *comma == ',';

    while (read && s->end - comma >= 64 + SHORT_SPACE) {
        const char *const block = comma + 1;
        uint64_t commas = gr_bytes_equal(block, ',');

        for (read = commas != 0; commas; commas &= commas - 1, done++) {
            const char *const from = comma + 1, *const end = block + __builtin_ctzll(commas);

            read = done < count && float_before(from + (*from == ' '), end, &numbers[done]);
            if (!read)
                break;
            comma = end;
        }
    }
    s->at = comma;
    return done;
}

static bool take_word(gr_json_scan *s, const char *word)
{
    const size_t length = strlen(word);

    skip_space(s);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

gradus_status gr_json_scan_null(gr_json_scan *s)
{
    return take_word(s, "null") ? GRADUS_OK : gr_json_scan_fault(s, "expected a value");
}

gradus_status gr_json_scan_flag(gr_json_scan *s, bool *flag)
{
    *flag = take_word(s, "true");
    return *flag || take_word(s, "false") ? GRADUS_OK : gr_json_scan_fault(s, "expected a value");
}

static gradus_status skip_string(gr_json_scan *s)
{
    char four[4], *to; /* the bytes of one character */

    if (!take(s, '"'))
        return gr_json_scan_fault(s, "expected '\"'");
    while (!take(s, '"')) {
        to = four;
        GR_TRY(scan_character(s, &to));
    }
    return GRADUS_OK;
}

static gradus_status skip_content(gr_json_scan *s, char closing)
{
    bool first = true, more;

    for (;;) {
        GR_TRY(gr_json_scan_next(s, closing, &first, &more));
        if (!more)
            return GRADUS_OK;
        if (closing == '}') {
            GR_TRY(skip_string(s));
            skip_space(s);
            if (!take(s, ':'))
                return gr_json_scan_fault(s, "expected ':'");
        }
        GR_TRY(gr_json_scan_skip(s)); /* the depth is limited */
    }
}

gradus_status gr_json_scan_skip(gr_json_scan *s)
{
    const char *text;
    size_t length;
    bool flag;

    switch (gr_json_scan_kind(s)) {
    case GR_JSON_NULL:
        return gr_json_scan_null(s);
    case GR_JSON_FLAG:
        return gr_json_scan_flag(s, &flag);
    case GR_JSON_TEXT:
        return skip_string(s);
    case GR_JSON_LIST:
        GR_TRY(gr_json_scan_open(s, '['));
        return skip_content(s, ']');
    case GR_JSON_OBJECT:
        GR_TRY(gr_json_scan_open(s, '{'));
        return skip_content(s, '}');
    case GR_JSON_NUMBER:
        break;
    }
    return gr_json_scan_number(s, &text, &length);
}

gradus_status gr_json_scan_end(gr_json_scan *s)
{
    skip_space(s);
    return s->at == s->end ? GRADUS_OK : gr_json_scan_fault(s, "unexpected text after the value");
}
