/* SPDX-License-Identifier: Apache-2.0 */
/* Small data need small trees: with a number of leaves that suits large data, every tree fits
 * noise. Leaves and minimum rows per leaf both grow with the square root of the number of rows, so
 * that both the number of leaves and the rows in each grow with the data. Fitted by bench/defaults
 * on LETOR and synthetic data; docs/results/defaults.md has the leave-one-dataset-out table. */
#include "pipeline/data_defaults.h"

#include "base/text.h"
#include "pipeline/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t clamped_root(size_t rows, double divisor, double low, double high)
{
    const double value = round(sqrt((double)rows) / divisor);

    return (uint64_t)(value < low ? low : value > high ? high : value);
}

static uint64_t choose_leaves(size_t rows)
{
    return clamped_root(rows, 10.0, 8.0, 255.0);
}

static uint64_t choose_min_rows(size_t rows)
{
    return clamped_root(rows, 2.0, 20.0, 50.0);
}

/* Early stopping decides; small trees may need many rounds. */
static uint64_t choose_rounds(size_t rows)
{
    (void)rows;
    return 2000;
}

/* The metric is noisy on small validation sets: 50 rounds without improvement are common long
 * before the best round. */
static uint64_t choose_patience(size_t rows)
{
    (void)rows;
    return 100;
}

const gr_data_default gr_boost_data_defaults[] = {
    { "leaves", choose_leaves, false },
    { "min-rows", choose_min_rows, false },
    { "rounds", choose_rounds, true },
    { "patience", choose_patience, true },
    { NULL, NULL, false },
};

/* The value in the checkpoint that is resumed; NULL: none. */
static const char *resumed_value(const gradus_training *t, const char *name)
{
    return t->input.resume && t->input.start ? gr_model_setting(t->input.start, name) : NULL;
}

/* With an explicit depth, the depth determines the number of leaves. */
static uint64_t choose(const gradus_training *t, const gr_data_default *option)
{
    if (strcmp(option->name, "leaves") == 0 && t->options.boost.tree.depth > 0)
        return 0;
    return option->choose(t->train->arrays.rows);
}

static gradus_status set_default(gradus_training *t, const gr_data_default *option,
                                 gradus_error *err)
{
    const char *then = resumed_value(t, option->name);
    char value[24];

    snprintf(value, sizeof value, "%llu", (unsigned long long)choose(t, option));
    return gr_options_set(t->given, option->name, then ? then : value, err);
}

static void add_chosen(gradus_training *t, const char *name)
{
    gr_text_append(t->chosen, sizeof t->chosen, t->chosen[0] ? ", " : "");
    gr_text_append(t->chosen, sizeof t->chosen, name);
    gr_text_append(t->chosen, sizeof t->chosen, " ");
    gr_text_append(t->chosen, sizeof t->chosen, gr_options_value(t->given, name));
}

gradus_status gr_training_choose_defaults(gradus_training *t, gradus_error *err)
{
    const gr_data_default *option = t->learner->data_defaults;

    if (!option || gr_options_given(t->given, "preset"))
        return GRADUS_OK;
    for (; option->name; option++) {
        if (gr_options_given(t->given, option->name) || (option->needs_valid && !t->valid))
            continue;
        GR_TRY(set_default(t, option, err));
        add_chosen(t, option->name);
    }
    return gr_options_get(t->given, &gr_operation_train, &t->options, err);
}

void gr_training_note_defaults(const gradus_training *t)
{
    if (t->chosen[0])
        gr_note(t->context, "chosen for %zu rows%s: %s", t->train->arrays.rows,
                t->valid ? " and validation data" : "", t->chosen);
}
