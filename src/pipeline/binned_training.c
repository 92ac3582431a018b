/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a binned file can be trained on: the model must be that of the values with the same
 * options. */
#include "pipeline/binned_training.h"

#include "bins/attached.h"
#include "data/binary.h"
#include "model/predict_binned.h"
#include "pipeline/train.h"

#include <stdio.h>
#include <string.h>

static gradus_status take_option(gradus_training *t, const char *name, const char *value,
                                 gradus_error *err)
{
    if (strcmp(gr_options_value(t->given, name), value) == 0)
        return GRADUS_OK;
    if (gr_options_given(t->given, name))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%.200s' was binned with '%s %s', not %s: bin the original file again, or "
                       "train on that",
                       gr_binary_name(t->input.train->binary), name, value,
                       gr_options_value(t->given, name));
    return gr_options_set(t->given, name, value, err);
}

static gradus_status take_count(gradus_training *t, const char *name, uint64_t count,
                                gradus_error *err)
{
    char value[32];

    snprintf(value, sizeof value, "%llu", (unsigned long long)count);
    return take_option(t, name, value, err);
}

/* The seed decides which rows thresholds are computed from, unless they are computed from all. */
static gradus_status check_seed(const gradus_training *t, const gr_bin_options *bin,
                                gradus_error *err)
{
    const uint64_t seed = t->recipe.options->seed;

    if (bin->sample == 0 || t->input.train->arrays.rows <= bin->sample || seed == bin->seed)
        return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "'%.200s' was binned with 'seed %llu', not %llu, from a sample of the rows: bin "
                   "the original file with this seed, or with 'bin-sample 0' for any seed",
                   gr_binary_name(t->input.train->binary), (unsigned long long)bin->seed,
                   (unsigned long long)seed);
}

gradus_status gr_training_take_binning(gradus_training *t, gradus_error *err)
{
    static const char *const schemes[] = { "quantile", "adaptive" };
    const gradus_dataset *data = t->input.train;

    if (!gr_dataset_is_binned(data))
        return GRADUS_OK;
    if (!t->recipe.learner->bins)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "'%.200s' has bins instead of values, but '%s' with the learner '%s' needs "
            "values: train on the file that it was made from, or use a method of boosted "
            "trees (learner gbrt)",
            gr_binary_name(data->binary), t->recipe.ranker->about.name,
            t->recipe.learner->about.name);
    const gr_bin_options *bin = gr_attached_options(data->binned->state);

    GR_TRY(take_option(t, "binning", schemes[bin->scheme], err));
    GR_TRY(take_count(t, "bins", bin->bins, err));
    GR_TRY(take_count(t, "bin-sample", bin->sample, err));
    GR_TRY(check_seed(t, bin, err));
    if (t->input.start && !gr_model_takes_bins(t->input.start, data))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model to start from splits between other values than the bins of "
                       "'%.200s': train on the file that it was made from",
                       gr_binary_name(data->binary));
    return GRADUS_OK;
}
