/* SPDX-License-Identifier: Apache-2.0 */
/* Trains on the used columns of wide sparse data: with one feature id of 20 million, every array
 * per feature would have that many items. Models get the features of the data back when they are
 * built. */
#include "pipeline/narrow_training.h"

#include "learners/sgd/sgd.h"
#include "model/narrow.h"
#include "pipeline/train.h"

/* Copying the data takes 4 to 8 bytes per entry, arrays per feature at least 8 times as much. */
enum { ENTRIES_PER_FEATURE = 8 };

bool gr_training_hashes(const gradus_training *t)
{
    return gr_recipe_reads(&t->recipe, "hash-bits") &&
           GR_TRAIN_BLOCK(t->recipe.options, sgd)->hash_bits > 0;
}

static bool is_wide(const gradus_training *t)
{
    const gradus_arrays *a = &t->train->arrays;

    return a->row_starts && a->rows > 0 && a->features >= gr_wide_features(t->context) &&
           !gr_training_hashes(t);
}

/* Whether training on fewer columns saves more memory than the copies of the data take. */
static bool pays(const gradus_training *t)
{
    const gradus_arrays *a = &t->train->arrays;

    return gr_used_are_few(&t->columns) &&
           a->row_starts[a->rows] / ENTRIES_PER_FEATURE <= a->features;
}

/* Finds the columns of the training data and of the model to start from. *known: whether the latter
 * can be trained further on some of the columns. */
static gradus_status find_columns(gradus_training *t, bool *known, gradus_error *err)
{
    *known = true;
    GR_TRY(gr_used_start(&t->columns, t->train->arrays.features, err));
    GR_TRY(gr_used_add_data(&t->columns, t->train, err));
    if (t->input.start)
        GR_TRY(gr_model_add_columns(t->input.start, &t->columns, known, err));
    return gr_used_finish(&t->columns, err);
}

static gradus_status narrow_sets(gradus_training *t, gradus_error *err)
{
    t->narrow_train = gr_used_narrow(&t->columns, t->train, err);
    if (!t->narrow_train)
        return err->status;
    t->train = t->narrow_train;
    if (t->valid) {
        t->narrow_valid = gr_used_narrow(&t->columns, t->valid, err);
        if (!t->narrow_valid)
            return err->status;
        t->valid = t->narrow_valid;
    }
    if (!t->input.start)
        return GRADUS_OK;
    t->narrow_start = gr_model_narrowed(t->input.start, &t->columns, err);
    if (!t->narrow_start)
        return err->status;
    t->input.start = t->narrow_start;
    return GRADUS_OK;
}

/* A model with a list of columns has no numbers for others: it is trained further on these. */
static gradus_status check_listed(const gradus_training *t, gradus_error *err)
{
    if (t->narrow_start && gr_model_listed(t->narrow_start))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model to start from was trained on %zu of the %zu features, but the "
                       "data have entries of %zu others: train from the start on both",
                       gr_model_listed(t->narrow_start)->column_count, t->columns.features,
                       t->columns.count - gr_model_listed(t->narrow_start)->column_count);
    return GRADUS_OK;
}

gradus_status gr_training_narrow(gradus_training *t, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(t->context);
    const gradus_model *start = t->input.start;
    const bool listed = start && gr_model_listed(start);
    bool known;

    if (start && start->features != t->train->arrays.features)
        return GRADUS_OK; /* the learner reports it */
    if (!listed && !is_wide(t))
        return GRADUS_OK;
    GR_TRY(gr_dataset_need(t->train, GR_NEED_ALL, pool, err));
    if (t->valid)
        GR_TRY(gr_dataset_need(t->valid, GR_NEED_ALL, pool, err));
    GR_TRY(find_columns(t, &known, err));
    if (!listed && (!known || !pays(t))) {
        gr_used_free(&t->columns);
        return GRADUS_OK;
    }
    GR_TRY(narrow_sets(t, err));
    return check_listed(t, err);
}

void gr_training_narrow_free(gradus_training *t)
{
    gradus_dataset_free(t->narrow_train);
    gradus_dataset_free(t->narrow_valid);
    gr_model_free(t->narrow_start);
    gr_used_free(&t->columns);
}
