/* SPDX-License-Identifier: Apache-2.0 */
/* Collects rows into windows and hands these to the threads that ask for work. */
#include "data/row_windows.h"

#include "base/crc32c.h"
#include "base/memory.h"
#include "data/binned.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct window {
    struct window *next;
    size_t number, rows;
    float values[];
} window;

struct gr_row_windows {
    gr_window_use use;
    size_t rows;     /* added */
    window *filling; /* NULL: none */
    gr_array sums;   /* uint32_t, used by the adding thread only */
    size_t summed;   /* bytes */

    pthread_mutex_t lock;  /* protects the fields below */
    pthread_cond_t ended;  /* a window was processed */
    window *first, **last; /* windows that wait */
    window *spare;
    size_t waiting, running;
};

gr_row_windows *gr_row_windows_new(const gr_window_use *use, gradus_error *err)
{
    gr_row_windows *windows = calloc(1, sizeof *windows);

    if (!windows) {
        gr_fail_memory(err, "rows");
        return NULL;
    }
    windows->use = *use;
    windows->last = &windows->first;
    pthread_mutex_init(&windows->lock, NULL);
    pthread_cond_init(&windows->ended, NULL);
    return windows;
}

static void free_list(window *w)
{
    while (w) {
        window *next = w->next;

        free(w);
        w = next;
    }
}

void gr_row_windows_free(gr_row_windows *windows)
{
    if (!windows)
        return;
    free_list(windows->first);
    free_list(windows->spare);
    free(windows->filling);
    gr_array_free(&windows->sums);
    pthread_cond_destroy(&windows->ended);
    pthread_mutex_destroy(&windows->lock);
    free(windows);
}

const gr_window_use *gr_row_windows_use(const gr_row_windows *windows)
{
    return &windows->use;
}

size_t gr_row_windows_rows(const gr_row_windows *windows)
{
    return windows->rows;
}

/* Adds the values of a window to the checksums. */
static gradus_status add_sums(gr_row_windows *windows, const window *w, gradus_error *err)
{
    const unsigned char *bytes = (const unsigned char *)w->values;
    size_t left = w->rows * windows->use.features * sizeof *w->values;

    while (left > 0) {
        const size_t index = windows->summed / GR_SUM_BYTES;
        const size_t room = GR_SUM_BYTES - windows->summed % GR_SUM_BYTES;
        const size_t part = left < room ? left : room;

        if (!gr_array_reserve(&windows->sums, (index + 2) * sizeof(uint32_t)))
            return gr_fail_memory(err, "checksums");
        uint32_t *sum = (uint32_t *)windows->sums.at + index;

        *sum = gr_crc32c(room == GR_SUM_BYTES ? 0 : *sum, bytes, part);
        sum[1] = 0;
        bytes += part;
        left -= part;
        windows->summed += part;
    }
    return GRADUS_OK;
}

uint32_t *gr_row_windows_take_sums(gr_row_windows *windows, size_t *count)
{
    *count = windows->summed / GR_SUM_BYTES + 1;
    uint32_t *sums = gr_new_array(*count, sizeof *sums);

    for (size_t i = 0; sums && windows->summed && i < *count; i++)
        sums[i] = ((uint32_t *)windows->sums.at)[i];
    return sums;
}

/* Takes a window off a list; NULL if it is empty. */
static window *take(gr_row_windows *windows, bool spare)
{
    window *w = spare ? windows->spare : windows->first;

    if (w && spare)
        windows->spare = w->next;
    if (w && !spare) {
        windows->first = w->next;
        windows->last = windows->first ? windows->last : &windows->first;
        windows->waiting--;
        windows->running++;
    }
    return w;
}

void gr_row_windows_work(gr_row_windows *windows)
{
    pthread_mutex_lock(&windows->lock);
    window *w = take(windows, false);

    pthread_mutex_unlock(&windows->lock);
    if (!w)
        return;
    windows->use.process(windows->use.state, w->number, w->values, w->rows);
    pthread_mutex_lock(&windows->lock);
    w->next = windows->spare;
    windows->spare = w;
    windows->running--;
    pthread_cond_signal(&windows->ended);
    pthread_mutex_unlock(&windows->lock);
}

/* Queues the window that was filled; processes one here if too many wait. */
static gradus_status queue(gr_row_windows *windows, gradus_error *err)
{
    window *w = windows->filling;
    bool many;

    windows->filling = NULL;
    w->next = NULL;
    const gradus_status status = add_sums(windows, w, err);

    pthread_mutex_lock(&windows->lock);
    *windows->last = w;
    windows->last = &w->next;
    many = ++windows->waiting > windows->use.queued;
    pthread_mutex_unlock(&windows->lock);
    if (many && status == GRADUS_OK)
        gr_row_windows_work(windows);
    return status;
}

static gradus_status begin(gr_row_windows *windows, gradus_error *err)
{
    size_t bytes;

    pthread_mutex_lock(&windows->lock);
    window *w = take(windows, true);

    pthread_mutex_unlock(&windows->lock);
    if (!w && gr_size_times(windows->use.window, windows->use.features, &bytes) &&
        gr_size_times(bytes, sizeof *w->values, &bytes) && gr_size_plus(bytes, sizeof *w, &bytes))
        w = malloc(bytes);
    if (!w)
        return gr_fail_memory(err, "rows");
    w->number = windows->rows / windows->use.window;
    w->rows = 0;
    windows->filling = w;
    return GRADUS_OK;
}

gradus_status gr_row_windows_next(gr_row_windows *windows, float **row, gradus_error *err)
{
    if (windows->filling && windows->filling->rows == windows->use.window)
        GR_TRY(queue(windows, err));
    if (!windows->filling)
        GR_TRY(begin(windows, err));
    window *w = windows->filling;

    *row = w->values + w->rows * windows->use.features;
    w->rows++;
    windows->rows++;
    return GRADUS_OK;
}

gradus_status gr_row_windows_finish(gr_row_windows *windows, gradus_error *err)
{
    if (windows->filling)
        GR_TRY(queue(windows, err));
    while (windows->first)
        gr_row_windows_work(windows);
    pthread_mutex_lock(&windows->lock);
    while (windows->running > 0)
        pthread_cond_wait(&windows->ended, &windows->lock);
    pthread_mutex_unlock(&windows->lock);
    return GRADUS_OK;
}
