/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the data of `gradus tune` and `gradus auto`. */
#include "cmd_tune.h"

#include "signals.h"

static const char *const set_words[TUNE_SETS] = { "train", "valid", "test" };

int tune_sets_read(const arguments *given, gradus_dataset *sets[TUNE_SETS])
{
    gradus_options *others = options_without_weights(given);
    gradus_error err;
    int status = 0;

    for (size_t s = 0; s < TUNE_SETS && status == 0; s++) {
        if (!argument(given, set_words[s]) || (status = check_no_models(given, set_words[s])) != 0)
            continue;
        sets[s] = read_files(given, set_words[s],
                             s == TUNE_TRAIN ? options_of(given, "read") : others, &err);
        if (!sets[s])
            status = err.status == GRADUS_CANCELLED && signals_came() ? TUNE_STOPPED : fail(&err);
    }
    gradus_options_free(others);
    return status;
}

void tune_sets_free(gradus_dataset *sets[TUNE_SETS])
{
    for (size_t s = 0; s < TUNE_SETS; s++)
        gradus_dataset_free(sets[s]);
}
