/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of emulated kernels as fibers: each runs until it waits for others. The thread sanitizer takes them for
 * threads that only barriers order, whatever the order is in which they run here. */
#include "thread_team.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* What the thread sanitizer is told; without it nothing. A change of fibers orders no memory. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define acquire(place) __tsan_acquire(place)
#define release(place) __tsan_release(place)
#define this_fiber() __tsan_get_current_fiber()
#define new_fiber() __tsan_create_fiber(0)
#define change_fiber(to) __tsan_switch_to_fiber(to, __tsan_switch_to_fiber_no_sync)
#else
#define acquire(place) ((void)(place))
#define release(place) ((void)(place))
#define this_fiber() NULL
#define new_fiber() NULL
#define change_fiber(to) ((void)(to))
#endif

/* The state of fibers is no race: one runs at a time. */
#define UNSEEN __attribute__((no_sanitize("thread")))

enum { BLOCKS = 2, MOST_THREADS = 512, WARP = 32, STACK = 1 << 16 };

typedef enum waiting { READY, AT_BARRIER, AT_WARP_BARRIER, VOTING, DONE } waiting;

/* Barriers use two places in turn: a thread that is at the next one already must not come before those that leave
 * this one later. */
typedef struct warp {
    uint32_t bits, ballot;
    uint64_t places[2];
} warp;

typedef struct team {
    team_kernel *kernel;
    void *argument, *shared;
    uint32_t block, threads;
    uint64_t begins, ends, places[2];
    warp warps[MOST_THREADS / WARP];
    struct member *members;
} team;

typedef struct member {
    team *of;
    uint32_t thread, turn, warp_turn;
    waiting state;
    ucontext_t context;
    void *fiber; /* of the sanitizer */
    char *stack; /* NULL: not used yet */
} member;

static member pool[BLOCKS][MOST_THREADS]; /* they run one kernel after the other */
static member *current;
static ucontext_t caller;
static void *caller_fiber;

UNSEEN static void check(bool good)
{
    if (!good)
        abort(); /* no memory, or a mistake in a test */
}

/* Lets others run. */
UNSEEN static void wait_as(waiting state)
{
    member *self = current;

    self->state = state;
    change_fiber(caller_fiber);
    swapcontext(&self->context, &caller);
}

UNSEEN uint32_t team_thread(void)
{
    return current->thread;
}

/* What all of them did before comes before what any of them does afterwards. */
UNSEEN static void wait_at(waiting state, void *place)
{
    release(place);
    wait_as(state);
    acquire(place);
}

UNSEEN void team_barrier(void)
{
    wait_at(AT_BARRIER, &current->of->places[current->turn++ % 2]);
}

UNSEEN void team_warp_barrier(void)
{
    warp *w = &current->of->warps[current->thread / WARP];

    wait_at(AT_WARP_BARRIER, &w->places[current->warp_turn++ % 2]);
}

UNSEEN uint32_t team_ballot(bool flag)
{
    warp *w = &current->of->warps[current->thread / WARP];

    w->bits |= (uint32_t)flag << current->thread % WARP;
    wait_as(VOTING);
    return w->ballot;
}

UNSEEN static void run_member(void)
{
    for (;;) {
        team *t = current->of;

        acquire(&t->begins);
        t->kernel(t->argument, t->block, t->shared);
        release(&t->ends);
        wait_as(DONE);
    }
}

/* Whether `count` members from `first` on all wait in this way. */
UNSEEN static bool all_wait(const team *t, uint32_t first, uint32_t count, waiting state)
{
    for (uint32_t i = first; i < first + count; i++)
        if (t->members[i].state != state)
            return false;
    return true;
}

UNSEEN static void wake(team *t, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        t->members[i].state = READY;
}

/* Runs every member that can run, and lets those go on that have waited for each other. False: all are done. */
UNSEEN static bool run_some(team *t)
{
    bool moved = false;

    for (uint32_t i = 0; i < t->threads; i++) {
        if (t->members[i].state != READY)
            continue;
        moved = true;
        current = &t->members[i];
        change_fiber(current->fiber);
        swapcontext(&caller, &current->context);
    }
    for (uint32_t w = 0; w < t->threads; w += WARP) {
        if (all_wait(t, w, WARP, VOTING)) {
            t->warps[w / WARP].ballot = t->warps[w / WARP].bits;
            t->warps[w / WARP].bits = 0;
            wake(t, w, WARP);
        } else if (all_wait(t, w, WARP, AT_WARP_BARRIER)) {
            wake(t, w, WARP);
        }
    }
    if (all_wait(t, 0, t->threads, AT_BARRIER))
        wake(t, 0, t->threads);
    if (all_wait(t, 0, t->threads, DONE))
        return false;
    check(moved); /* else some wait for others that never come */
    return true;
}

/* Makes the fiber of a member. */
UNSEEN static void prepare(member *m)
{
    m->stack = malloc(STACK);
    check(m->stack && getcontext(&m->context) == 0);
    m->context.uc_stack.ss_sp = m->stack;
    m->context.uc_stack.ss_size = STACK;
    makecontext(&m->context, run_member, 0);
    m->fiber = new_fiber();
}

UNSEEN static void begin(team *t, size_t shared)
{
    t->shared = malloc(shared + 1);
    check(t->shared && t->threads % WARP == 0 && t->threads <= MOST_THREADS);
    memset(t->shared, 0x5a, shared); /* nothing may depend on what was there */
    for (uint32_t i = 0; i < t->threads; i++) {
        member *m = &t->members[i];

        m->of = t;
        m->thread = i;
        m->turn = m->warp_turn = 0;
        m->state = READY;
        if (!m->stack)
            prepare(m);
    }
    release(&t->begins);
}

UNSEEN static void end(team *t)
{
    acquire(&t->ends);
    free(t->shared);
}

UNSEEN void team_run(team_kernel *kernel, void *argument, uint32_t blocks, uint32_t threads,
                     size_t shared)
{
    caller_fiber = this_fiber();
    for (uint32_t first = 0; first < blocks; first += BLOCKS) {
        const uint32_t count = blocks - first < BLOCKS ? blocks - first : BLOCKS;
        team teams[BLOCKS];
        bool running = true;

        for (uint32_t b = 0; b < count; b++) {
            teams[b] = (team){ .kernel = kernel,
                               .argument = argument,
                               .block = first + b,
                               .threads = threads,
                               .members = pool[b] };
            begin(&teams[b], shared);
        }
        while (running) {
            running = false;
            for (uint32_t b = 0; b < count; b++)
                if (!all_wait(&teams[b], 0, threads, DONE))
                    running |= run_some(&teams[b]);
        }
        for (uint32_t b = 0; b < count; b++)
            end(&teams[b]);
    }
}
