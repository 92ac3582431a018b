/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises files of models that cannot be imported, so that the message can say what to use. */
#include "exchange/refused_formats.h"

#include <stdbool.h>
#include <string.h>

enum { NEAR = 256 }; /* bytes in which the first members of a file are */

static bool has(const char *bytes, size_t size, const char *word)
{
    return memmem(bytes, size, word, strlen(word)) != NULL;
}

static bool starts_with(const char *bytes, size_t size, const char *word)
{
    return size >= strlen(word) && memcmp(bytes, word, strlen(word)) == 0;
}

/* A ModelProto: field 1, the version of the format, then another field. */
static bool is_onnx(const char *bytes, size_t size)
{
    return size > 2 && bytes[0] == '\x08' && bytes[1] > 0 && bytes[1] < ' ' &&
           memchr("\x12\x1a\x22\x28\x32\x3a\x42", bytes[2], 7);
}

const char *gr_refused_format(const char *bytes, size_t size)
{
    static const char dump[] = "a dump of XGBoost, which lacks the base score; use save_model";

    if (is_onnx(bytes, size))
        return "a model in ONNX, which can only be exported; use the model it was made from";
    while (size > 0 && memchr(" \n\r\t", *bytes, 4)) {
        bytes++;
        size--;
    }
    const size_t near = size < NEAR ? size : NEAR;

    if (starts_with(bytes, size, "booster[0]:") ||
        (starts_with(bytes, size, "[") && has(bytes, near, "\"nodeid\"")))
        return dump;
    if (!starts_with(bytes, size, "{"))
        return NULL;
    if (has(bytes, near, "\"gradus json\""))
        return "a model exported by gradus as json, which cannot be read back; keep the model file";
    if (has(bytes, size, "\"class\"") && has(bytes, size, ".solr.ltr.model."))
        return "a model of Solr, which can only be exported; use the model it was made from";
    if (has(bytes, near, "\"num_tree_per_iteration\""))
        return "a dump of LightGBM; use save_model";
    return NULL;
}
