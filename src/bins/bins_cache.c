/* SPDX-License-Identifier: Apache-2.0 */
/* Caches bins for concurrent trainings: they are computed once per dataset and set of options. */
#include "bins/bins_work.h"

#include <pthread.h>
#include <stdlib.h>

enum { MAX_IDLE = 16 }; /* unused bins that are kept */

typedef struct gr_cached_bins {
    gr_bin_cache *cache;
    const gradus_dataset *data;
    gr_bin_options options;
    pthread_mutex_t making; /* held while the bins are computed; they are immutable afterwards */
    bool made;
    size_t readers; /* including threads waiting for them */
    gr_bins bins;
    struct gr_cached_bins *next;
} shared_bins;

struct gr_bin_cache {
    pthread_mutex_t lock; /* protects the list, readers and counts */
    shared_bins *first;
    size_t made, found;
    size_t count;
    const gradus_dataset *sets[];
};

gr_bin_cache *gr_bin_cache_new(const gradus_dataset *const *sets, size_t count, gradus_error *err)
{
    gr_bin_cache *cache = gr_new_array(1, sizeof *cache + count * sizeof cache->sets[0]);

    if (!cache) {
        gr_fail_memory(err, "shared bins");
        return NULL;
    }
    pthread_mutex_init(&cache->lock, NULL);
    cache->count = count;
    for (size_t i = 0; i < count; i++)
        cache->sets[i] = sets[i];
    return cache;
}

static void end_bins(shared_bins *shared)
{
    gr_bins_free(&shared->bins);
    pthread_mutex_destroy(&shared->making);
    free(shared);
}

void gr_bin_cache_free(gr_bin_cache *cache)
{
    if (!cache)
        return;
    while (cache->first) {
        shared_bins *next = cache->first->next;

        end_bins(cache->first);
        cache->first = next;
    }
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

void gr_bin_cache_counts(gr_bin_cache *cache, size_t *made, size_t *found)
{
    pthread_mutex_lock(&cache->lock);
    *made = cache->made;
    *found = cache->found;
    pthread_mutex_unlock(&cache->lock);
}

bool gr_bins_are_cached(const gradus_context *context, const gradus_dataset *data)
{
    const gr_bin_cache *cache = context ? context->bins : NULL;

    for (size_t i = 0; cache && i < cache->count; i++)
        if (cache->sets[i] == data)
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

/* Frees the least recently used idle entries beyond MAX_IDLE. The caller holds the lock. */
static void drop_idle(gr_bin_cache *cache)
{
    size_t idle = 0;

    for (shared_bins **at = &cache->first; *at;) {
        shared_bins *shared = *at;

        if (shared->readers == 0 && ++idle > MAX_IDLE) {
            *at = shared->next;
            end_bins(shared);
        } else {
            at = &shared->next;
        }
    }
}

/* Finds or adds the entry for these options and increments its readers; NULL: no memory. */
static shared_bins *take(gr_bin_cache *cache, const gradus_dataset *data,
                         const gr_bin_options *options)
{
    shared_bins *shared = NULL;

    pthread_mutex_lock(&cache->lock);
    for (shared_bins **at = &cache->first; *at; at = &(*at)->next)
        if (is_same(*at, data, options)) { /* move to the front: most recently used */
            shared = *at;
            *at = shared->next;
            break;
        }
    if (!shared) {
        drop_idle(cache);
        shared = calloc(1, sizeof *shared);
        if (shared) {
            shared->cache = cache;
            shared->data = data;
            shared->options = *options;
            pthread_mutex_init(&shared->making, NULL);
        }
    }
    if (shared) {
        shared->next = cache->first;
        cache->first = shared;
        shared->readers++;
    }
    pthread_mutex_unlock(&cache->lock);
    return shared;
}

void gr_bins_give_back(struct gr_cached_bins *shared)
{
    gr_bin_cache *cache = shared->cache;

    pthread_mutex_lock(&cache->lock);
    shared->readers--;
    pthread_mutex_unlock(&cache->lock);
}

gradus_status gr_bins_from_cache(gr_bin_cache *cache, const gradus_dataset *data,
                                 const gr_bin_options *options, const gradus_context *context,
                                 gr_bins *bins, gradus_error *err)
{
    shared_bins *shared = take(cache, data, options);
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
    pthread_mutex_lock(&cache->lock);
    cache->made += !found;
    cache->found += found;
    pthread_mutex_unlock(&cache->lock);
    return GRADUS_OK;
}
