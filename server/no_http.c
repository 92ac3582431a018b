/* SPDX-License-Identifier: Apache-2.0 */
/* In place of the server, if libmicrohttpd was not there when the command was built. */
#include "serve.h"

#include <string.h>

bool serve_available(void)
{
    return false;
}

server *serve_start(const serve_settings *settings, gradus_error *err)
{
    static const char message[] =
        "this gradus was built without libmicrohttpd, which the server needs "
        "(Debian: libmicrohttpd-dev)";

    (void)settings;
    err->status = GRADUS_BAD_ARGUMENT;
    memcpy(err->message, message, sizeof message);
    return NULL;
}

const char *serve_url(const server *s)
{
    (void)s;
    return "";
}

void serve_reload(server *s)
{
    (void)s;
}

size_t serve_stop(server *s, unsigned seconds)
{
    (void)s;
    (void)seconds;
    return 0;
}
