/* SPDX-License-Identifier: Apache-2.0 */
/* Formats that models can be exported to. To add one: a file exchange/export_<name>.c that ends with
 * a const gr_format, and a row in formats.def.
 *
 * An exporter refuses a model that its format cannot hold, with the reason; it never approximates
 * one. Formats that hold a sum of trees start from tree_sum.h, formats that hold a linear function
 * from linear_sum.h; formats that hold any function walk the nodes of the model. */
#ifndef GR_EXCHANGE_FORMAT_H
#define GR_EXCHANGE_FORMAT_H

#include "base/buffer.h"
#include "base/param.h"
#include "base/table.h"
#include "model/model.h"

enum { GR_IDENTIFIER_SIZE = 64 };

typedef struct gr_export_options {
    int format;        /* 0: by the extension of the file; else 1 + the position in formats.def */
    uint64_t opset_ml; /* onnx: version of the operator set ai.onnx.ml, 3 or 5 */
    const char *name;  /* of the model, for formats that store one */
} gr_export_options;

typedef struct gr_format {
    gr_about about;        /* details: what it holds, and how the consumer's scores differ */
    const char *used_by;   /* "XGBoost, Triton FIL" */
    const char *extension; /* "json", without the dot */
    /* Names, separated by spaces, of the methods whose models it holds if they were trained with
     * default options; NULL: all. test_export checks it. */
    const char *methods;
    /* Largest relative difference of the consumer's scores from those of gradus, for the check of a
     * parity file; 0: bit-equal. */
    double tolerance;
    /* Program text, in the language of the consumer, that loads the file MODEL, compares with the
     * parity file PARITY, and exits with status 1 if scores are wrong. parity.h describes the file.
     * These words are replaced: MODEL and PARITY by the file names, NAMES by a JSON list of the names
     * of the parity file's features, TOLERANCE by the number, PREFIX by the identifier. */
    const char *check;
    bool (*is_checked)(const gradus_model *model); /* whether the program knows it; NULL: all */
    /* The identifier, in the exported file, for the option "name"; NULL: none. */
    void (*identifier)(const char *name, char made[GR_IDENTIFIER_SIZE]);
    bool no_missing; /* a consumer cannot be given a missing value: none in parity files */
    float largest;   /* absolute value in parity files, for consumers with limits; 0: any float */
    /* GRADUS_BAD_ARGUMENT: the format cannot hold the model. */
    gradus_status (*write)(const gradus_model *model, const gr_export_options *options,
                           gr_buffer *out, gradus_error *err);
} gr_format;

#define GR_FORMAT(name, ...) extern const gr_format gr_format_##name;
#include "exchange/formats.def"
#undef GR_FORMAT

#endif
