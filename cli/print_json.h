/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON into a text, on one line. Running out of memory ends the program. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "base/json.h"
#include "print_text.h"

typedef struct json {
    text *to;
    gr_json_writer writer;
} json;
#define JSON_TO(text)                                                                              \
    {                                                                                              \
        (text),                                                                                    \
        {                                                                                          \
            .layout = GR_JSON_LINE                                                                 \
        }                                                                                          \
    }

/* name is NULL for values of arrays and for the outermost one. */
void json_open(json *j, const char *name, char bracket);    /* '{' or '[' */
void json_close(json *j, char bracket);                     /* '}' or ']' */
void json_number(json *j, const char *name, double number); /* not finite: null */
void json_label(json *j, const char *name, double label);   /* a label or grade, as text_label */
void json_count(json *j, const char *name, size_t count);
void json_bool(json *j, const char *name, bool value);
void json_string(json *j, const char *name, const char *string);
/* The value of an option: a number, true or false where the text is one, else a string. */
void json_setting(json *j, const char *name, const char *value);

/* Moves what was written with the writer to the text. */
void json_flush(json *j);

#endif
