/* SPDX-License-Identifier: Apache-2.0 */
/* Everything from the signal on is async-signal-safe: open, read, write and _exit, no
 * allocation. Named temporary files remain; the next run that writes the same file removes them. */
#include "bus_error.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* A line of /proc/self/maps is read byte by byte: "from-to modes offset device inode   path". */
typedef struct map_line {
    uintptr_t edges[2]; /* of the mapping */
    size_t field;       /* 0 from, 1 to, then those between, 6 the path */
    bool between;       /* two fields */
    char path[PATH_MAX];
    size_t length;
} map_line;

static unsigned digit_of(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10u;
}

static void take(map_line *line, char c)
{
    if (line->field < 6 && (c == ' ' || (line->field == 0 && c == '-'))) {
        line->field += !line->between;
        line->between = true;
        return;
    }
    line->between = false;
    if (line->field < 2)
        line->edges[line->field] = line->edges[line->field] * 16 + digit_of(c);
    else if (line->field == 6 && line->length < sizeof line->path && (c != ' ' || line->length > 0))
        line->path[line->length++] = c;
}

/* Whether the file that is mapped at the address was found; line->path is its path. */
static bool find_file(uintptr_t address, map_line *line)
{
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char bytes[512];
    ssize_t count;
    bool found = false;

    memset(line, 0, sizeof *line);
    while (maps >= 0 && !found && (count = read(maps, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < count && !found; i++)
            if (bytes[i] != '\n')
                take(line, bytes[i]);
            else if (line->edges[0] <= address && address < line->edges[1])
                found = true;
            else
                memset(line, 0, sizeof *line);
    if (maps >= 0)
        close(maps);
    return found && line->length > 0 && line->path[0] == '/';
}

static void print(const char *bytes, size_t length)
{
    if (write(STDERR_FILENO, bytes, length) < 0)
        _exit(1);
}

static void print_words(const char *words)
{
    print(words, strlen(words));
}

static void report(int number, siginfo_t *about, void *context)
{
    static map_line line; /* too large for the stack of a thread */
    static atomic_flag reported = ATOMIC_FLAG_INIT;

    (void)context;
    while (atomic_flag_test_and_set(&reported)) /* another thread reports, and ends the process */
        pause();
    if (about->si_code != BUS_ADRERR) { /* not caused by a truncated file */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    print_words("gradus: ");
    if (find_file((uintptr_t)about->si_addr, &line)) {
        print_words("'");
        print(line.path, line.length);
        print_words("'");
    } else {
        print_words("an input file");
    }
    print_words(" was truncated while it was being read\n");
    _exit(1);
}

void truncated_report(void)
{
    struct sigaction action = { .sa_sigaction = report, .sa_flags = SA_SIGINFO };

    sigfillset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
