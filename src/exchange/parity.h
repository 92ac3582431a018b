/* SPDX-License-Identifier: Apache-2.0 */
/* Parity files: rows of probe values with the scores of a model, to check an exported model in the
 * tool that runs it. CSV:
 *
 *     # comment lines: the format, the tolerance, the program that checks
 *     score,0,1,2
 *     0.25,1.5,nan,-0
 *
 * The header line has the numbers, from 0, of the features. A feature without a column, which only
 * models with more than GR_PROBE_FEATURES features have, is 0. Values are floats, written as doubles;
 * nan: missing. The rows form one query. docs/formats/exported-models.md describes it for users. */
#ifndef GR_EXCHANGE_PARITY_H
#define GR_EXCHANGE_PARITY_H

#include "exchange/format.h"

/* For the program text. */
typedef struct gr_parity_names {
    const char *file, *parity; /* of the exported file and of the parity file */
    const char *model;         /* the option "name" */
} gr_parity_names;

/* Appends the parity file of a model to out. The same model gives the same bytes. */
gradus_status gr_parity(const gradus_model *model, const gr_format *format,
                        const gr_parity_names *names, gr_buffer *out, gradus_error *err);

#endif
