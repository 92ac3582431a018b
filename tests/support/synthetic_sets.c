/* SPDX-License-Identifier: Apache-2.0 */
/* Generating synthetic datasets in tests. */
#include "synthetic_sets.h"

gradus_options *synth_options(const char *kind, const char *const *pairs)
{
    char operation[32];
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options;

    snprintf(operation, sizeof operation, "synth %s", kind);
    options = gradus_options_new(operation, &err);
    assert_non_null(options);
    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], &err), GRADUS_OK);
    return options;
}

gradus_dataset *make_synth(size_t threads, const char *kind, const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = synth_options(kind, pairs);
    gradus_context *context = gradus_context_new(threads, &err);
    gradus_dataset *data = gradus_synth(context, options, &err);

    if (!data)
        print_error("%s\n", err.message);
    assert_non_null(data);
    gradus_context_free(context);
    gradus_options_free(options);
    return data;
}
