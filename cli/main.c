/* gradus COMMAND ... Exit status: 0 done, 1 the work failed, 2 wrong usage. */
#include "command.h"

#include <signal.h>

int main(int count, char **words)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, and said to be one */
    return run_command(count, words);
}
