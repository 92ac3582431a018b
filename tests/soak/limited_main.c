/* SPDX-License-Identifier: Apache-2.0 */
/* gradus on a simulated older CPU: GRADUS_TEST_CPU=avx2 hides AVX-512, =baseline everything
 * beyond x86-64. Results of kernels must not depend on it. */
#include "command.h"
#include "cpu_limit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    const char *level = getenv("GRADUS_TEST_CPU");

    signal(SIGPIPE, SIG_IGN);
    if (!limit_cpu(level)) {
        fprintf(stderr, "GRADUS_TEST_CPU: this CPU has no kernels '%s'\n", level);
        return 2;
    }
    return run_command(count, words);
}
