/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over pairs of a method and a learner. */
#include "method_pairs.h"

#include "checks.h"

#include <string.h>

enum { MAX_LEARNERS = 64 };

/* Settings that make a fit small, or long enough to be cancelled. */
static const char *const settings[][4] = {
    { "calibrated", "calibrated", "leaves-grid", "3,5" },
    { "calibrated", "calibrated", "terms-grid", "2" },
    { "calibrated", "calibrated", "rounds-grid", "2,4" },
    { "calibrated", "calibrated", "calibrations", "ls,linear" },
    { "crr", "sgd", "steps", "20000" },
    { "ranksvm", "sgd", "steps", "20000" },
    { "coordinate-ascent", "linear", "restarts", "50" },
};

static void set(gradus_options *options, const char *name, const char *value)
{
    gradus_error err = { GRADUS_OK, "" };

    if (gradus_options_set(options, name, value, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
}

gradus_options *pair_options(const method_pair *pair, const char *rounds)
{
    const char *method = pair->ranker->about.name, *learner = pair->learner->about.name;
    gradus_options *options = gradus_options_new("train", NULL);

    assert_non_null(options);
    set(options, "method", method);
    set(options, "learner", learner);
    if (pair->learner->by_rounds) {
        set(options, "rounds", rounds);
        set(options, "patience", "0");
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strcmp(settings[i][0], method) == 0 && strcmp(settings[i][1], learner) == 0)
            set(options, settings[i][2], settings[i][3]);
    return options;
}

void fail_pair(const method_pair *pair, const char *what)
{
    fail_msg("%s by %s: %s", pair->ranker->about.name, pair->learner->about.name, what);
}

static bool can_train(const gradus_training_input *input, const method_pair *pair)
{
    gradus_options *options = pair_options(pair, "2");
    gradus_error err = { GRADUS_OK, "" };
    gradus_training *training = gradus_training_new(NULL, input, options, &err);

    if (!training)
        assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    gradus_training_free(training);
    gradus_options_free(options);
    return training;
}

typedef struct walk {
    pair_range range;
    const gradus_training_input *input;
    pair_check *check;
    const gr_learner *seen[MAX_LEARNERS];
    size_t seen_count;
    bool has_learner; /* the current method */
} walk;

static void visit(walk *w, method_pair pair)
{
    const bool own_objective = pair.learner->also && pair.learner->also == pair.ranker->objective;
    bool seen = false;

    for (size_t i = 0; i < w->seen_count; i++)
        seen = seen || w->seen[i] == pair.learner;
    if (w->range == PAIRS_COVERING && seen && w->has_learner && !own_objective)
        return;
    if (!can_train(w->input, &pair))
        return;
    w->check(&pair);
    w->has_learner = true;
    if (!seen) {
        assert_true(w->seen_count < MAX_LEARNERS);
        w->seen[w->seen_count++] = pair.learner;
    }
}

void check_pairs(pair_range range, const gradus_training_input *input, pair_check *check)
{
    walk w = { .range = range, .input = input, .check = check };

    for (size_t m = 0; gr_ranker_names[m]; m++) {
        const gr_ranker *ranker = gr_ranker_number(m);

        w.has_learner = false;
        for (size_t l = 0; ranker->own_learners && ranker->own_learners[l]; l++)
            visit(&w, (method_pair){ ranker, ranker->own_learners[l] });
        for (size_t l = 0; !ranker->only_own && gr_learner_names[l]; l++)
            if (!gr_learner_number(l)->by_method)
                visit(&w, (method_pair){ ranker, gr_learner_number(l) });
        if (!w.has_learner)
            fail_msg("'%s' has no learner", ranker->about.name);
    }
    for (size_t l = 0; gr_learner_names[l]; l++) {
        bool seen = gr_learner_number(l)->by_method;

        for (size_t i = 0; i < w.seen_count; i++)
            seen = seen || strcmp(w.seen[i]->about.name, gr_learner_names[l]) == 0;
        if (!seen)
            fail_msg("no method takes learner '%s'", gr_learner_names[l]);
    }
}
