/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON into a text: the library's writer, one value at a time. */
#include "print_json.h"

#include "gradus.h"

#include <math.h>
#include <string.h>

/* Nothing is kept between calls, so that a text can be abandoned at any time. */
void json_flush(json *j)
{
    if (j->writer.failed)
        out_of_memory();
    text_add_bytes(j->to, j->writer.bytes.at, j->writer.used);
    j->writer.used = 0;
    gr_array_free(&j->writer.bytes);
}

void json_open(json *j, const char *name, char bracket)
{
    gr_json_open(&j->writer, name, bracket);
    json_flush(j);
}

void json_close(json *j, char bracket)
{
    gr_json_close(&j->writer, bracket);
    json_flush(j);
}

void json_number(json *j, const char *name, double number)
{
    gr_json_put_number(&j->writer, name, number);
    json_flush(j);
}

void json_label(json *j, const char *name, double label)
{
    gr_json_put_label(&j->writer, name, label);
    json_flush(j);
}

void json_count(json *j, const char *name, size_t count)
{
    gr_json_put_count(&j->writer, name, count);
    json_flush(j);
}

void json_bool(json *j, const char *name, bool value)
{
    gr_json_put_flag(&j->writer, name, value);
    json_flush(j);
}

void json_string(json *j, const char *name, const char *string)
{
    gr_json_put_text(&j->writer, name, string);
    json_flush(j);
}

void json_setting(json *j, const char *name, const char *value)
{
    const size_t digits = strspn(value, "0123456789");
    double number;

    if (digits && !value[digits] && (*value != '0' || digits == 1)) { /* seeds have up to 64 bits */
        gr_json_put_raw(&j->writer, name, value);
        json_flush(j);
    } else if (gradus_number_parse(value, &number, NULL) == GRADUS_OK && isfinite(number)) {
        json_number(j, name, number);
    } else if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
        json_bool(j, name, *value == 't');
    } else {
        json_string(j, name, value);
    }
}
