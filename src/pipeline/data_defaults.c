/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the options that a learner chooses from the size of the data. */
#include "pipeline/data_defaults.h"

#include "base/text.h"
#include "pipeline/ranker.h"
#include "pipeline/share_training.h"
#include "pipeline/train.h"

#include <stdio.h>
#include <string.h>

/* The value in the checkpoint that is resumed; NULL: none. */
static const char *resumed_value(const gradus_training *t, const char *name)
{
    return t->input.resume && t->input.start ? gr_model_setting(t->input.start, name) : NULL;
}

static gradus_status set_default(gradus_training *t, const gr_data_default *option,
                                 gradus_error *err)
{
    const char *then = resumed_value(t, option->name);
    const gr_data_size size = { .rows = t->train->arrays.rows,
                                .queries = t->train->arrays.queries,
                                .compares = !t->input.objective &&
                                            gr_needs_queries(t->recipe.ranker, t->recipe.options) };
    char value[24];

    snprintf(value, sizeof value, "%llu",
             (unsigned long long)option->choose(t->recipe.options, &size));
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
    const gr_data_default *option = t->recipe.learner->data_defaults;

    if (!option || gr_options_given(t->given, "preset"))
        return GRADUS_OK;
    for (; option->name; option++) {
        if (gr_options_given(t->given, option->name) || (option->needs_valid && !t->valid))
            continue;
        GR_TRY(set_default(t, option, err));
        add_chosen(t, option->name);
    }
    return GRADUS_OK;
}

void gr_training_note_defaults(const gradus_training *t)
{
    if (t->chosen[0])
        gr_note(t->context, "chosen for %zu rows%s: %s", gr_whole_set(t->train)->arrays.rows,
                t->valid ? " and validation data" : "", t->chosen);
}
