/* SPDX-License-Identifier: Apache-2.0 */
/* Parses comma-separated numbers in options. */
#include "base/grid.h"

#include "base/text.h"

#include <string.h>

gradus_status gr_numbers_parse(const char *text, const char *name, double low, double high,
                               double *values, size_t capacity, size_t *count, gradus_error *err)
{
    const char *at = text, *end = text + strlen(text);

    for (*count = 0; *count < capacity; at++) {
        double value;
        const char *after = gr_parse_double(at, end, &value);

        if (!after || (after < end && *after != ',') || !(value >= low && value <= high))
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "'%s' takes a number from %g to %g, or a comma-separated list of "
                           "them, not '%.60s'",
                           name, low, high, text);
        values[(*count)++] = value;
        if (after == end)
            return GRADUS_OK;
        at = after;
    }
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' takes at most %zu %s", name, capacity,
                   gr_plural(capacity, "number", "numbers"));
}

gradus_status gr_grid_parse(const char *text, const char *name, double low, double high,
                            double *values, size_t *count, gradus_error *err)
{
    return gr_numbers_parse(text, name, low, high, values, GR_GRID_VALUES, count, err);
}
