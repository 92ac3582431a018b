/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the socket to listen on. */
#include "address.h"

#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static gradus_status bad(const char *text, gradus_error *err)
{
    return gr_fail(
        err, GRADUS_BAD_ARGUMENT,
        "cannot listen on '%s': expected ADDRESS:PORT, [ADDRESS]:PORT, PORT or unix:PATH", text);
}

/* Splits the text at its last colon; brackets around the address are removed. */
static gradus_status split(const char *text, char *host, size_t host_size, char *port,
                           size_t port_size, gradus_error *err)
{
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    size_t length = colon ? (size_t)(colon - text) : 0;

    if (!*digits || strspn(digits, "0123456789") != strlen(digits) || strlen(digits) >= port_size ||
        length >= host_size)
        return bad(text, err);
    if (length > 1 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    } else if (length && memchr(text, ':', length)) {
        return bad(text, err); /* an IPv6 address without brackets */
    }
    memcpy(host, text, length);
    host[length] = '\0';
    memcpy(port, digits, strlen(digits) + 1);
    return GRADUS_OK;
}

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 == 127;
    return a->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

static gradus_status open_socket(const struct sockaddr *a, socklen_t size, const char *text,
                                 address *to, gradus_error *err)
{
    const int one = 1;

    to->socket = socket(a->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (to->socket >= 0 && a->sa_family != AF_UNIX)
        setsockopt(to->socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (to->socket >= 0 && bind(to->socket, a, size) == 0 && listen(to->socket, 1024) == 0)
        return GRADUS_OK;
    gr_fail_errno(err, "listen on", text, errno);
    if (to->socket >= 0)
        close(to->socket);
    to->socket = -1;
    return err->status;
}

/* The URL with the address and port that the system chose. */
static void name_url(address *to, bool tls)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char host[128] = "?", port[16] = "?";

    if (getsockname(to->socket, (struct sockaddr *)(void *)&bound, &size) == 0)
        getnameinfo((struct sockaddr *)(void *)&bound, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(to->url, sizeof to->url, strchr(host, ':') ? "%s://[%s]:%s" : "%s://%s:%s",
             tls ? "https" : "http", host, port);
}

static gradus_status listen_inet(const char *text, bool tls, bool public_allowed, address *to,
                                 gradus_error *err)
{
    const struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    char host[128], port[8];
    gradus_status status;
    int failed;

    GR_TRY(split(text, host, sizeof host, port, sizeof port, err));
    failed = getaddrinfo(host[0] ? host : "127.0.0.1", port, &hints, &found);
    if (failed)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "cannot listen on '%s': %s", text,
                       gai_strerror(failed));
    to->local = is_loopback(found->ai_addr);
    if (!to->local && !public_allowed)
        status =
            gr_fail(err, GRADUS_BAD_ARGUMENT,
                    "other machines can reach '%s': give --token-file, or --insecure to answer "
                    "requests without a token",
                    text);
    else
        status = open_socket(found->ai_addr, found->ai_addrlen, text, to, err);
    freeaddrinfo(found);
    if (status == GRADUS_OK)
        name_url(to, tls);
    return status;
}

/* A socket file that no server listens on is left over from one that was killed. */
static void remove_stale(const struct sockaddr_un *a)
{
    struct stat found;
    int probe;

    if (stat(a->sun_path, &found) != 0 || !S_ISSOCK(found.st_mode))
        return;
    probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0)
        return;
    if (connect(probe, (const struct sockaddr *)(const void *)a, sizeof *a) != 0 &&
        errno == ECONNREFUSED)
        unlink(a->sun_path);
    close(probe);
}

static gradus_status listen_unix(const char *path, address *to, gradus_error *err)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };

    if (!*path || strlen(path) >= sizeof a.sun_path)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the path of a socket has 1 to %zu bytes: '%s'",
                       sizeof a.sun_path - 1, path);
    memcpy(a.sun_path, path, strlen(path) + 1);
    remove_stale(&a);
    GR_TRY(open_socket((const struct sockaddr *)(const void *)&a, sizeof a, path, to, err));
    to->local = true;
    memcpy(to->path, a.sun_path, sizeof to->path);
    snprintf(to->url, sizeof to->url, "unix:%s", path);
    return GRADUS_OK;
}

gradus_status address_listen(const char *text, bool tls, bool public_allowed, address *to,
                             gradus_error *err)
{
    *to = (address){ .socket = -1 };
    if (strncmp(text, "unix:", 5) == 0)
        return listen_unix(text + 5, to, err);
    return listen_inet(text, tls, public_allowed, to, err);
}

void address_end(address *a)
{
    if (a->path[0])
        unlink(a->path);
}
