/* SPDX-License-Identifier: Apache-2.0 */
/* Collective operations by MPI, built once for each implementation (Open MPI, MPICH), whose binary
 * interfaces differ.
 *
 * Operations are started without blocking and then polled, so that a process that waits for a lost
 * peer can be ended by a signal. Messages are divided: counts of MPI are ints.
 *
 * Processes of one machine exchange numbers through shared memory instead (one_machine.c).
 *
 * Parts of sums (histograms) are sent to their owner by every other process, narrowed, and added by it:
 * Open MPI's MPI_Ireduce_scatter would reduce all parts on one process first. */
#include "gradus_mpi.h"
#include "one_machine.h"
#include "short_words.h"

#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SPINS = 4000,         /* polls before the process sleeps between them */
    MOST = 1 << 27,       /* numbers or bytes in one message */
    PATIENCE_SECONDS = 3, /* to wait for others after a signal */
    FEW = 1 << 13,        /* numbers that every process adds up for itself */
    TAG = 7
};

typedef struct plugin {
    gradus_mpi shown; /* first: gradus_mpi_close gets a pointer to it */
    MPI_Comm comm;
    MPI_Comm ending; /* for `meet`, as others may wait in an operation of `comm` */
    areas near;      /* if all processes run on one machine */
    bool (*stop)(void);
    /* of sum_parts: messages of all other processes, one after the other */
    char *sent, *received;
    size_t sent_room, received_room;
    MPI_Request *requests; /* of receiving from each process, then of sending to each */
} plugin;

/* How long an operation has waited. */
typedef struct waiting {
    unsigned polls;
    double stopped;
} waiting;

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

/* Called after each poll without success. */
static gradus_status wait_longer(const plugin *p, waiting *w, gradus_error *err)
{
    rest(w->polls);
    if (w->polls % 64 == 63 && p->stop && p->stop()) {
        w->stopped = w->stopped > 0.0 ? w->stopped : now();
        if (now() - w->stopped > PATIENCE_SECONDS)
            return fail(err, GRADUS_LOST, "interrupted while waiting for other processes");
    }
    w->polls += w->polls < UINT32_MAX;
    return GRADUS_OK;
}

static gradus_status await(const plugin *p, int code, MPI_Request *request, gradus_error *err)
{
    waiting w = { 0 };
    gradus_status status;
    int done = 0;

    while (code == MPI_SUCCESS) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done || code != MPI_SUCCESS)
            break;
        status = wait_longer(p, &w, err);
        if (status != GRADUS_OK)
            return status;
    }
    return check(code, err);
}

#ifdef GRADUS_MPI_DELAYS
/* A build for tests: operations begin late, and messages are divided at random, by the seed of the
 * environment variable GRADUS_MPI_SEED. */
static uint64_t mix(uint64_t number)
{
    number = (number ^ (number >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    return number ^ (number >> 29);
}

static uint64_t drawn(const plugin *p, uint64_t salt)
{
    const char *seed = getenv("GRADUS_MPI_SEED");

    return mix(mix(mix(seed ? strtoull(seed, NULL, 10) : 1) + p->shown.calls) + salt);
}

static void delay(const plugin *p, size_t salt)
{
    const uint64_t number = drawn(p, 1000 * (p->shown.with.rank + 1) + salt);
    const struct timespec some = { 0, (long)(number % 700000) };

    if (number % 5 == 0)
        nanosleep(&some, NULL);
}

/* Short pieces are as frequent as long ones. The same on all ranks. */
static size_t piece(const plugin *p, size_t at)
{
    const uint64_t number = drawn(p, 77 + at);

    return 1 + (size_t)((number >> 8) % (UINT64_C(16) << number % 13));
}
#else
static void delay(const plugin *p, size_t salt)
{
    (void)p;
    (void)salt;
}

static size_t piece(const plugin *p, size_t at)
{
    (void)p;
    (void)at;
    return MOST;
}
#endif

static void note(plugin *p, double started, size_t bytes, size_t whole)
{
    p->shown.calls++;
    p->shown.bytes += bytes;
    p->shown.whole += whole;
    p->shown.seconds += now() - started;
}

/* Shows this process's bytes to the others of this machine and waits for theirs. */
static gradus_status exchange(plugin *p, const void *own, size_t size, gradus_error *err)
{
    waiting w = { 0 };
    gradus_status status = GRADUS_OK;
    int unused;

    delay(p, size);
    areas_show(&p->near, own, size);
    while (status == GRADUS_OK && !areas_are_shown(&p->near)) {
        if (w.polls % 64 == 63) /* MPI may still have to send something */
            status = check(
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, p->comm, &unused, MPI_STATUS_IGNORE), err);
        if (status == GRADUS_OK)
            status = wait_longer(p, &w, err);
    }
    return status;
}

/* The bytes of one exchange, the same on all ranks: a multiple of 8. */
static size_t slice(const plugin *p, size_t at, size_t left)
{
    size_t most = piece(p, at) * sizeof(uint64_t);

    most = most < p->near.room ? most : p->near.room;
    return left < most ? left : most;
}

static gradus_status reduce_near(plugin *p, int64_t *numbers, size_t count, bool add,
                                 gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    for (size_t at = 0, some; at < count && status == GRADUS_OK; at += some) {
        some = slice(p, at, (count - at) * sizeof *numbers) / sizeof *numbers;
        status = exchange(p, numbers + at, some * sizeof *numbers, err);
        for (size_t i = 0; i < p->shown.with.size && status == GRADUS_OK; i++)
            if (i != p->shown.with.rank)
                areas_join(numbers + at, areas_of(&p->near, i), some, add);
    }
    return status;
}

static gradus_status reduce(plugin *p, int64_t *numbers, size_t count, MPI_Op how,
                            gradus_error *err)
{
    const double started = now();
    const bool near = p->near.room > 0 && count <= FEW;
    gradus_status status = near ? reduce_near(p, numbers, count, how == MPI_SUM, err) : GRADUS_OK;

    for (size_t at = 0, most; !near && at < count && status == GRADUS_OK; at += most) {
        most = piece(p, at);
        delay(p, at);
        const int some = (int)(count - at < most ? count - at : most);
        MPI_Request request;
        const int code =
            MPI_Iallreduce(MPI_IN_PLACE, numbers + at, some,
                           how == MPI_SUM ? MPI_UINT64_T : MPI_INT64_T, how, p->comm, &request);

        status = await(p, code, &request, err);
    }
    note(p, started, count * sizeof *numbers, count * sizeof *numbers);
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

static bool reserve(char **buffer, size_t *room, size_t wanted)
{
    char *more = wanted > *room ? realloc(*buffer, wanted) : *buffer;

    if (!more)
        return false;
    *room = wanted > *room ? wanted : *room;
    *buffer = more;
    return true;
}

/* What sum_parts adds up: `arrays` arrays of `each` numbers, of which those from `first` on, counts[rank],
 * belong to this process. One message has `most` numbers of each part, from `at` on: usually all. */
typedef struct parts {
    uint64_t *numbers;
    const size_t *counts;
    size_t arrays, each, first, at, most;
} parts;

/* The numbers of a process's part that are in the current message. */
static size_t part_count(const parts *of, size_t rank)
{
    return areas_some(of->counts[rank], of->at, of->most);
}

/* Writes the numbers of a process, which begin at `first` in each array. Returns the bytes. */
static size_t write_parts(const parts *of, size_t first, size_t count, char *bytes)
{
    char *to = bytes;

    for (size_t a = 0; a < of->arrays; a++)
        to += short_words_write(of->numbers + a * of->each + first, count, to);
    return (size_t)(to - bytes);
}

static bool add_parts(const parts *of, size_t count, const char *bytes, size_t size)
{
    size_t at = 0;

    for (size_t a = 0; a < of->arrays; a++) {
        const size_t read = short_words_add(of->numbers + a * of->each + of->first + of->at, count,
                                            bytes + at, size - at);

        if (read == SIZE_MAX)
            return false;
        at += read;
    }
    return at == size;
}

/* Starts receiving this process's parts from all others, and sending them theirs. */
static int start_parts(plugin *p, const parts *of, size_t *bytes)
{
    const size_t size = p->shown.with.size, rank = p->shown.with.rank;
    const size_t own = part_count(of, rank), room = of->arrays * short_words_most(own);
    char *to = p->sent;
    size_t first = 0;
    int code = MPI_SUCCESS;

    for (size_t i = 0; i < 2 * size; i++)
        p->requests[i] = MPI_REQUEST_NULL;
    for (size_t i = 0; own && code == MPI_SUCCESS && i < size; i++)
        if (i != rank)
            code = MPI_Irecv(p->received + i * room, (int)room, MPI_BYTE, (int)i, TAG, p->comm,
                             &p->requests[i]);
    for (size_t i = 0; code == MPI_SUCCESS && i < size; i++) {
        const size_t count = part_count(of, i);

        if (i != rank && count) {
            const size_t written = write_parts(of, first + of->at, count, to);

            delay(p, i);
            code =
                MPI_Isend(to, (int)written, MPI_BYTE, (int)i, TAG, p->comm, &p->requests[size + i]);
            to += written;
        }
        first += of->counts[i];
    }
    *bytes += (size_t)(to - p->sent);
    return code;
}

/* Adds the parts as they come, and waits until all are sent. */
static gradus_status finish_parts(plugin *p, const parts *of, gradus_error *err)
{
    const size_t size = p->shown.with.size, count = part_count(of, p->shown.with.rank);
    const size_t room = of->arrays * short_words_most(count);
    waiting w = { 0 };

    for (;;) {
        int which = MPI_UNDEFINED, done = 0, received = 0;
        MPI_Status about;
        gradus_status status =
            check(MPI_Testany((int)(2 * size), p->requests, &which, &done, &about), err);

        if (status == GRADUS_OK && done && which == MPI_UNDEFINED)
            return GRADUS_OK;
        if (status == GRADUS_OK && !done)
            status = wait_longer(p, &w, err);
        else if (status == GRADUS_OK && which < (int)size) {
            w = (waiting){ 0 };
            status = check(MPI_Get_count(&about, MPI_BYTE, &received), err);
            if (status == GRADUS_OK &&
                !add_parts(of, count, p->received + (size_t)which * room, (size_t)received))
                status = fail(err, GRADUS_LOST, "process %d has sent something else", which);
        }
        if (status != GRADUS_OK)
            return status;
    }
}

/* Adds what the others show, `some` numbers from `at` on, where it belongs to this process. */
static void join_parts(const plugin *p, const parts *of, size_t at, size_t some)
{
    const size_t count = of->counts[p->shown.with.rank];

    for (size_t start = at / of->each * of->each; start < at + some; start += of->each) {
        const size_t own = start + of->first, own_end = own + count;
        const size_t from = own > at ? own : at, end = own_end < at + some ? own_end : at + some;

        for (size_t i = 0; i < p->shown.with.size && from < end; i++)
            if (i != p->shown.with.rank)
                areas_join((int64_t *)of->numbers + from,
                           (const uint64_t *)areas_of(&p->near, i) + (from - at), end - from, true);
    }
}

/* The same on one machine: all show all parts, whole arrays if they fit, and each adds what belongs to
 * it. */
static gradus_status sum_parts_near(plugin *p, const parts *of, gradus_error *err)
{
    const size_t total = of->arrays * of->each;
    gradus_status status = GRADUS_OK;

    for (size_t at = 0, some; at < total && status == GRADUS_OK; at += some) {
        some = slice(p, at, (total - at) * sizeof *of->numbers) / sizeof *of->numbers;
        if (some > of->each)
            some -= some % of->each;
        status = exchange(p, of->numbers + at, some * sizeof *of->numbers, err);
        if (status == GRADUS_OK)
            join_parts(p, of, at, some);
    }
    return status;
}

static gradus_status sum_parts_far(plugin *p, parts *of, size_t longest, size_t *bytes,
                                   gradus_error *err)
{
    const size_t size = p->shown.with.size, own = of->counts[p->shown.with.rank];
    gradus_status status = GRADUS_OK;

    if (!reserve(&p->sent, &p->sent_room,
                 of->arrays * (short_words_most(of->each) + size * sizeof(uint64_t))) ||
        !reserve(&p->received, &p->received_room, size * of->arrays * short_words_most(own) + 1))
        return fail(err, GRADUS_NO_MEMORY, "no memory for a message");
    *bytes = 0;
    for (; of->at < longest && status == GRADUS_OK; of->at += of->most) {
        of->most = piece(p, of->at);
        status = check(start_parts(p, of, bytes), err);
        if (status == GRADUS_OK)
            status = finish_parts(p, of, err);
    }
    return status;
}

static gradus_status sum_parts(void *state, int64_t *numbers, size_t arrays, const size_t *counts,
                               gradus_error *err)
{
    plugin *p = state;
    const size_t size = p->shown.with.size, rank = p->shown.with.rank;
    size_t most, bytes;
    parts of = { (uint64_t *)numbers, counts, arrays, total_of(counts, size, &most), 0, 0, 0 };
    const size_t whole = arrays * (of.each - counts[rank]) * sizeof *numbers;
    const double started = now();
    gradus_status status;

    if (arrays * of.each == 0)
        return GRADUS_OK;
    if (!p->near.room && arrays * of.each > MOST)
        return reduce(p, numbers, arrays * of.each, MPI_SUM, err);
    for (size_t i = 0; i < rank; i++)
        of.first += counts[i];
    bytes = whole;
    status = p->near.room ? sum_parts_near(p, &of, err) : sum_parts_far(p, &of, most, &bytes, err);
    note(p, started, bytes, whole);
    return status;
}

static gradus_status copy_from(plugin *p, char *bytes, size_t size, size_t from, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    for (size_t at = 0, most; at < size && status == GRADUS_OK; at += most) {
        most = piece(p, at);
        delay(p, at);
        const int some = (int)(size - at < most ? size - at : most);
        MPI_Request request;

        status = await(p, MPI_Ibcast(bytes + at, some, MPI_BYTE, (int)from, p->comm, &request),
                       &request, err);
    }
    return status;
}

static gradus_status copy_near(plugin *p, char *bytes, size_t size, size_t from, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    for (size_t at = 0, some; at < size && status == GRADUS_OK; at += some) {
        some = slice(p, at, size - at);
        status = exchange(p, bytes + at, from == p->shown.with.rank ? some : 0, err);
        if (status == GRADUS_OK && from != p->shown.with.rank)
            memcpy(bytes + at, areas_of(&p->near, from), some);
    }
    return status;
}

static gradus_status broadcast(void *state, void *bytes, size_t size, size_t from,
                               gradus_error *err)
{
    plugin *p = state;
    const double started = now();
    const gradus_status status =
        p->near.room ? copy_near(p, bytes, size, from, err) : copy_from(p, bytes, size, from, err);

    note(p, started, size, size);
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

static gradus_status gather_at_once(plugin *p, const size_t *sizes, size_t longest, char *all,
                                    gradus_error *err)
{
    const size_t size = p->shown.with.size;
    int *counts = malloc(2 * size * sizeof *counts), *starts = counts + size;
    MPI_Request request;
    gradus_status status = GRADUS_OK;

    if (!counts)
        return fail(err, GRADUS_NO_MEMORY, "no memory for a message");
    for (size_t at = 0, some; at < longest && status == GRADUS_OK; at += some) {
        size_t first = 0;

        some = piece(p, at);
        for (size_t i = 0; i < size; first += sizes[i++]) {
            counts[i] = (int)areas_some(sizes[i], at, some);
            starts[i] = (int)(first + (at < sizes[i] ? at : sizes[i]));
        }
        status = await(p,
                       MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, counts, starts, MPI_BYTE,
                                       p->comm, &request),
                       &request, err);
    }
    free(counts);
    return status;
}

static gradus_status gather_near(plugin *p, const size_t *sizes, size_t most, char *all,
                                 gradus_error *err)
{
    const size_t size = p->shown.with.size, rank = p->shown.with.rank;
    gradus_status status = GRADUS_OK;

    for (size_t at = 0, some; at < most && status == GRADUS_OK; at += some) {
        char *of_rank = all, *own = all;

        some = slice(p, at, most - at);
        for (size_t i = 0; i < rank; i++)
            own += sizes[i];
        status = exchange(p, own + at, areas_some(sizes[rank], at, some), err);
        for (size_t i = 0; i < size && status == GRADUS_OK; of_rank += sizes[i++])
            if (i != rank && sizes[i] > at)
                memcpy(of_rank + at, areas_of(&p->near, i), areas_some(sizes[i], at, some));
    }
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

    delay(p, 0);
    for (size_t i = 0; i < rank; i++)
        first += sizes[i];
    if (sizes[rank])
        memmove((char *)all + first, own, sizes[rank]);
    status = p->near.room   ? gather_near(p, sizes, most, all, err)
             : total > MOST ? gather_slowly(p, sizes, all, err)
                            : gather_at_once(p, sizes, most, all, err);
    note(p, started, sizes[rank], sizes[rank]);
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

/* Open MPI raises errors of requests on MPI_COMM_WORLD, whose handler would end all processes. No handlers of
 * other code are replaced: MPI runs from gradus_mpi_open to gradus_mpi_close only. */
static void set_errors_return(const plugin *p)
{
    const MPI_Comm all[] = { p->comm, p->ending, MPI_COMM_WORLD, MPI_COMM_SELF };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        MPI_Comm_set_errhandler(all[i], MPI_ERRORS_RETURN);
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
    set_errors_return(p);
    MPI_Comm_rank(p->comm, &rank);
    MPI_Comm_size(p->comm, &size);
    p->requests = calloc(2 * (size_t)size, sizeof *p->requests);
    if (!p->requests) {
        free(p);
        fail(err, GRADUS_NO_MEMORY, "no memory for MPI");
        return NULL;
    }
    p->stop = stop;
    p->shown.meet = meet;
    p->shown.local_size = local_size(p->comm);
    if (!areas_open(&p->near, p->comm, p->shown.local_size)) {
        free(p->requests);
        free(p);
        fail(err, GRADUS_NO_MEMORY, "no memory for MPI");
        return NULL;
    }
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
    areas_close(&p->near);
    MPI_Comm_free(&p->comm);
    MPI_Comm_free(&p->ending);
    MPI_Finalize();
    free(p->requests);
    free(p->sent);
    free(p->received);
    free(p);
}
