/* SPDX-License-Identifier: Apache-2.0 */
/* Runs commands inside a fuzz target and discards their output: the target is linked with cli/
 * except its main. Include it in one file of a target. */
#ifndef GR_TESTS_FUZZ_COMMAND_H
#define GR_TESTS_FUZZ_COMMAND_H

#include "fuzz_file.h"

#include "../../cli/command.h"
#include "../../cli/page.h"

#include <fcntl.h>
#include <string.h>

/* An empty page: only its data. */
const char report_page[] = "@data@";

size_t report_page_size(void)
{
    return sizeof report_page - 1;
}

/* Closes standard output; messages are dropped by replacing the stream, so that those of
 * sanitizers, which write to the descriptor, remain visible. */
static inline void be_quiet(void)
{
    static bool quiet;
    const int nowhere = quiet ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    FILE *stream = quiet ? NULL : fopen("/dev/null", "we");

    if (quiet)
        return;
    must(nowhere >= 0 && stream && dup2(nowhere, STDOUT_FILENO) >= 0, "output can be dropped");
    close(nowhere);
    stderr = stream;
    quiet = true;
}

enum { COMMAND_WORDS = 16 };

/* Runs a command; words after "gradus", NULL-terminated. Any exit status is acceptable. */
static inline void run_words(const char *const *words)
{
    char *copies[COMMAND_WORDS + 1] = { strdup("gradus") }, *given[COMMAND_WORDS + 1];
    int count = 1, status;

    be_quiet();
    for (; words[count - 1]; count++) {
        must(count < COMMAND_WORDS, "there is room for the words");
        copies[count] = strdup(words[count - 1]);
    }
    memcpy(given, copies, sizeof given); /* commands may reorder the words */
    status = run_command(count, given);
    must(status >= 0 && status <= 2, "an exit status is 0, 1 or 2");
    for (int i = 0; i < count; i++)
        free(copies[i]);
}

#endif
