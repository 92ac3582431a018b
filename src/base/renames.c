/* SPDX-License-Identifier: Apache-2.0 */
/* Old names are refused with the new one, so that scripts are fixed once; recipes stored in old
 * models are translated when the model is read. */
#include "base/renames.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *operation; /* its first word */
    const char *old, *name;
} renames[] = {
    { "train", "row-share", "row-fraction" },
    { "train", "query-share", "query-fraction" },
    { "train", "feature-share", "feature-fraction" },
    { "train", "bag-share", "bag-fraction" },
    { "train", "calibration-share", "calibration-fraction" },
    { "split", "shares", "fractions" },
    { "synth", "shares", "grade-fractions" },
};

static bool same_name(const char *name, const char *typed)
{
    for (; *name; name++, typed++)
        if (*typed != *name && !(*typed == '_' && *name == '-'))
            return false;
    return *typed == '\0';
}

const char *gr_option_renamed(const char *operation, const char *name)
{
    const size_t length = strcspn(operation, " ");

    for (size_t i = 0; i < sizeof renames / sizeof *renames; i++)
        if (strlen(renames[i].operation) == length &&
            memcmp(renames[i].operation, operation, length) == 0 && same_name(renames[i].old, name))
            return renames[i].name;
    return NULL;
}
