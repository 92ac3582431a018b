/* SPDX-License-Identifier: Apache-2.0 */
/* All operations that have options: the rows of operations.def. */
#ifndef GR_PIPELINE_OPERATIONS_H
#define GR_PIPELINE_OPERATIONS_H

#include "base/param.h"

#define GR_OPERATION(name) extern const gr_operation gr_operation_##name;
#include "pipeline/operations.def"
#undef GR_OPERATION

const gr_operation *gr_operation_at(size_t index); /* NULL past the last */
const gr_operation *gr_operation_find(const char *name, gradus_error *err);

#endif
