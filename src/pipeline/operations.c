/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations. */
#include "pipeline/operations.h"

#include "base/table.h"

#include <string.h>

static const gr_operation *const operations[] = {
#define GR_OPERATION(name) &gr_operation_##name,
#include "pipeline/operations.def"
#undef GR_OPERATION
};

enum { OPERATIONS = sizeof operations / sizeof operations[0] };

const gr_operation *gr_operation_at(size_t index)
{
    return index < OPERATIONS ? operations[index] : NULL;
}

const gr_operation *gr_operation_find(const char *name, gradus_error *err)
{
    const char *names[OPERATIONS];

    for (size_t i = 0; i < OPERATIONS; i++) {
        names[i] = operations[i]->name;
        if (strcmp(names[i], name) == 0)
            return operations[i];
    }
    gr_fail_unknown(err, "operation", name, names, OPERATIONS);
    return NULL;
}
