/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON. */
#include "print_json.h"

#include "gradus.h"

#include <math.h>
#include <string.h>

/* Bytes that are not UTF-8 are interpreted as Latin-1. */
static void quoted(text *to, const char *string)
{
    text_add(to, "\"");
    for (; *string; string++) {
        const unsigned char c = (unsigned char)*string;
        const size_t length = utf8_length(string);

        if (c == '"' || c == '\\') {
            text_format(to, "\\%c", c);
        } else if (length == 2 && plain_length(string) == 0) { /* a control character, U+0080 on */
            text_format(to, "\\u%04x", (unsigned char)*++string);
        } else if (plain_length(string) == 0) {
            text_format(to, "\\u%04x", c);
        } else {
            text_add_bytes(to, string, length);
            string += length - 1;
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

void json_setting(json *j, const char *name, const char *value)
{
    const size_t digits = strspn(value, "0123456789");
    double number;

    if (digits && !value[digits] && (*value != '0' || digits == 1)) { /* seeds have up to 64 bits */
        begin(j, name);
        text_add(j->to, value);
    } else if (gradus_number_parse(value, &number, NULL) == GRADUS_OK && isfinite(number)) {
        json_number(j, name, number);
    } else if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
        json_bool(j, name, *value == 't');
    } else {
        json_string(j, name, value);
    }
}
