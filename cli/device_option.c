/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the plug-in for GPUs at run time. */
#include "device_option.h"

#include "plugin_file.h"

#include <stdlib.h>
#include <string.h>

/* A GPU starts in about half a second, in which 16 cores grow dozens of trees on this many values. */
static const double many_values = 5e7;

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

void device_for(chosen_device *device, const arguments *given, const gradus_dataset *data)
{
    const double values = (double)gradus_dataset_rows(data) * (double)gradus_dataset_features(data);
    gradus_error err;

    if (!device->automatic || device->opened || option_given(given, "distributed") ||
        values < many_values)
        return;
    device->opened = open_device(&err);
    if (!device->opened && !given->quiet)
        note_broken(&err);
    gradus_context_set_device(given->context, device->opened);
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
