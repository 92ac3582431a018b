/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets from streams of the Arrow C stream interface. */
#ifndef GR_DATA_ARROW_H
#define GR_DATA_ARROW_H

#include "data/read.h"

/* Releases the stream in all cases. */
gradus_dataset *gr_arrow_read(gradus_context *context, struct ArrowArrayStream *stream,
                              const gr_read_options *options, gradus_error *err);

#endif
