/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the plug-ins that the command opens at run time. */
#include "plugin_file.h"

#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

char *plugin_find(const char *name)
{
    static const char *const folders[] = { "/", "/../" PLUGIN_FOLDER "/" };
    char path[PATH_MAX] = "";

    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        return NULL;
    const char *folder = dirname(path);

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        text file = { NULL, 0, 0 };

        text_add(&file, folder);
        text_add(&file, folders[i]);
        text_add(&file, name);
        if (access(text_string(&file), F_OK) == 0)
            return file.at;
        text_free(&file);
    }
    return NULL;
}
