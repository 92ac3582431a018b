/* Rows that are not in the sample may have values that equal a threshold. Such a threshold moves to
 * the float just below, unless a value is there: values keep their sides, so bins stay. */
#include "data/bins_work.h"

#include <stdlib.h>

typedef struct nudge {
    gr_binning *work;
    uint8_t *near;    /* one a threshold: a value is the float just below it */
    uint64_t *absent; /* sparse rows: of each feature, how many rows do not list it */
} nudge;

static void look_at(const nudge *n, size_t f, float value)
{
    const gr_cuts *cuts = &n->work->bins->cuts;

    for (uint64_t t = cuts->starts[f]; t < cuts->starts[f + 1]; t++)
        if (n->work->hits[t] && gr_float_below(cuts->thresholds[t]) == value)
            gr_raise(&n->near[t]);
}

static void look_at_feature(void *argument, size_t f, size_t worker)
{
    const nudge *n = argument;
    const gradus_arrays *a = &n->work->data->arrays;
    const gr_cuts *cuts = &n->work->bins->cuts;
    bool hit = false;

    (void)worker;
    for (uint64_t t = cuts->starts[f]; t < cuts->starts[f + 1]; t++)
        hit |= n->work->hits[t] != 0;
    for (size_t r = 0; r < a->rows && hit; r++)
        look_at(n, f, a->values[r * a->stride + f]);
}

static void look_at_entries(nudge *n)
{
    const gradus_arrays *a = &n->work->data->arrays;
    const gr_cuts *cuts = &n->work->bins->cuts;

    for (size_t f = 0; f < a->features; f++)
        n->absent[f] = a->rows;
    for (uint64_t e = 0; e < a->row_starts[a->rows]; e++)
        n->absent[a->columns[e]]--;
    for (size_t f = 0; f < a->features; f++)
        for (uint64_t t = cuts->starts[f]; t < cuts->starts[f + 1] && n->absent[f] > 0; t++)
            if (cuts->thresholds[t] == 0.0f)
                n->work->hits[t] = 1;
    for (uint64_t e = 0; e < a->row_starts[a->rows]; e++)
        look_at(n, a->columns[e], a->entries[e]);
    for (size_t f = 0; f < a->features; f++)
        if (n->absent[f] > 0)
            look_at(n, f, 0.0f);
}

gradus_status gr_binning_nudge(gr_binning *work, gradus_error *err)
{
    gr_cuts *cuts = &work->bins->cuts;
    const size_t count = (size_t)cuts->starts[cuts->features];
    nudge n = { work, NULL, NULL };

    if (!work->hits)
        return GRADUS_OK;
    n.near = gr_new_array(count, 1);
    n.absent = gr_new_array(cuts->features, sizeof *n.absent);
    if (!n.near || !n.absent) {
        free(n.near);
        free(n.absent);
        return gr_fail_memory(err, "thresholds");
    }
    if (gr_dataset_is_dense(work->data))
        gr_pool_run(gr_pool_of(work->context), cuts->features, look_at_feature, &n);
    else
        look_at_entries(&n);
    for (size_t t = 0; t < count; t++)
        if (work->hits[t] && !n.near[t])
            cuts->thresholds[t] = gr_float_below(cuts->thresholds[t]);
    free(n.near);
    free(n.absent);
    return GRADUS_OK;
}
