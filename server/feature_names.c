/* SPDX-License-Identifier: Apache-2.0 */
/* Finds features by name. */
#include "feature_names.h"

#include "base/error.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct feature_names {
    const gradus_model *model; /* owns the names */
    size_t features, first_id;
    bool named;
    size_t mask;     /* slots - 1, a power of two minus one */
    uint32_t *slots; /* feature + 1; 0: empty */
};

static size_t hash(const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
    return (size_t)(h ^ h >> 32);
}

gradus_status feature_names_new(const gradus_model *model, size_t features, feature_names **names,
                                gradus_error *err)
{
    feature_names *n = calloc(1, sizeof *n);
    size_t slots = 16;

    *names = n;
    if (!n)
        return gr_fail_memory(err, "feature names");
    *n = (feature_names){ .model = model, .features = features };
    n->first_id = gradus_model_first_id(model);
    n->named = *gradus_model_feature_name(model, 0);
    if (!n->named)
        return GRADUS_OK;
    while (slots < 2 * features)
        slots *= 2;
    n->mask = slots - 1;
    if (!(n->slots = calloc(slots, sizeof *n->slots)))
        return gr_fail_memory(err, "feature names");
    for (size_t f = 0; f < features; f++) {
        const char *name = gradus_model_feature_name(model, f);
        size_t at = hash(name, strlen(name)) & n->mask;

        while (n->slots[at])
            at = (at + 1) & n->mask;
        n->slots[at] = (uint32_t)(f + 1);
    }
    return GRADUS_OK;
}

void feature_names_free(feature_names *names)
{
    if (!names)
        return;
    free(names->slots);
    free(names);
}

static bool find_id(const feature_names *n, const char *name, size_t length, size_t *feature)
{
    uint64_t id;

    if (gr_parse_count(name, name + length, &id) != name + length || (length > 1 && *name == '0') ||
        id < n->first_id || id - n->first_id >= n->features)
        return false;
    *feature = (size_t)id - n->first_id;
    return true;
}

bool feature_names_find(const feature_names *n, const char *name, size_t length, size_t *feature)
{
    if (!n->named)
        return find_id(n, name, length, feature);
    for (size_t at = hash(name, length) & n->mask; n->slots[at]; at = (at + 1) & n->mask) {
        const char *other = gradus_model_feature_name(n->model, n->slots[at] - 1);

        if (strncmp(other, name, length) == 0 && !other[length]) {
            *feature = n->slots[at] - 1;
            return true;
        }
    }
    return false;
}
