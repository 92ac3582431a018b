/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: devices, which plug-ins provide. */
#include "api/api_arguments.h"
#include "backend/device.h"
#include "base/context.h"

#include <dlfcn.h>

gradus_device *gradus_device_open(const char *path, gradus_error *err)
{
    gr_device_open_function *open_device = NULL;
    gradus_device *device = NULL;

    if (!GR_GIVEN(err, path))
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        const char *why = dlerror();

        gr_fail(err, GRADUS_NO_FILE, "%.400s", why ? why : path);
        return NULL;
    }
    *(void **)&open_device = dlsym(library, GR_DEVICE_OPEN);
    if (open_device)
        device = open_device(GR_DEVICE_VERSION, err);
    else
        gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is not a plug-in for a device", path);
    if (!device) {
        dlclose(library);
        return NULL;
    }
    device->library = library;
    return device;
}

void gradus_device_free(gradus_device *device)
{
    if (!device)
        return;
    void *library = device->library;

    device->close(device);
    if (library)
        dlclose(library);
}

const char *gradus_device_name(const gradus_device *device)
{
    return GR_GIVEN(NULL, device) ? device->name : "";
}

uint64_t gradus_device_memory(const gradus_device *device)
{
    return GR_GIVEN(NULL, device) ? device->free_memory(device) : 0;
}

void gradus_context_set_device(gradus_context *context, const gradus_device *device)
{
    if (!GR_GIVEN(NULL, context))
        return;
    context->device = device;
}
