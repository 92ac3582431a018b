#include "json.h"

#include <string.h>

/* Bytes of the UTF-8 character that begins here; 0 if it is not one (overlong, cut, surrogate). */
static size_t utf8_length(const char *string)
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

/* Bytes that are not UTF-8 become the character of the same number, as in Latin-1. */
static void quoted(text *to, const char *string)
{
    text_add(to, "\"");
    for (; *string; string++) {
        const unsigned char c = (unsigned char)*string;

        if (c == '"' || c == '\\')
            text_format(to, "\\%c", c);
        else if (c < 0x20 || utf8_length(string) == 0)
            text_format(to, "\\u%04x", c);
        else {
            text_add_bytes(to, string, utf8_length(string));
            string += utf8_length(string) - 1;
        }
    }
    text_add(to, "\"");
}

static void begin(json *j, const char *name)
{
    text_add(j->to, j->first ? "" : ", ");
    j->first = false;
    if (name) {
        quoted(j->to, name);
        text_add(j->to, ": ");
    }
}

void json_open(json *j, const char *name, char bracket)
{
    begin(j, name);
    text_add_bytes(j->to, &bracket, 1);
    j->first = true;
}

void json_close(json *j, char bracket)
{
    text_add_bytes(j->to, &bracket, 1);
    j->first = false;
}

void json_number(json *j, const char *name, double number)
{
    begin(j, name);
    text_number(j->to, number);
}

void json_label(json *j, const char *name, double label)
{
    begin(j, name);
    text_label(j->to, label);
}

void json_count(json *j, const char *name, size_t count)
{
    begin(j, name);
    text_format(j->to, "%zu", count);
}

void json_bool(json *j, const char *name, bool value)
{
    begin(j, name);
    text_add(j->to, value ? "true" : "false");
}

void json_string(json *j, const char *name, const char *string)
{
    begin(j, name);
    quoted(j->to, string);
}
