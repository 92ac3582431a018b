/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks as threads. Each operation is: publish the arrays, wait, read those of the others, wait. */
#include "rank_team.h"

#include "base/error.h"
#include "base/rng.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct rank {
    gradus_collectives with;
    rank_team *team;
    const void *shown; /* what the others may read */
    size_t length;     /* bytes of it */
    gr_rng rng;
    bool delays, good;
    uint64_t calls, bytes;
    pthread_t thread;
} rank;

struct rank_team {
    size_t size;
    rank *ranks;
    rank_task task;
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t waiting;
    uint64_t turn;
    bool broken;
};

static gradus_status meet(rank *r, gradus_error *err)
{
    rank_team *team = r->team;
    bool broken;

    if (r->delays && gr_rng_below(&r->rng, 4) == 0)
        usleep((useconds_t)gr_rng_below(&r->rng, 300));
    pthread_mutex_lock(&team->lock);
    const uint64_t turn = team->turn;

    if (++team->waiting == team->size) {
        team->waiting = 0;
        team->turn++;
        pthread_cond_broadcast(&team->moved);
    }
    while (team->turn == turn && !team->broken)
        pthread_cond_wait(&team->moved, &team->lock);
    broken = team->broken && team->turn == turn;
    pthread_mutex_unlock(&team->lock);
    return broken ? gr_fail(err, GRADUS_LOST, "another rank is lost") : GRADUS_OK;
}

static gradus_status show(rank *r, const void *what, size_t bytes, gradus_error *err)
{
    r->shown = what;
    r->length = bytes;
    r->calls++;
    r->bytes += bytes;
    return meet(r, err);
}

/* Whether all ranks show equally many bytes: MPI would cut messages, or end in a fault. */
static gradus_status check_lengths(const rank *r, gradus_error *err)
{
    for (size_t i = 0; i < r->team->size; i++)
        if (r->team->ranks[i].length != r->length)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "rank %zu shows %zu bytes, rank %zu %zu", i,
                           r->team->ranks[i].length, r->with.rank, r->length);
    return GRADUS_OK;
}

/* Copies in pieces, with pauses between them. */
static void copy(rank *r, void *to, const void *from, size_t bytes)
{
    while (r->delays && bytes > 1) {
        const size_t some = 1 + (size_t)gr_rng_below(&r->rng, bytes);

        memcpy(to, from, some);
        to = (char *)to + some;
        from = (const char *)from + some;
        bytes -= some;
        sched_yield();
    }
    if (bytes)
        memcpy(to, from, bytes);
}

static gradus_status combine(rank *r, int64_t *numbers, size_t count, bool max, gradus_error *err)
{
    int64_t *found = calloc(count + 1, sizeof *found), *one = calloc(count + 1, sizeof *one);
    gradus_status status = found && one ? show(r, numbers, count * sizeof *numbers, err)
                                        : gr_fail_memory(err, "a collective operation");

    if (status == GRADUS_OK)
        status = check_lengths(r, err);
    for (size_t i = 0; status == GRADUS_OK && i < r->team->size; i++) {
        copy(r, one, r->team->ranks[i].shown, count * sizeof *one);
        for (size_t n = 0; n < count; n++)
            if (max)
                found[n] = i == 0 || one[n] > found[n] ? one[n] : found[n];
            else
                found[n] = (int64_t)((uint64_t)found[n] + (uint64_t)one[n]);
    }
    if (status == GRADUS_OK)
        status = meet(r, err);
    if (status == GRADUS_OK)
        memcpy(numbers, found, count * sizeof *numbers);
    free(found);
    free(one);
    return status;
}

static gradus_status sum(void *state, int64_t *numbers, size_t count, gradus_error *err)
{
    return combine(state, numbers, count, false, err);
}

static gradus_status max(void *state, int64_t *numbers, size_t count, gradus_error *err)
{
    return combine(state, numbers, count, true, err);
}

/* The numbers of other ranks are spoilt, so that using one shows. */
static gradus_status sum_parts(void *state, int64_t *numbers, size_t arrays, const size_t *counts,
                               gradus_error *err)
{
    rank *r = state;
    size_t all = 0, first = 0;

    for (size_t i = 0; i < r->team->size; i++) {
        first = i == r->with.rank ? all : first;
        all += counts[i];
    }
    GR_TRY(combine(r, numbers, arrays * all, false, err));
    for (size_t n = 0; n < arrays * all; n++)
        if (n % all < first || n % all >= first + counts[r->with.rank])
            numbers[n] = INT64_MIN / 3;
    return GRADUS_OK;
}

static gradus_status gather(void *state, const void *own, const size_t *sizes, void *all,
                            gradus_error *err)
{
    rank *r = state;
    void *kept = malloc(sizes[r->with.rank] + 1);
    char *to = all;
    gradus_status status;

    if (!kept)
        return gr_fail_memory(err, "a collective operation");
    if (sizes[r->with.rank])
        memcpy(kept, own, sizes[r->with.rank]); /* `own` may be a part of `all` */
    status = show(r, kept, sizes[r->with.rank], err);
    for (size_t i = 0; status == GRADUS_OK && i < r->team->size; i++) {
        copy(r, to, r->team->ranks[i].shown, sizes[i]);
        to += sizes[i];
    }
    if (status == GRADUS_OK)
        status = meet(r, err);
    free(kept);
    return status;
}

static gradus_status broadcast(void *state, void *bytes, size_t size, size_t from,
                               gradus_error *err)
{
    rank *r = state;

    GR_TRY(show(r, bytes, size, err));
    GR_TRY(check_lengths(r, err));
    if (r->with.rank != from)
        copy(r, bytes, r->team->ranks[from].shown, size);
    return meet(r, err);
}

static void *run_rank(void *argument)
{
    rank *r = argument;
    rank_team *team = r->team;

    r->good = team->task(&r->with, team->user);
    if (!r->good) {
        pthread_mutex_lock(&team->lock);
        team->broken = true;
        pthread_cond_broadcast(&team->moved);
        pthread_mutex_unlock(&team->lock);
    }
    return NULL;
}

size_t rank_team_run(size_t size, uint64_t seed, rank_task task, void *user, uint64_t *calls,
                     uint64_t *bytes)
{
    rank_team team = { .size = size, .task = task, .user = user };
    size_t failed = 0;

    pthread_mutex_init(&team.lock, NULL);
    pthread_cond_init(&team.moved, NULL);
    team.ranks = calloc(size, sizeof *team.ranks);
    for (size_t i = 0; i < size; i++) {
        rank *r = &team.ranks[i];

        r->team = &team;
        r->delays = seed != 0;
        r->rng = gr_rng_for(seed, "rank", i);
        r->with = (gradus_collectives){ .rank = i,
                                        .size = size,
                                        .state = r,
                                        .sum = sum,
                                        .max = max,
                                        .sum_parts = sum_parts,
                                        .gather = gather,
                                        .broadcast = broadcast };
    }
    for (size_t i = 0; i < size; i++)
        pthread_create(&team.ranks[i].thread, NULL, run_rank, &team.ranks[i]);
    for (size_t i = 0; i < size; i++) {
        pthread_join(team.ranks[i].thread, NULL);
        failed += !team.ranks[i].good;
    }
    if (calls)
        *calls = team.ranks[0].calls;
    if (bytes)
        *bytes = team.ranks[0].bytes;
    free(team.ranks);
    pthread_cond_destroy(&team.moved);
    pthread_mutex_destroy(&team.lock);
    return failed;
}
