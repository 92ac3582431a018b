/* SPDX-License-Identifier: Apache-2.0 */
/* Training a model with options given as pairs, and comparing models. */
#include "train_model.h"

#include "checks.h"
#include "model_bytes.h"

#include <stdlib.h>

gradus_options *train_options(const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);

    assert_non_null(options);
    for (; *pairs; pairs += 2)
        if (gradus_options_set(options, pairs[0], pairs[1], &err) != GRADUS_OK)
            fail_msg("%s", err.message);
    return options;
}

gradus_model *train_by_options(size_t threads, const gradus_dataset *train,
                               const gradus_dataset *valid, gradus_options *options)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(threads, &err);
    gradus_model *model = gradus_train(context, train, valid, options, &err);

    if (!model)
        fail_msg("%s", err.message);
    gradus_options_free(options);
    gradus_context_free(context);
    return model;
}

gradus_model *train_model(size_t threads, const gradus_dataset *train, const gradus_dataset *valid,
                          const char *const *pairs)
{
    return train_by_options(threads, train, valid, train_options(pairs));
}

void check_same_model(const gradus_model *a, const gradus_model *b)
{
    size_t sizes[2];
    char *bytes[] = { model_bytes(a, &sizes[0]), model_bytes(b, &sizes[1]) };

    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}
