/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of --valid: plain files are one set, "valid"; NAME=FILE adds a file to a set of that
 * name. The first set selects the best round, the others are only evaluated. */
#include "cmd_train.h"

#include <stdlib.h>
#include <string.h>

/* Finds the set of a name, or adds it; NULL: too many sets. */
static valid_set *find_set(job *j, const char *name, size_t length, size_t files)
{
    valid_set *set;

    for (size_t i = 0; i < j->valid_count; i++)
        if (strlen(j->valids[i].name) == length && memcmp(j->valids[i].name, name, length) == 0)
            return &j->valids[i];
    if (j->valid_count == MAX_VALID_SETS)
        return NULL;
    set = &j->valids[j->valid_count++];
    set->name = must_have(length + 1, 1);
    memcpy(set->name, name, length);
    set->files = must_have(files, sizeof *set->files);
    return set;
}

static int check_set(const valid_set *set, const char *file)
{
    for (size_t s = 0; s < SETS; s++)
        if (s != SET_VALID && strcmp(set->name, set_names[s]) == 0)
            return fail_usage("--valid NAME=FILE: the name '%s' is reserved for another set",
                              set->name);
    if (gradus_model_is_file(file))
        return fail_usage("--valid takes data, but '%s' is a model", file);
    return -1;
}

int valid_sets_begin(job *j)
{
    const char *const *values;
    const size_t count = argument_list(j->given, "valid", &values);
    int status = -1;

    for (size_t i = 0; i < count && status < 0; i++) {
        size_t length;
        const char *file = file_of_set(values[i], &length);
        valid_set *set = length ? find_set(j, values[i], length, count)
                                : find_set(j, "valid", strlen("valid"), count);

        if (!set)
            return fail_usage("gradus train takes at most %d validation sets", MAX_VALID_SETS);
        set->files[set->count++] = file;
        status = check_set(set, file);
    }
    j->paths[SET_VALID] = j->valid_count ? j->valids[0].files[0] : NULL;
    return status;
}

gradus_status valid_sets_read(job *j, const gradus_options *options, gradus_error *err)
{
    for (size_t i = 0; i < j->valid_count; i++) {
        valid_set *set = &j->valids[i];

        set->data =
            gradus_dataset_read_files(j->given->context, set->files, set->count, options, err);
        if (!set->data)
            return err->status;
    }
    j->sets[SET_VALID] = j->valid_count ? j->valids[0].data : NULL;
    return GRADUS_OK;
}

void valid_sets_free(job *j)
{
    for (size_t i = 0; i < j->valid_count; i++) {
        gradus_dataset_free(j->valids[i].data);
        free(j->valids[i].name);
        free(j->valids[i].files);
    }
    j->sets[SET_VALID] = NULL;
}
