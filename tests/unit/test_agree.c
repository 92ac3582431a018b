/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that have been given other options or data than rank 0: all of them are refused, with what
 * differs. The ranks are threads (rank_team.h). */
#include "synthetic_sets.h"
#include "query_sets.h"
#include "rank_team.h"
#include "train_model.h"

#include "backend/agree.h"

#include <string.h>

enum { RANKS = 3 };

/* What rank 0 has, and what rank 1 has. */
typedef struct given {
    gradus_training_input input[2];
    gradus_options *options[2];
    gradus_error errors[RANKS];
} given;

static bool train_rank(const gradus_collectives *with, void *user)
{
    given *g = user;
    const size_t which = with->rank == 1;
    gradus_error *err = &g->errors[with->rank];
    gradus_context *context = gradus_context_new(1, err);

    gradus_context_set_collectives(context, with);
    gradus_training *training =
        gradus_training_new(context, &g->input[which], g->options[which], err);
    const bool good = training != NULL;

    gradus_training_free(training);
    gradus_context_free(context);
    return good;
}

static void check_differs(given *g, const char *why)
{
    assert_int_equal(rank_team_run(RANKS, 0, train_rank, g, NULL, NULL), RANKS);
    for (size_t i = 0; i < RANKS; i++)
        if (!strstr(g->errors[i].message, why))
            fail_msg("'%s' does not contain '%s'", g->errors[i].message, why);
}

static void test_options(void **state)
{
    query_set set = make_query_set(20, 5, false);
    given g = { .input = { { .train = set.data }, { .train = set.data } } };

    (void)state;
    g.options[0] = train_options(PAIRS("method", "regression", "rounds", "3"));
    g.options[1] = train_options(PAIRS("method", "regression", "rounds", "5"));
    check_differs(&g,
                  "rank 1 has 'rounds' 5, but rank 0 has 'rounds' 3: all processes need the same");
    gradus_options_free(g.options[1]);
    g.options[1] = train_options(PAIRS("method", "cocr", "rounds", "3"));
    check_differs(&g, "rank 1 has 'method' cocr, but rank 0 has 'method' regression");
    gradus_options_free(g.options[0]);
    gradus_options_free(g.options[1]);
    end_query_set(&set);
}

static void test_data(void **state)
{
    query_set sets[] = { make_query_set(20, 5, false), make_query_set(20, 6, false) };
    double scores[2000] = { 1.0 }, others[2000] = { 2.0 };
    given g = { .input = { { .train = sets[0].data }, { .train = sets[1].data } } };

    (void)state;
    assert_true(gradus_dataset_rows(sets[0].data) <= 2000);
    g.options[0] = g.options[1] = train_options(PAIRS("method", "regression", "rounds", "3"));
    check_differs(&g, "rank 1 has training data of ");
    g.input[1].train = sets[0].data;
    g.input[0].valid = sets[0].data;
    check_differs(&g, "rank 1 has no validation data, but rank 0 has validation data of ");
    g.input[1].valid = sets[1].data;
    check_differs(&g, "rank 1 has validation data of ");
    g.input[1].valid = NULL;
    g.input[0].valid = NULL;
    g.input[0].initial = scores;
    check_differs(&g,
                  "rank 1 has no initial training scores, but rank 0 has initial training scores");
    g.input[1].initial = others;
    check_differs(&g, "rank 1 has initial training scores of checksum ");
    gradus_options_free(g.options[0]);
    end_query_set(&sets[0]);
    end_query_set(&sets[1]);
}

static void test_start(void **state)
{
    query_set set = make_query_set(20, 5, false);
    given g = { .input = { { .train = set.data }, { .train = set.data } } };
    gradus_model *models[] = {
        train_model(1, set.data, NULL, PAIRS("method", "regression", "rounds", "2")),
        train_model(1, set.data, NULL, PAIRS("method", "regression", "rounds", "3")),
    };

    (void)state;
    g.options[0] = g.options[1] = train_options(PAIRS("method", "regression", "rounds", "4"));
    g.input[0].start = models[0];
    check_differs(&g,
                  "rank 1 has no model to start from, but rank 0 has a model to start from of ");
    g.input[1].start = models[1];
    check_differs(&g, "rank 1 has a model to start from of ");
    g.input[1] = g.input[0];
    assert_int_equal(rank_team_run(RANKS, 0, train_rank, &g, NULL, NULL), 0);
    gradus_options_free(g.options[0]);
    gradus_model_free(models[0]);
    gradus_model_free(models[1]);
    end_query_set(&set);
}

/* What each rank compares: rank 1 has the second row. */
typedef struct texts {
    const char *names[2][3], *values[2][3];
    size_t counts[2];
    gradus_error errors[RANKS];
} texts;

static bool compare_rank(const gradus_collectives *with, void *user)
{
    texts *t = user;
    const size_t which = with->rank == 1;
    gr_facts facts = { .used = 0 };

    for (size_t i = 0; i < t->counts[which]; i++)
        gr_facts_add(&facts, t->names[which][i], t->values[which][i]);
    const gradus_status status = gr_agree(with, &facts, &t->errors[with->rank]);

    gr_facts_free(&facts);
    return status == GRADUS_OK;
}

static void test_compare(void **state)
{
    texts t = { { { "a", "b", "c" }, { "a", "b", "c" } },
                { { "1", NULL, "3" }, { "1", "2", "3" } },
                { 3, 3 },
                { { .message = "" } } };

    (void)state;
    assert_int_equal(rank_team_run(RANKS, 0, compare_rank, &t, NULL, NULL), 0); /* not known */
    t.values[1][2] = "4";
    assert_int_equal(rank_team_run(RANKS, 0, compare_rank, &t, NULL, NULL), RANKS);
    assert_non_null(strstr(t.errors[1].message, "rank 1 has c 4, but rank 0 has c 3: "));
    assert_int_equal(t.errors[1].status, GRADUS_BAD_ARGUMENT);
    t.counts[1] = 2;
    assert_int_equal(rank_team_run(RANKS, 0, compare_rank, &t, NULL, NULL), RANKS);
    assert_non_null(strstr(t.errors[1].message, "rank 1 has nothing more, but rank 0 has c 3: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_compare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
