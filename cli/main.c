/* SPDX-License-Identifier: Apache-2.0 */
/* gradus COMMAND ... Exit status: 0 success, 1 failure, 2 wrong usage, 128 plus the signal number
 * if a signal stopped it. */
#include "command.h"
#include "bus_error.h"

#include <signal.h>

int main(int count, char **words)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, and reported as one */
    truncated_report();
    return run_command(count, words);
}
