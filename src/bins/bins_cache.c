/* SPDX-License-Identifier: Apache-2.0 */
/* Caches bins for concurrent trainings: they are computed once per dataset and set of options. */
#include "bins/bins_work.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_IDLE = 16 }; /* unused bins that are kept */

typedef struct gr_shared_bins {
    gr_bin_share *share;
    const gradus_dataset *data;
    gr_bin_options options;
    pthread_mutex_t making; /* held while the bins are computed; they are immutable afterwards */
    bool made;
    size_t readers; /* including threads waiting for them */
    gr_bins bins;
    struct gr_shared_bins *next;
} shared_bins;

struct gr_bin_share {
    pthread_mutex_t lock; /* protects the list, readers and counts */
    shared_bins *first;
    size_t made, found;
    size_t count;
    const gradus_dataset *sets[];
};

gr_bin_share *gr_bin_share_new(const gradus_dataset *const *sets, size_t count, gradus_error *err)
{
    gr_bin_share *share = gr_new_array(1, sizeof *share + count * sizeof share->sets[0]);

    if (!share) {
        gr_fail_memory(err, "shared bins");
        return NULL;
    }
    pthread_mutex_init(&share->lock, NULL);
    share->count = count;
    for (size_t i = 0; i < count; i++)
        share->sets[i] = sets[i];
    return share;
}

static void end_bins(shared_bins *shared)
{
    gr_bins_free(&shared->bins);
    pthread_mutex_destroy(&shared->making);
    free(shared);
}

void gr_bin_share_free(gr_bin_share *share)
{
    if (!share)
        return;
    while (share->first) {
        shared_bins *next = share->first->next;

        end_bins(share->first);
        share->first = next;
    }
    pthread_mutex_destroy(&share->lock);
    free(share);
}

void gr_bin_share_counts(gr_bin_share *share, size_t *made, size_t *found)
{
    pthread_mutex_lock(&share->lock);
    *made = share->made;
    *found = share->found;
    pthread_mutex_unlock(&share->lock);
}

bool gr_bins_are_shared(const gradus_context *context, const gradus_dataset *data)
{
    const gr_bin_share *share = context ? context->bins : NULL;

    for (size_t i = 0; share && i < share->count; i++)
        if (share->sets[i] == data)
            return true;
    return false;
}

static bool is_same(const shared_bins *shared, const gradus_dataset *data,
                    const gr_bin_options *options)
{
    return shared->data == data && shared->options.scheme == options->scheme &&
           shared->options.bins == options->bins && shared->options.sample == options->sample &&
           shared->options.seed == options->seed;
}

/* Frees the least recently used idle entries beyond MOST_IDLE. The caller holds the lock. */
static void drop_idle(gr_bin_share *share)
{
    size_t idle = 0;

    for (shared_bins **at = &share->first; *at;) {
        shared_bins *shared = *at;

        if (shared->readers == 0 && ++idle > MOST_IDLE) {
            *at = shared->next;
            end_bins(shared);
        } else {
            at = &shared->next;
        }
    }
}

/* Finds or adds the entry for these options and increments its readers; NULL: no memory. */
static shared_bins *take(gr_bin_share *share, const gradus_dataset *data,
                         const gr_bin_options *options)
{
    shared_bins *shared = NULL;

    pthread_mutex_lock(&share->lock);
    for (shared_bins **at = &share->first; *at; at = &(*at)->next)
        if (is_same(*at, data, options)) { /* move to the front: most recently used */
            shared = *at;
            *at = shared->next;
            break;
        }
    if (!shared) {
        drop_idle(share);
        shared = calloc(1, sizeof *shared);
        if (shared) {
            shared->share = share;
            shared->data = data;
            shared->options = *options;
            pthread_mutex_init(&shared->making, NULL);
        }
    }
    if (shared) {
        shared->next = share->first;
        share->first = shared;
        shared->readers++;
    }
    pthread_mutex_unlock(&share->lock);
    return shared;
}

void gr_bins_give_back(struct gr_shared_bins *shared)
{
    gr_bin_share *share = shared->share;

    pthread_mutex_lock(&share->lock);
    shared->readers--;
    pthread_mutex_unlock(&share->lock);
}

gradus_status gr_bins_share(gr_bin_share *share, const gradus_dataset *data,
                            const gr_bin_options *options, const gradus_context *context,
                            gr_bins *bins, gradus_error *err)
{
    shared_bins *shared = take(share, data, options);
    gradus_status status = GRADUS_OK;

    *bins = (gr_bins){ 0 };
    if (!shared)
        return gr_fail_memory(err, "shared bins");
    pthread_mutex_lock(&shared->making);
    const bool found = shared->made;

    if (!found) /* after a failure the next reader retries */
        status = gr_bins_make(data, options, context, &shared->bins, err);
    shared->made = status == GRADUS_OK;
    pthread_mutex_unlock(&shared->making);
    if (status != GRADUS_OK) {
        gr_bins_give_back(shared);
        return status;
    }
    *bins = shared->bins;
    bins->shared = shared;
    pthread_mutex_lock(&share->lock);
    share->made += !found;
    share->found += found;
    pthread_mutex_unlock(&share->lock);
    return GRADUS_OK;
}
