/* SPDX-License-Identifier: Apache-2.0 */
/* Search spaces of tuning: settings sampled from one, and those of its grid, are valid for
 * training. */
#include "fuzz_file.h"

#include "experiments/space.h"

#include <string.h>

enum { DRAWN = 6 };

/* "method=lambdamart leaves=31 rounds=10" */
static void check_settings(const char *settings)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);
    char *copy = strdup(settings), *rest = copy;

    must(options && copy, "an input fits into memory");
    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
        char *value = strchr(word, '=');

        must(value != NULL, "a setting has a value");
        *value++ = '\0';
        must(gradus_options_set(options, word, value, &err) == GRADUS_OK, err.message);
    }
    gradus_options_free(options);
    free(copy);
}

static void try_method(const gr_space *given, const char *method)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_setting_list settings = { NULL, 0 };
    gr_space space = { NULL, 0 };
    uint64_t next = 0;
    gradus_status status = gr_space_for(given, method, &space, &err);

    must_explain(status != GRADUS_OK, &err);
    if (status == GRADUS_OK) {
        must(gr_setting_list_draw(&space, method, 1, DRAWN, &next, &settings, &err) == GRADUS_OK,
             "settings can be drawn");
        next = 0;
        if (gr_space_grid(&space, 3) <= GR_MAX_GRID)
            must(gr_setting_list_grid(&space, method, 3, DRAWN, &next, &settings, &err) ==
                     GRADUS_OK,
                 "a grid has points");
        for (size_t i = 0; i < settings.count; i++)
            check_settings(settings.list[i]);
    }
    gr_setting_list_free(&settings);
    gr_space_free(&space);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    char *text = fuzz_text(bytes, size);
    gr_space space = { NULL, 0 };
    const gradus_status status = gr_space_parse(text, &space, &err);

    must_explain(status != GRADUS_OK, &err);
    if (status == GRADUS_OK) {
        try_method(&space, "lambdamart");
        try_method(&space, "cocr");
    }
    gr_space_free(&space);
    free(text);
    return 0;
}
