/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of every method and every learner gives the scores and probabilities of the model, bit for
 * bit. */
#include "graph_check.h"
#include "method_pairs.h"
#include "synthetic_sets.h"

#include "data/dataset.h"

#include <stdlib.h>

enum { ROWS = 60 };

static gradus_dataset *train, *valid;

static int set_up(void **state)
{
    (void)state;
    train = make_synth(1, "mcrank", PAIRS("queries", "20", "documents", "25", "features", "6"));
    valid = make_synth(1, "mcrank",
                       PAIRS("queries", "8", "documents", "10", "features", "6", "seed", "2"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    return 0;
}

static gradus_model *trained(const method_pair *pair, const char *transform)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = pair_options(pair, "3");
    gradus_model *model = NULL;

    if (gradus_options_set(options, "transform", transform, &err) == GRADUS_OK)
        model = gradus_train(NULL, train, valid, options, &err);
    if (!model)
        fail_pair(pair, err.message);
    gradus_options_free(options);
    return model;
}

static size_t with_probabilities;

static void check_pair(const method_pair *pair)
{
    static const char *const transforms[] = { "none", "minmax", "standardise" };
    bool known = false;

    for (size_t t = 0; t < sizeof transforms / sizeof *transforms; t++) {
        gradus_model *model = trained(pair, transforms[t]);
        char what[120];

        snprintf(what, sizeof what, "%s by %s, transform %s", pair->ranker->about.name,
                 pair->learner->about.name, transforms[t]);
        const graph_check found =
            check_graph(what, model, train->arrays.values, train->arrays.rows, ROWS, 0.0);

        known = found.probabilities > 0;
        gradus_model_free(model);
    }
    with_probabilities += known;
}

static void test_every_method_and_learner(void **state)
{
    const gradus_training_input input = { .train = train, .valid = valid };

    (void)state;
    check_pairs(PAIRS_ALL, &input, check_pair);
    assert_true(with_probabilities > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_and_learner),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
