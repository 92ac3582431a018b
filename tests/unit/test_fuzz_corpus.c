/* SPDX-License-Identifier: Apache-2.0 */
/* The corpus of the model fuzz target has a valid file for every kind of node, so that mutations
 * reach all of them. A new kind needs one: tests/fuzz/make_models.sh. */
#include "check.h"

#include "model/model.h"

#include <dirent.h>
#include <string.h>

static const gr_node_kind *const kinds[] = {
#define GR_NODE_KIND(name) &gr_node_##name,
#include "model/kinds.def"
#undef GR_NODE_KIND
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const char corpus[] = "tests/fuzz/corpus/model";

static void mark_kinds(const gradus_model *model, bool seen[KINDS])
{
    for (size_t n = 0; n < model->node_count; n++)
        for (size_t k = 0; k < KINDS; k++)
            seen[k] = seen[k] || model->nodes[n].kind == kinds[k];
}

static void test_every_kind_of_node_has_a_valid_model(void **state)
{
    DIR *folder = opendir(corpus);
    bool seen[KINDS] = { false };

    (void)state;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        gradus_error err = { GRADUS_OK, "" };
        char path[512];
        gradus_model *model;

        snprintf(path, sizeof path, "%s/%s", corpus, entry->d_name);
        model = strstr(entry->d_name, ".model") ? gr_model_read(path, &err) : NULL;
        if (strncmp(entry->d_name, "trained-", 8) == 0 && !model)
            fail_msg("%s: %s", path, err.message);
        if (model)
            mark_kinds(model, seen);
        gr_model_free(model);
    }
    closedir(folder);
    for (size_t k = 0; k < KINDS; k++)
        if (!seen[k])
            fail_msg("%s has no valid model with a node of kind '%s'", corpus,
                     kinds[k]->about.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_node_has_a_valid_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
