/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the plug-in for MPI at run time, and lets one rank speak for all. */
#include "distributed.h"

#include "common.h"
#include "plugin_file.h"
#include "progress.h"
#include "same_on_ranks.h"
#include "signals.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double seconds_to_fail = 2.0; /* for other ranks to fail, too */
static const time_t seconds_to_report = 5; /* for rank 0 to report an error that all ranks have */
static int heard = -1;                     /* the real standard error while a rank is hushed */

/* The implementation whose launcher has started this process; NULL: none. */
static const char *launched_by(void)
{
    if (getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK"))
        return "openmpi";
    return getenv("PMI_RANK") || getenv("PMI_FD") ? "mpich" : NULL;
}

/* The number that the launcher has given to this process; 0 without one. */
static unsigned long launched_rank(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK" };
    const char *rank = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !rank; i++)
        rank = getenv(names[i]);
    return rank ? strtoul(rank, NULL, 10) : 0;
}

static bool has_distributed(int count, char **words)
{
    static const char name[] = "--distributed";

    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (strncmp(words[i], name, strlen(name)) == 0 && strchr("=", words[i][strlen(name)]))
            return true;
    return false;
}

void ranks_hush(int count, char **words)
{
    if (!has_distributed(count, words) || launched_rank() == 0)
        return;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nowhere < 0)
        return;
    fflush(stderr);
    heard = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

void ranks_wait_for_report(int status)
{
    const struct timespec pause = { .tv_sec = seconds_to_report };

    if (heard >= 0 && status != 0)
        nanosleep(&pause, NULL); /* a signal ends it, such as the launcher's */
}

void ranks_unhush(void)
{
    if (heard < 0)
        return;
    fflush(stderr);
    dup2(heard, STDERR_FILENO);
    close(heard);
    heard = -1;
}

/* How the user starts processes. Slurm: mpirun and mpiexec within a job inherit the variables of its
 * steps, but set their own, too. Asked before MPI starts, which sets variables of Open MPI. */
static const char *launcher_command(const char *kind)
{
    if (getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("MPI_LOCALRANKID"))
        return "srun";
    return strcmp(kind, "mpich") == 0 ? "mpiexec" : "mpirun";
}

/* Opens the plug-in; *why: what is missing, if it fails. */
static void *open_plugin(const char *kind, text *why)
{
    text name = { NULL, 0, 0 };

    text_format(&name, "libgradus-mpi-%s.so", kind);
    char *path = plugin_find(text_string(&name));
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;

    if (!library)
        text_add(why, path ? dlerror() : "gradus was built without it (docs/guide/cluster.md)");
    free(path);
    text_free(&name);
    return library;
}

/* The processes that the launcher has started; 0: unknown. */
static unsigned long launched_count(void)
{
    const char *count = getenv("OMPI_COMM_WORLD_SIZE");

    if (!count)
        count = getenv("PMI_SIZE");
    return count ? strtoul(count, NULL, 10) : 0;
}

static int choose_kind(const char *word, const char **kind)
{
    const bool any = strcmp(word, "mpi") == 0;

    *kind = any ? launched_by() : word;
    if (!any && strcmp(word, "openmpi") != 0 && strcmp(word, "mpich") != 0)
        return fail_usage("--distributed takes mpi, openmpi or mpich, not '%s'", word);
    if (!*kind)
        return fail_usage(
            "--distributed mpi: no launcher of MPI has started this process; start it "
            "with 'mpirun -n 4 gradus train ...', mpiexec or srun");
    return -1;
}

/* Ranks other than 0 print nothing, unless one of them ends the training. */
static void silence(ranks *all, arguments *given)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    FILE *kept = tmpfile();

    given->quiet = true;
    given->json = false;
    gradus_context_on_note(given->context, NULL, NULL);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    if (!kept)
        return;
    fflush(stderr);
    all->said = fileno(kept); /* open until the process ends */
    all->real = dup(STDERR_FILENO);
    dup2(all->said, STDERR_FILENO);
}

/* Ranks that the launcher has not bound to processors divide those of the machine. */
static int divide_processors(const ranks *all, arguments *given)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t threads = gradus_context_threads(given->context);
    gradus_context *context;
    gradus_error err;

    if (given->threads || all->mpi->local_size < 2 || threads < 2 || (long)threads != processors)
        return -1;
    context = gradus_context_new(
        threads / all->mpi->local_size ? threads / all->mpi->local_size : 1, &err);
    if (!context)
        return fail(&err);
    void *user;
    const gradus_note_function note = gradus_context_note(given->context, &user);

    gradus_context_on_note(context, note, user);
    gradus_context_set_max_memory(context, given->max_memory);
    gradus_context_free(given->context);
    given->context = context;
    return -1;
}

/* Exit status, or -1 to continue; otherwise this rank has left the others. */
static int check_ranks(ranks *all, arguments *given)
{
    gradus_error err;
    int status = refuse_standard_input(given);

    if (status < 0 && check_same_on_ranks(&all->mpi->with, given, &err) != GRADUS_OK) {
        status = fail(&err);
        status = err.status == GRADUS_LOST ? LOST_STATUS : status;
    }
    if (status < 0)
        return -1;
    gradus_context_set_collectives(given->context, NULL);
    ranks_end(all, false, status);
    return status;
}

int ranks_begin(ranks *all, arguments *given)
{
    const char *word = argument(given, "distributed"), *kind;
    text why = { NULL, 0, 0 };
    gradus_error err;
    int status;

    *all = (ranks){ .said = -1, .real = -1 };
    if (!word)
        return -1;
    if ((status = choose_kind(word, &kind)) >= 0)
        return status;
    ranks_unhush(); /* errors from here on may be those of one machine */
    all->library = open_plugin(kind, &why);
    if (!all->library)
        status = fail_usage("--distributed: no plug-in for %s: %s", kind, text_string(&why));
    text_free(&why);
    if (!all->library)
        return status;
    gradus_mpi_open_function *open_mpi = NULL;

    *(void **)&open_mpi = dlsym(all->library, GRADUS_MPI_OPEN);
    *(void **)&all->close = dlsym(all->library, GRADUS_MPI_CLOSE);
    if (!open_mpi || !all->close)
        return fail_usage("--distributed: the plug-in for %s is not one of gradus", kind);
    all->launcher = launcher_command(kind);
    all->mpi = open_mpi(GRADUS_MPI_VERSION, signals_came, &err);
    if (!all->mpi)
        return fail(&err);
    if (all->mpi->with.size == 1 && launched_count() > 1)
        return fail_usage(
            "--distributed %s: the launcher has started %lu processes that do not find "
            "each other: it is of another implementation; use --distributed mpi",
            kind, launched_count());
    terminals_ignore();
    if ((status = divide_processors(all, given)) >= 0)
        return status;
    if (all->mpi->with.rank > 0)
        silence(all, given);
    gradus_context_set_collectives(given->context, &all->mpi->with);
    return all->mpi->with.size > 1 ? check_ranks(all, given) : -1;
}

const gradus_collectives *ranks_collectives(const ranks *all)
{
    return all->mpi && all->mpi->with.size > 1 ? &all->mpi->with : NULL;
}

bool ranks_write(const ranks *all)
{
    return !all->mpi || all->mpi->with.rank == 0;
}

bool ranks_agree(const ranks *all, int64_t *number, gradus_error *err)
{
    return !all->mpi || all->mpi->with.size == 1 ||
           all->mpi->with.max(all->mpi->with.state, number, 1, err) == GRADUS_OK;
}

void ranks_print_command(const ranks *all, const arguments *given, const char *more)
{
    text line = { NULL, 0, 0 };

    if (all->mpi)
        text_format(&line, "%s -n %zu ", all->launcher, all->mpi->with.size);
    text_format(&line, "%s%s", given->typed, more);
    say("  %s\n", text_string(&line));
    text_free(&line);
}

void ranks_report(const ranks *all, double seconds)
{
    if (all->mpi)
        say("note: %s; this one spent %.2f of %.2f s in %llu collective operations and gave them "
            "%.1f MB\n",
            counted(all->mpi->with.size, "process", "processes"), all->mpi->seconds, seconds,
            (unsigned long long)all->mpi->calls, (double)all->mpi->bytes / 1e6);
}

/* Prints what a rank other than 0 has said, with its number. */
static void repeat(const ranks *all)
{
    char bytes[4096];
    const ssize_t size = pread(all->said, bytes, sizeof bytes, 0);

    fflush(stderr);
    dup2(all->real, STDERR_FILENO);
    if (size > 0)
        say("gradus: rank %zu of %zu: %.*s", all->mpi->with.rank, all->mpi->with.size, (int)size,
            bytes);
}

void ranks_end(ranks *all, bool together, int status)
{
    if (!all->mpi)
        return;
    fflush(stdout);
    fflush(stderr);
    /* If all ranks fail at the same point, such as at a wrong option, rank 0 has said why. */
    if (!together && status != LOST_STATUS)
        together = all->mpi->meet(all->mpi, seconds_to_fail);
    if (!together && all->said >= 0)
        repeat(all);
    all->close(all->mpi, !together, status);
    all->mpi = NULL;
}
