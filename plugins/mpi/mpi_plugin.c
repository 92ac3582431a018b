/* SPDX-License-Identifier: Apache-2.0 */
/* Collective operations by MPI, built once for each implementation (Open MPI, MPICH), whose binary
 * interfaces differ.
 *
 * Operations are started without blocking and then polled, so that a process that waits for a lost
 * peer can be ended by a signal. Messages are divided: counts of MPI are ints. */
#include "gradus_mpi.h"

#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SPINS = 4000,        /* polls before the process sleeps between them */
    MOST = 1 << 27,      /* numbers or bytes in one message */
    PATIENCE_SECONDS = 3 /* to wait for others after a signal */
};

typedef struct plugin {
    gradus_mpi shown; /* first: gradus_mpi_close gets a pointer to it */
    MPI_Comm comm;
    MPI_Comm ending; /* for `meet`, as others may wait in an operation of `comm` */
    bool (*stop)(void);
} plugin;

static double now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static gradus_status fail(gradus_error *err, gradus_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static gradus_status fail(gradus_error *err, gradus_status status, const char *format, ...)
{
    va_list list;

    if (err) {
        va_start(list, format);
        vsnprintf(err->message, sizeof err->message, format, list);
        va_end(list);
        err->status = status;
    }
    return status;
}

static gradus_status check(int code, gradus_error *err)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;

    if (code == MPI_SUCCESS)
        return GRADUS_OK;
    MPI_Error_string(code, text, &length);
    return fail(err, GRADUS_LOST, "another process is lost: %.300s", text);
}

/* Sleeps longer the longer it has waited, up to 100 microseconds. */
static void rest(unsigned polls)
{
    const struct timespec some = { 0, polls > 10 * SPINS ? 100000 : 10000 };

    if (polls < SPINS)
        sched_yield();
    else
        nanosleep(&some, NULL);
}

static gradus_status await(plugin *p, int code, MPI_Request *request, gradus_error *err)
{
    double stopped = 0.0;
    int done = 0;

    for (unsigned polls = 0; code == MPI_SUCCESS && !done; polls += polls < UINT32_MAX) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done || code != MPI_SUCCESS)
            break;
        rest(polls);
        if (polls % 64 == 63 && p->stop && p->stop()) {
            stopped = stopped > 0.0 ? stopped : now();
            if (now() - stopped > PATIENCE_SECONDS)
                return fail(err, GRADUS_LOST, "interrupted while waiting for other processes");
        }
    }
    return check(code, err);
}

static void note(plugin *p, double started, size_t bytes)
{
    p->shown.calls++;
    p->shown.bytes += bytes;
    p->shown.seconds += now() - started;
}

static gradus_status reduce(plugin *p, int64_t *numbers, size_t count, MPI_Op how,
                            gradus_error *err)
{
    const double started = now();
    gradus_status status = GRADUS_OK;

    for (size_t at = 0; at < count && status == GRADUS_OK; at += MOST) {
        const int some = (int)(count - at < MOST ? count - at : MOST);
        MPI_Request request;
        const int code =
            MPI_Iallreduce(MPI_IN_PLACE, numbers + at, some,
                           how == MPI_SUM ? MPI_UINT64_T : MPI_INT64_T, how, p->comm, &request);

        status = await(p, code, &request, err);
    }
    note(p, started, count * sizeof *numbers);
    return status;
}

static gradus_status sum(void *state, int64_t *numbers, size_t count, gradus_error *err)
{
    return reduce(state, numbers, count, MPI_SUM, err);
}

static gradus_status max(void *state, int64_t *numbers, size_t count, gradus_error *err)
{
    return reduce(state, numbers, count, MPI_MAX, err);
}

static size_t total_of(const size_t *counts, size_t size, size_t *most)
{
    size_t total = 0;

    *most = 0;
    for (size_t i = 0; i < size; i++) {
        *most = counts[i] > *most ? counts[i] : *most;
        total += counts[i];
    }
    return total;
}

static gradus_status sum_parts(void *state, int64_t *numbers, const size_t *counts,
                               gradus_error *err)
{
    plugin *p = state;
    const size_t size = p->shown.with.size, rank = p->shown.with.rank;
    size_t most, first = 0;
    const size_t total = total_of(counts, size, &most);
    const double started = now();
    int *each = malloc(size * sizeof *each);
    int64_t *own = malloc((counts[rank] + 1) * sizeof *own);
    gradus_status status;

    if (!each || !own) {
        status = fail(err, GRADUS_NO_MEMORY, "no memory for a message");
    } else if (total > MOST) {
        status = reduce(p, numbers, total, MPI_SUM, err);
    } else {
        MPI_Request request;

        for (size_t i = 0; i < size; i++) {
            each[i] = (int)counts[i];
            first += i < rank ? counts[i] : 0;
        }
        status = await(
            p, MPI_Ireduce_scatter(numbers, own, each, MPI_UINT64_T, MPI_SUM, p->comm, &request),
            &request, err);
        if (status == GRADUS_OK)
            memcpy(numbers + first, own, counts[rank] * sizeof *own);
        note(p, started, total * sizeof *numbers);
    }
    free(each);
    free(own);
    return status;
}

static gradus_status copy_from(plugin *p, char *bytes, size_t size, size_t from, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    for (size_t at = 0; at < size && status == GRADUS_OK; at += MOST) {
        const int some = (int)(size - at < MOST ? size - at : MOST);
        MPI_Request request;

        status = await(p, MPI_Ibcast(bytes + at, some, MPI_BYTE, (int)from, p->comm, &request),
                       &request, err);
    }
    return status;
}

static gradus_status broadcast(void *state, void *bytes, size_t size, size_t from,
                               gradus_error *err)
{
    const double started = now();
    const gradus_status status = copy_from(state, bytes, size, from, err);

    note(state, started, size);
    return status;
}

/* Of messages that are too long for the counts of MPI: one broadcast after the other. */
static gradus_status gather_slowly(plugin *p, const size_t *sizes, char *all, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    for (size_t i = 0; i < p->shown.with.size && status == GRADUS_OK; i++) {
        status = copy_from(p, all, sizes[i], i, err);
        all += sizes[i];
    }
    return status;
}

static gradus_status gather_at_once(plugin *p, const size_t *sizes, char *all, gradus_error *err)
{
    const size_t size = p->shown.with.size;
    int *counts = malloc(2 * size * sizeof *counts), *starts = counts + size, at = 0;
    MPI_Request request;
    gradus_status status;

    if (!counts)
        return fail(err, GRADUS_NO_MEMORY, "no memory for a message");
    for (size_t i = 0; i < size; i++) {
        counts[i] = (int)sizes[i];
        starts[i] = at;
        at += counts[i];
    }
    status = await(p,
                   MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, counts, starts, MPI_BYTE,
                                   p->comm, &request),
                   &request, err);
    free(counts);
    return status;
}

static gradus_status gather(void *state, const void *own, const size_t *sizes, void *all,
                            gradus_error *err)
{
    plugin *p = state;
    const size_t rank = p->shown.with.rank;
    size_t most, first = 0;
    const size_t total = total_of(sizes, p->shown.with.size, &most);
    const double started = now();
    gradus_status status;

    for (size_t i = 0; i < rank; i++)
        first += sizes[i];
    if (sizes[rank])
        memmove((char *)all + first, own, sizes[rank]);
    status = total > MOST ? gather_slowly(p, sizes, all, err) : gather_at_once(p, sizes, all, err);
    note(p, started, sizes[rank]);
    return status;
}

static bool meet(gradus_mpi *mpi, double seconds)
{
    plugin *p = (plugin *)mpi;
    const double started = now();
    MPI_Request request;
    int done = 0;

    if (MPI_Ibarrier(p->ending, &request) != MPI_SUCCESS)
        return false;
    for (unsigned polls = 0; !done && now() - started < seconds; polls += polls < UINT32_MAX) {
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
        rest(polls);
    }
    return done;
}

static size_t local_size(MPI_Comm comm)
{
    MPI_Comm local;
    int size = 1;

    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local) != MPI_SUCCESS)
        return 1;
    MPI_Comm_size(local, &size);
    MPI_Comm_free(&local);
    return (size_t)size;
}

gradus_mpi *gradus_mpi_open(int version, bool (*stop)(void), gradus_error *err)
{
    plugin *p = calloc(1, sizeof *p);
    int rank, size, given;

    if (!p || version != GRADUS_MPI_VERSION) {
        free(p);
        fail(err, p ? GRADUS_BAD_ARGUMENT : GRADUS_NO_MEMORY,
             p ? "the plug-in for MPI belongs to another version of gradus" : "no memory for MPI");
        return NULL;
    }
    /* threads of the pool never call MPI */
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS ||
        MPI_Comm_dup(MPI_COMM_WORLD, &p->comm) != MPI_SUCCESS ||
        MPI_Comm_dup(MPI_COMM_WORLD, &p->ending) != MPI_SUCCESS) {
        free(p);
        fail(err, GRADUS_LOST, "MPI does not start");
        return NULL;
    }
    MPI_Comm_set_errhandler(p->comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(p->ending, MPI_ERRORS_RETURN);
    MPI_Comm_rank(p->comm, &rank);
    MPI_Comm_size(p->comm, &size);
    p->stop = stop;
    p->shown.meet = meet;
    p->shown.local_size = local_size(p->comm);
    p->shown.with = (gradus_collectives){ .rank = (size_t)rank,
                                          .size = (size_t)size,
                                          .state = p,
                                          .sum = sum,
                                          .max = max,
                                          .sum_parts = sum_parts,
                                          .gather = gather,
                                          .broadcast = broadcast };
    return &p->shown;
}

void gradus_mpi_close(gradus_mpi *mpi, bool abort_all, int status)
{
    plugin *p = (plugin *)mpi;

    if (abort_all)
        MPI_Abort(p->comm, status);
    MPI_Comm_free(&p->comm);
    MPI_Comm_free(&p->ending);
    MPI_Finalize();
    free(p);
}
