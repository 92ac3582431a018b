/* SPDX-License-Identifier: Apache-2.0 */
/* Inference requests of the Open Inference Protocol, version 2. */
#ifndef SERVER_INFER_H
#define SERVER_INFER_H

#include "base/json_scan.h"
#include "request.h"

enum { MAX_DATATYPE = 8, OUTPUTS = 2 };

/* The outputs that models have. */
typedef enum output_tensor { OUTPUT_SCORES, OUTPUT_PROBABILITIES } output_tensor;
extern const char *const output_names[OUTPUTS];

/* The input tensor of a request. */
typedef struct input_tensor {
    bool given;
    bool named; /* "features", the only input that models have */
    char datatype[MAX_DATATYPE];
    size_t shape[2], dimensions;
    const char *data;   /* its JSON; NULL: binary */
    bool read;          /* the data have been read: their shape came first */
    size_t binary_size; /* bytes after the JSON; SIZE_MAX: none */
} input_tensor;

typedef struct inference {
    char id[256]; /* "": none */
    bool has_id;
    input_tensor input;
    bool chosen[OUTPUTS], any_chosen; /* outputs requested by name; otherwise all */
    bool binary[OUTPUTS];             /* requested as binary tensors */
    bool all_binary;
    bool shown[OUTPUTS]; /* in the answer */
} inference;

/* infer_read.c */
/* Reads the JSON of a request. */
gradus_status infer_read(request *r, inference *i);
/* infer_values.c */
/* Reads the values of the input into the rows of the request. */
gradus_status infer_read_values(request *r, const inference *i);
/* Checks the shape against the model and allocates the rows. */
gradus_status infer_prepare_rows(request *r, const input_tensor *input);
/* infer.c */
gradus_status handle_infer(request *r);

#endif
