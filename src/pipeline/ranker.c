/* SPDX-License-Identifier: Apache-2.0 */
/* The table of trained methods. */
#include "pipeline/ranker.h"

#include <string.h>

static const gr_ranker *const rankers[] = {
#define GR_RANKER(name, text) &gr_ranker_##name,
#include "pipeline/rankers.def"
#undef GR_RANKER
};

#define GR_RANKER(name, text) text,
const char *const gr_ranker_names[] = {
#include "pipeline/rankers.def"
    NULL
};
#undef GR_RANKER

const gr_ranker *gr_ranker_number(size_t index)
{
    return index < sizeof rankers / sizeof *rankers ? rankers[index] : NULL;
}

const gr_ranker *gr_ranker_named(const char *name)
{
    const gr_ranker *ranker;

    for (size_t m = 0; (ranker = gr_ranker_number(m)); m++)
        if (strcmp(ranker->about.name, name) == 0)
            return ranker;
    return NULL;
}

const gr_about *gr_rankers_at(size_t index)
{
    const gr_ranker *ranker = gr_ranker_number(index);

    return ranker ? &ranker->about : NULL;
}

bool gr_always_needs_queries(const struct gr_train_options *options)
{
    (void)options;
    return true;
}

bool gr_needs_queries(const gr_ranker *ranker, const struct gr_train_options *options)
{
    return ranker->needs_queries && ranker->needs_queries(options);
}
