/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that plug-ins provide. Each is opened once and stays open, because starting a GPU takes longer than
 * many of the calls that use it. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct opened {
    struct opened *next;
    gradus_device *device;
    char path[];
} opened;

static opened *all; /* guarded by the GIL */

static const gradus_device *find(const char *path)
{
    for (const opened *o = all; o; o = o->next)
        if (strcmp(o->path, path) == 0)
            return o->device;
    return NULL;
}

/* With the GIL held, so that no two threads open the same one. */
static const gradus_device *open_path(const char *path)
{
    const gradus_device *known = find(path);
    gradus_error err;

    if (known)
        return known;
    const size_t size = strlen(path) + 1;
    opened *made = malloc(sizeof *made + size);

    if (!made) {
        PyErr_NoMemory();
        return NULL;
    }
    made->device = gradus_device_open(path, &err);
    if (!made->device) {
        free(made);
        raise_error(&err);
        return NULL;
    }
    memcpy(made->path, path, size);
    made->next = all;
    all = made;
    return made->device;
}

int device_converter(PyObject *object, void *device)
{
    const gradus_device **to = device;

    *to = NULL;
    if (object == Py_None)
        return 1;
    PyObject *bytes = PyUnicode_EncodeFSDefault(object);
    const char *path = bytes ? PyBytes_AsString(bytes) : NULL;

    if (path)
        *to = open_path(path);
    Py_XDECREF(bytes);
    return *to != NULL;
}
