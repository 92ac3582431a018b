/* The features that a model uses, listed without an array of all features: a file may claim any
 * number of them. */
#include "model/model.h"

#include <stdlib.h>

static const gr_node *last_node(const gradus_model *model)
{
    return &model->nodes[model->node_count - 1];
}

size_t gr_model_most_uses(const gradus_model *model)
{
    const gr_node *last = last_node(model);

    if (last->kind->uses)
        return last->kind->uses(last->state, NULL);
    return last->kind->importance ? model->features : 0;
}

static gradus_status list_dense(const gradus_model *model, gradus_feature_use *uses, size_t *count,
                                gradus_error *err)
{
    const gr_node *last = last_node(model);
    double *sizes = gr_new_array(model->features, sizeof *sizes);
    uint64_t *places = gr_new_array(model->features, sizeof *places);

    if (sizes && places) {
        last->kind->importance(last->state, sizes, places);
        for (size_t f = 0; f < model->features; f++)
            uses[(*count)++] = (gradus_feature_use){ f, sizes[f], places[f] };
    }
    free(sizes);
    free(places);
    return sizes && places ? GRADUS_OK : gr_fail_memory(err, "the uses of features");
}

/* An entry with its place in the list: those of a feature are added up in the order of the list, so
 * that sums have the bits of gradus_model_importance. */
typedef struct listed {
    gradus_feature_use use;
    size_t number;
} listed;

static int by_feature(const void *left, const void *right)
{
    const listed *a = left, *b = right;

    if (a->use.feature != b->use.feature)
        return a->use.feature < b->use.feature ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Entries of one feature become one. */
static gradus_status merge(gradus_feature_use *uses, size_t *count, gradus_error *err)
{
    listed *all = gr_new_array(*count, sizeof *all);
    size_t used = 0;

    if (!all)
        return gr_fail_memory(err, "the uses of features");
    for (size_t i = 0; i < *count; i++)
        all[i] = (listed){ uses[i], i };
    qsort(all, *count, sizeof *all, by_feature);
    for (size_t i = 0; i < *count; i++) {
        const gradus_feature_use *use = &all[i].use;

        if (use->splits == 0)
            continue;
        if (used == 0 || uses[used - 1].feature != use->feature)
            uses[used++] = (gradus_feature_use){ use->feature, 0.0, 0 };
        uses[used - 1].gain += use->gain;
        uses[used - 1].splits += use->splits;
    }
    free(all);
    *count = used;
    return GRADUS_OK;
}

gradus_status gr_model_uses(const gradus_model *model, gradus_feature_use *uses, size_t *count,
                            gradus_error *err)
{
    const gr_node *last = last_node(model);

    *count = 0;
    if (last->kind->uses)
        *count = last->kind->uses(last->state, uses);
    else if (last->kind->importance)
        GR_TRY(list_dense(model, uses, count, err));
    return merge(uses, count, err);
}
