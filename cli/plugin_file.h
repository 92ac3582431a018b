/* SPDX-License-Identifier: Apache-2.0 */
/* Where plug-ins are found. */
#ifndef CLI_PLUGIN_FILE_H
#define CLI_PLUGIN_FILE_H

#include "print_text.h"

/* Looks for a plug-in beside the command and where `cmake --install` puts them. Its path, or NULL;
 * release with free(). */
char *plugin_find(const char *name);

#endif
