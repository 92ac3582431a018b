/* SPDX-License-Identifier: Apache-2.0 */
/* --distributed: the processes ("ranks") that one training or search runs on. */
#ifndef CLI_DISTRIBUTED_H
#define CLI_DISTRIBUTED_H

#include "command.h"
#include "plugins/mpi/gradus_mpi.h"

enum { LOST_STATUS = 75 }; /* exit status after a lost rank: run the command again to resume */

/* The option of commands whose processes divide rows. */
#define DISTRIBUTED_OPTION(verb, command)                                                           \
    {                                                                                               \
        "distributed", 0, "WITH",                                                                   \
            verb                                                                                    \
            " on the processes that MPI has started, each its rows: mpi, openmpi or mpich (mpirun " \
            "-n 4 gradus " command " ...)"                                                          \
    }

typedef struct ranks {
    void *library;   /* the plug-in; NULL: a single process */
    gradus_mpi *mpi; /* NULL: a single process */
    gradus_mpi_close_function *close;
    const char *launcher; /* "mpirun", "mpiexec" or "srun" */
    int said; /* what ranks other than 0 print is kept in this file; -1: nothing is kept */
    int real; /* the standard error of such ranks */
} ranks;

/* Before the command line is parsed: with --distributed, a rank other than 0, by the launcher's
 * variables, prints no errors until ranks_begin opens the plug-in. All ranks have the same options, and
 * rank 0 reports what is wrong with them. */
void ranks_hush(int count, char **words);
void ranks_unhush(void);
/* Before a rank ends that is still silent: launchers end all ranks when the first one fails, so rank 0
 * needs time to print why. */
void ranks_wait_for_report(int status);
/* With --distributed: opens the plug-in and joins the other ranks. From then on only rank 0 prints and
 * writes. Exit status, or -1 to continue. */
int ranks_begin(ranks *all, arguments *given);
/* What connects the ranks; NULL: a single process. */
const gradus_collectives *ranks_collectives(const ranks *all);
/* Whether this process writes files: rank 0, or the only one. */
bool ranks_write(const ranks *all);
/* The largest number of all ranks; `number` in a single process. False if a rank is lost. */
bool ranks_agree(const ranks *all, int64_t *number, gradus_error *err);
/* Prints the command as typed, with `more` at its end and the launcher before it. */
void ranks_print_command(const ranks *all, const arguments *given, const char *more);
/* Prints how much the ranks have exchanged, if they have. */
void ranks_report(const ranks *all, double seconds);
/* Leaves the other ranks; if not `together`, ends them, with this exit status. */
void ranks_end(ranks *all, bool together, int status);

#endif
