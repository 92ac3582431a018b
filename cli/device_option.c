/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the plug-in for GPUs at run time. */
#include "device_option.h"

#include "plugin_file.h"

#include <stdlib.h>
#include <string.h>

/* From here on a GPU gains back the half second that its start takes. From bench/README.md, "GPU", an H200
 * against 16 threads of the processor: 100 rounds of 31 leaves on 8e7 values take .11 s and .73 s, so that
 * values times rounds break even at 6.5e9, and at less with more leaves; 3.8e9 pairs of a row and a tree are
 * scored in .28 s and .95 s, and break even at 2.8e9. Fewer than 5e7 values do not keep a GPU busy. */
static const double many_values = 5e7, many_value_rounds = 6e9, many_row_trees = 3e9;

static gradus_device *open_device(gradus_error *err)
{
    char *path = plugin_find(DEVICE_PLUGIN);
    gradus_device *device = path ? gradus_device_open(path, err) : NULL;

    if (!path)
        *err = (gradus_error){ GRADUS_BAD_ARGUMENT, "gradus was built without the plug-in for CUDA "
                                                    "(docs/guide/gpu.md)" };
    free(path);
    return device;
}

int device_begin(chosen_device *device, const arguments *given)
{
    const char *word = argument(given, "device");
    gradus_error err;

    *device = (chosen_device){ .automatic = word && strcmp(word, "auto") == 0 };
    if (!word || device->automatic || strcmp(word, "cpu") == 0)
        return -1;
    if (strcmp(word, "cuda") != 0)
        return fail_usage("--device takes cpu, cuda or auto, not '%s'", word);
    if (option_given(given, "distributed"))
        return fail_usage("--device cuda cannot be combined with --distributed: a training runs on "
                          "one GPU or on several processes; leave out one of the two options");
    device->opened = open_device(&err);
    if (!device->opened) {
        const int status = fail_usage("--device cuda: %s", err.message);

        return err.status == GRADUS_BAD_ARGUMENT ? status : 1;
    }
    gradus_context_set_device(given->context, device->opened);
    return -1;
}

/* A plug-in that cannot be used is a mistake of the installation; no plug-in, no driver or no GPU is not. */
static void note_broken(const gradus_error *err)
{
    char *path = err->status == GRADUS_LOST ? NULL : plugin_find(DEVICE_PLUGIN);

    if (path)
        say("note: --device auto uses the processor: %s\n", err->message);
    free(path);
}

static void open_automatic(chosen_device *device, const arguments *given)
{
    gradus_error err;

    if (!device->automatic || device->opened || option_given(given, "distributed"))
        return;
    device->opened = open_device(&err);
    if (!device->opened && !given->quiet)
        note_broken(&err);
    gradus_context_set_device(given->context, device->opened);
}

void device_to_train(chosen_device *device, const arguments *given, const gradus_dataset *data)
{
    const double values = (double)gradus_dataset_rows(data) * (double)gradus_dataset_features(data);
    uint64_t rounds = 0;

    parse_count(gradus_options_value(options_of(given, "train"), "rounds"), SIZE_MAX, &rounds);
    if (values >= many_values && values * (double)rounds >= many_value_rounds)
        open_automatic(device, given);
}

void device_to_score(chosen_device *device, const arguments *given, const gradus_dataset *data,
                     const gradus_model *model)
{
    gradus_model_fact trees;

    if (model && gradus_model_fact_find(model, "trees", &trees) &&
        (double)gradus_dataset_rows(data) * trees.number >= many_row_trees)
        open_automatic(device, given);
}

bool device_leave(chosen_device *device, const arguments *given)
{
    if (!device->automatic || !device->opened)
        return false;
    device_end(device, given);
    return true;
}

const char *device_name(const chosen_device *device)
{
    return device->opened ? gradus_device_name(device->opened) : "cpu";
}

void device_end(chosen_device *device, const arguments *given)
{
    gradus_context_set_device(given->context, NULL);
    gradus_device_free(device->opened);
    device->opened = NULL;
}
