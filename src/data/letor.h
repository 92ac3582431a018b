/* SPDX-License-Identifier: Apache-2.0 */
/* The LETOR/SVMlight text format: "2 qid:10 1:0.5 7:3 # docid = X". */
#ifndef GR_DATA_LETOR_H
#define GR_DATA_LETOR_H

#include "data/builder.h"
#include "data/lines.h"

/* Reads the whole source into builder, in parallel and in one pass. */
gradus_status gr_letor_read(gr_source *source, const gr_read_options *options,
                            gradus_context *context, gr_builder *builder, gradus_error *err);

#endif
