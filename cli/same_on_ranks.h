/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the ranks of a distributed command have the same options and files. */
#ifndef CLI_SAME_ON_RANKS_H
#define CLI_SAME_ON_RANKS_H

#include "command.h"

/* Refuses standard input, which reaches one rank only. Exit status, or -1 to continue. */
int refuse_standard_input(const arguments *given);
/* Compares options, and files by their size and a sample of their bytes: a collective call, which fails on
 * all ranks. Options may differ that change neither the result nor what is exchanged: outputs,
 * checkpoints, threads, what is printed. */
gradus_status check_same_on_ranks(const gradus_collectives *with, const arguments *given,
                                  gradus_error *err);

#endif
