/* SPDX-License-Identifier: Apache-2.0 */
/* Writes binned files, which are trained on without values. */
#ifndef GR_PIPELINE_WRITE_BINNED_H
#define GR_PIPELINE_WRITE_BINNED_H

#include "base/context.h"
#include "base/param.h"

extern const gr_operation gr_operation_bin;

/* Reads files and writes them with bins instead of values. */
gradus_status gr_write_binned(gradus_context *context, const char *const *paths, size_t count,
                              const gradus_options *read, const gradus_options *bin, const char *to,
                              gradus_error *err);

#endif
