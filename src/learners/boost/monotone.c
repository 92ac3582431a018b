/* SPDX-License-Identifier: Apache-2.0 */
/* Monotone constraints. Bounds are passed down the tree: at a split on a constrained feature, the
 * midpoint between the mean values of the two sides becomes the upper bound of one side and the
 * lower bound of the other, so that all leaves below respect the order. */
#include "learners/boost/monotone.h"

#include "data/row_names.h"
#include "data/used_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gradus_status read_sign(const char *item, size_t length, const gradus_dataset *data,
                               int8_t *signs, gradus_error *err)
{
    char word[128];
    size_t feature;

    if (length < 3 || length >= sizeof word || item[length - 2] != ':' ||
        (item[length - 1] != '+' && item[length - 1] != '-'))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'monotone' takes comma-separated FEATURE:+ or FEATURE:-, not '%.*s'",
                       (int)(length < 60 ? length : 60), item);
    memcpy(word, item, length - 2);
    word[length - 2] = '\0';
    GR_TRY(gr_find_feature(data->wide ? data->wide : data, word, &feature, err));
    if (data->columns)
        feature = gr_used_find(data->columns, feature);
    if (feature == GR_NO_COLUMN) /* 0 in every row, so that no split uses it */
        return GRADUS_OK;
    const int8_t sign = item[length - 1] == '+' ? 1 : -1;

    if (signs[feature] == -sign)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'monotone': feature '%s' cannot be both + and -",
                       word);
    signs[feature] = sign;
    return GRADUS_OK;
}

gradus_status gr_monotone_parse(const char *text, const gradus_dataset *data, int8_t **signs,
                                gradus_error *err)
{
    *signs = NULL;
    if (!*text)
        return GRADUS_OK;
    *signs = gr_new_array(data->arrays.features, sizeof **signs);
    if (!*signs)
        return gr_fail_memory(err, "monotone constraints");
    while (*text) {
        const size_t length = strcspn(text, ",");
        const gradus_status status = read_sign(text, length, data, *signs, err);

        if (status != GRADUS_OK) {
            free(*signs);
            *signs = NULL;
            return status;
        }
        text += length + (text[length] == ',');
    }
    return GRADUS_OK;
}

typedef struct subtree {
    double sum, rows;
} subtree;

static subtree part_of(int32_t child, const gr_grown *grown, const double *values,
                       const subtree *nodes)
{
    if (child >= 0)
        return nodes[child];
    /* NOLINTNEXTLINE(bugprone-misplaced-widening-cast): child < 0, ~child >= 0 */
    const size_t leaf = (size_t)~child;
    const double rows = (double)grown->covers[leaf];

    return (subtree){ rows * values[leaf], rows };
}

static double mean_of(subtree part)
{
    return part.rows > 0.0 ? part.sum / part.rows : 0.0;
}

typedef struct bounds {
    double low, high;
} bounds;

static double within(double value, bounds b)
{
    return value < b.low ? b.low : value > b.high ? b.high : value;
}

static void pass_down(int32_t child, bounds b, bounds *nodes, double *values)
{
    if (child >= 0)
        nodes[child] = b;
    else
        values[~child] = within(values[~child], b);
}

void gr_monotone_clamp(const gr_grown *grown, const int8_t *signs, double *values, double *scratch)
{
    const size_t splits = grown->leaves - 1;
    subtree *sums = (subtree *)(void *)scratch;
    bounds *limits = (bounds *)(void *)(scratch + 2 * grown->leaves);

    if (splits == 0)
        return;
    for (size_t s = splits; s-- > 0;) { /* children come after their parents */
        const subtree left = part_of(grown->splits[s].left, grown, values, sums);
        const subtree right = part_of(grown->splits[s].right, grown, values, sums);

        sums[s] = (subtree){ left.sum + right.sum, left.rows + right.rows };
    }
    limits[0] = (bounds){ -INFINITY, INFINITY };
    for (size_t s = 0; s < splits; s++) {
        const gr_split *split = &grown->splits[s];
        /* NOLINTNEXTLINE(bugprone-signed-char-misuse): int8_t is a number here, -1, 0 or 1 */
        const int sign = signs[split->feature];
        bounds left = limits[s], right = limits[s];

        if (sign) {
            const double a = within(mean_of(part_of(split->left, grown, values, sums)), limits[s]);
            const double b = within(mean_of(part_of(split->right, grown, values, sums)), limits[s]);
            const double middle = (a + b) / 2.0;

            *(sign > 0 ? &left.high : &left.low) = middle;
            *(sign > 0 ? &right.low : &right.high) = middle;
        }
        pass_down(split->left, left, limits, values);
        pass_down(split->right, right, limits, values);
    }
}
