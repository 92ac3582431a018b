/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: round trips, the format's stability, views, and ensembles. */
#include "check_facts.h"
#include "sample_files.h"

#include "base/sink.h"
#include "model/forest_node.h"
#include "model/model_open.h"
#include "model/model_view.h"
#include "model/model_write.h"

#include <fcntl.h>
#include <sys/stat.h>

static gradus_model *read_model(const char *from)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = gr_model_read(from, &err);

    if (!model)
        fail_msg("%s", err.message);
    return model;
}

static void put_file(const char *to, const void *bytes, size_t size, gr_packing packing)
{
    gr_sink *sink = gr_sink_open(to, packing, NULL);

    assert_non_null(sink);
    assert_int_equal(gr_sink_write(sink, bytes, size, NULL), GRADUS_OK);
    assert_int_equal(gr_sink_close(sink, NULL), GRADUS_OK);
}

static void test_written_and_read_twice_is_the_same(void **state)
{
    (void)state;
    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        gradus_model *model = sample_model(&sample_kinds[k]);
        size_t sizes[3];
        char *first = sample_bytes(model, &sizes[0]);
        char *second = sample_bytes(model, &sizes[1]);
        gradus_model *back = read_model(sample_path);
        char *third = sample_bytes(back, &sizes[2]);

        assert_int_equal(sizes[0], sizes[1]);
        assert_int_equal(sizes[0], sizes[2]);
        assert_memory_equal(first, second, sizes[0]);
        assert_memory_equal(first, third, sizes[0]);
        free(first);
        free(second);
        free(third);
        gr_model_free(model);
        gr_model_free(back);
    }
}

static void check_doubles(const double *found, const double *wanted, size_t count)
{
    assert_int_equal(!found, !wanted);
    if (wanted)
        assert_memory_equal(found, wanted, count * sizeof *wanted);
}

static void check_forest(const gr_forest *found, const gr_forest *wanted)
{
    const size_t splits = (size_t)wanted->starts[wanted->trees], leaves = splits + wanted->trees;

    assert_int_equal(found->features, wanted->features);
    assert_int_equal(found->outputs, wanted->outputs);
    assert_int_equal(found->trees, wanted->trees);
    check_doubles(found->bases, wanted->bases, wanted->outputs);
    assert_memory_equal(found->starts, wanted->starts, (wanted->trees + 1) * sizeof(uint64_t));
    assert_memory_equal(found->splits, wanted->splits, splits * sizeof(gr_split));
    assert_memory_equal(found->leaves, wanted->leaves, leaves * sizeof(float));
    assert_memory_equal(found->covers, wanted->covers, leaves * sizeof(uint32_t));
}

static void check_made_from(const gradus_model *found, const gradus_model *wanted)
{
    assert_string_equal(found->method, wanted->method);
    assert_int_equal(found->setting_count, wanted->setting_count);
    for (size_t i = 0; i < wanted->setting_count; i++) {
        assert_string_equal(found->settings[i].name, wanted->settings[i].name);
        assert_string_equal(found->settings[i].value, wanted->settings[i].value);
    }
    assert_int_equal(found->features, wanted->features);
    assert_int_equal(found->first_id, wanted->first_id);
    assert_int_equal(found->feature_names.count, wanted->feature_names.count);
    for (size_t f = 0; f < wanted->features; f++)
        assert_string_equal(gradus_model_feature_name(found, f),
                            gradus_model_feature_name(wanted, f));
    assert_ptr_equal(found->transform.transform, wanted->transform.transform);
    assert_int_equal(found->transform.features, wanted->transform.features);
    assert_int_equal(found->transform.keep_zeros, wanted->transform.keep_zeros);
    check_doubles(found->transform.shift, wanted->transform.shift, wanted->features);
    check_doubles(found->transform.unit, wanted->transform.unit, wanted->features);
}

static void check_training(const gradus_model *found, const gradus_model *wanted)
{
    assert_true(found->rows == wanted->rows && found->queries == wanted->queries);
    assert_true(found->fingerprint == wanted->fingerprint);
    assert_true(found->valid_fingerprint == wanted->valid_fingerprint);
    assert_string_equal(found->metric, wanted->metric);
    assert_string_equal(found->convention, wanted->convention);
    assert_int_equal(found->lower_is_better, wanted->lower_is_better);
    assert_int_equal(found->point_count, wanted->point_count);
    for (size_t i = 0; i < wanted->point_count; i++) {
        assert_true(found->points[i].round == wanted->points[i].round);
        CHECK_NEAR(found->points[i].train, wanted->points[i].train, 0.0);
        CHECK_NEAR(found->points[i].valid, wanted->points[i].valid, 0.0);
    }
    assert_true(found->start_rounds == wanted->start_rounds);
    assert_true(found->rounds_done == wanted->rounds_done);
    assert_true(found->best_round == wanted->best_round);
    assert_int_equal(found->finished, wanted->finished);
}

static void check_model(const gradus_model *found, const gradus_model *wanted)
{
    const gr_scorer *scorer = &wanted->scorer;

    check_made_from(found, wanted);
    check_training(found, wanted);
    assert_int_equal(found->scorer.meaning, scorer->meaning);
    assert_int_equal(found->scorer.rule, scorer->rule);
    assert_int_equal(found->scorer.outputs, scorer->outputs);
    assert_int_equal(found->scorer.levels, scorer->levels);
    check_doubles(found->scorer.level_labels, scorer->level_labels, scorer->levels);
    check_doubles(found->scorer.weights, scorer->weights, scorer->levels * scorer->outputs);
    check_doubles(found->scorer.shares, scorer->shares, scorer->levels);
    check_doubles(found->scorer.values, scorer->values, scorer->levels);
    check_doubles(found->scorer.divisors, scorer->divisors, scorer->levels);
    check_doubles(found->scorer.factors, scorer->factors, scorer->levels);
    assert_int_equal(found->scorer.repair, scorer->repair);
    assert_int_equal(found->scorer.threshold_sets, scorer->threshold_sets);
    check_doubles(found->scorer.thresholds, scorer->thresholds,
                  scorer->threshold_sets * (scorer->levels ? scorer->levels - 1 : 0));
    assert_int_equal(found->node_count, 1);
    check_forest(gr_model_forest(found), gr_model_forest(wanted));
}

static void test_every_field_is_kept(void **state)
{
    (void)state;
    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        gradus_model *model = sample_model(&sample_kinds[k]);
        gradus_model *back;

        assert_int_equal(gr_model_write(model, sample_path, NULL), GRADUS_OK);
        back = read_model(sample_path);
        check_model(back, model);
        gr_model_free(model);
        gr_model_free(back);
    }
}

/* Files written by the first version of the format stay readable. */
static void test_old_files_are_read(void **state)
{
    (void)state;
    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        gradus_model *wanted = sample_model(&sample_kinds[k]), *found;
        char file[64];

        snprintf(file, sizeof file, "tests/fuzz/corpus/model/%zu.model", k);
        found = read_model(file);
        check_model(found, wanted);
        gr_model_free(wanted);
        gr_model_free(found);
    }
}

/* Sections of the same name belong to different nodes. */
static void test_nodes_are_kept_apart(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[1]), *more = sample_model(&sample_kinds[3]);
    gradus_error err = { GRADUS_OK, "" };
    gr_node last;
    gradus_model *back;

    (void)state;
    /* the last one is scored */
    last = model->nodes[0];
    model->nodes[0] = more->nodes[0];
    more->node_count = 0;
    assert_int_equal(gr_model_add_node(model, &last, NULL), GRADUS_OK);
    assert_int_equal(gr_model_write(model, sample_path, &err), GRADUS_OK);
    back = read_model(sample_path);
    assert_int_equal(back->node_count, 2);
    for (size_t n = 0; n < 2; n++)
        check_forest(back->nodes[n].state, model->nodes[n].state); /* begins with the forest */
    assert_int_equal(gr_model_forest(back)->outputs, 3);
    gr_model_free(back);
    model->nodes[1].input_count = 1;
    assert_int_equal(gr_model_write(model, sample_path, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "node 1 is a forest, which takes rows, not nodes"));
    gr_model_free(model);
    gr_model_free(more);
}

static void test_trees_are_used_where_they_lie(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[1]);
    gradus_model *back;
    const char *splits;

    (void)state;
    assert_int_equal(gr_model_write(model, sample_path, NULL), GRADUS_OK);
    back = read_model(sample_path);
    splits = (const char *)gr_model_forest(back)->splits;
    assert_true(splits > (const char *)back->mapping &&
                splits < (const char *)back->mapping + back->mapping_size);
    assert_int_equal((uintptr_t)splits % 64, 0);
    assert_int_equal((uintptr_t)gr_model_forest(back)->covers % 64, 0);
    gr_model_free(model);
    gr_model_free(back);
}

static void check_no_model(const char *file, gradus_status status, const char *message)
{
    gradus_error err = { GRADUS_OK, "" };

    assert_false(gradus_model_is_file(file));
    assert_null(gradus_model_read(file, &err));
    assert_int_equal(err.status, status);
    if (!strstr(err.message, message))
        fail_msg("'%s', not '%s'", err.message, message);
}

static void test_what_is_not_a_model_is_told(void **state)
{
    char other_path[128];
    const set_kind kind = { 7, 2, 3, .first_id = 1 };
    gradus_dataset *data = random_set(&kind, 1);
    gradus_options *options = gradus_options_new("write", NULL);

    (void)state;
    put_file(sample_path, "2 qid:1 1:0.5\n", 14, GR_PLAIN);
    check_no_model(sample_path, GRADUS_BAD_FORMAT, "a.model' is not a gradus model");
    put_file(sample_path, "\x89GRMOD", 6, GR_PLAIN);
    check_no_model(sample_path, GRADUS_BAD_FORMAT, "is not a gradus model");
    put_file(sample_path, "2 qid:1 1:0.5\n", 14, GR_GZIP);
    check_no_model(sample_path, GRADUS_BAD_FORMAT, "is not a gradus model");
    put_file(sample_path, "", 0, GR_PLAIN);
    check_no_model(sample_path, GRADUS_BAD_FORMAT, "is not a gradus model");
    assert_int_equal(gradus_options_set(options, "output-format", "binary", NULL), GRADUS_OK);
    assert_int_equal(gradus_dataset_write(NULL, data, sample_path, options, NULL), GRADUS_OK);
    check_no_model(sample_path, GRADUS_BAD_FORMAT, "is not a gradus model");
    check_no_model(sample_folder, GRADUS_NO_FILE, "directory");
    check_no_model(in_folder(other_path, sample_folder, "missing"), GRADUS_NO_FILE, "cannot open");
    in_folder(other_path, sample_folder, "b.model");
    assert_int_equal(mkfifo(other_path, 0600), 0);
    assert_false(gradus_model_is_file(other_path)); /* and does not wait for a writer */
    unlink(other_path);
    assert_false(gradus_model_is_file("-"));
    gradus_options_free(options);
    gradus_dataset_free(data);
}

/* Through a pipe, or compressed. */
static void test_streams_are_read(void **state)
{
    char other_path[128];
    const gr_packing packings[] = { GR_PLAIN, GR_GZIP, GR_ZSTD };
    const int kept = dup(STDIN_FILENO);
    size_t size, again;
    char *bytes = sample_kind_bytes(1, &size);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        gradus_model *model, *piped;
        char *written;
        int from;

        put_file(in_folder(other_path, sample_folder, "b.model"), bytes, size, packings[i]);
        from = open(other_path, O_RDONLY);
        assert_true(gradus_model_is_file(other_path));
        model = read_model(other_path);
        written = sample_bytes(model, &again);
        assert_int_equal(again, size);
        assert_memory_equal(written, bytes, size);
        free(written);
        assert_true(dup2(from, STDIN_FILENO) >= 0);
        piped = read_model("-");
        check_forest(gr_model_forest(piped), gr_model_forest(model));
        gr_model_free(piped);
        gr_model_free(model);
        close(from);
        unlink(other_path);
    }
    dup2(kept, STDIN_FILENO);
    close(kept);
    free(bytes);
}

static void test_a_model_that_cannot_be_read_is_not_written(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[1]);
    gr_forest *forest = (gr_forest *)(uintptr_t)gr_model_forest(model);
    size_t size, after;
    char *before = sample_bytes(model, &size), *kept;
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    forest->leaves[1] = NAN;
    assert_int_equal(gr_model_write(model, sample_path, &err), GRADUS_BAD_NUMBER);
    assert_non_null(strstr(err.message, "the model cannot be written: tree 0, leaf 1"));
    forest->leaves[1] = 1.0f;
    model->features = 2;
    assert_int_equal(gr_model_write(model, sample_path, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "the model cannot be written: 3 names for 2 features"));
    kept = file_bytes(sample_path, &after);
    assert_int_equal(after, size);
    assert_memory_equal(kept, before, size);
    assert_int_equal(gr_model_write(model, "/nowhere/x", &err), GRADUS_BAD_ARGUMENT);
    model->features = 3;
    assert_int_equal(gr_model_write(model, "/nowhere/x", &err), GRADUS_NO_FILE);
    assert_int_equal(gr_model_write(model, "/nowhere/x", NULL), GRADUS_NO_FILE);
    free(before);
    free(kept);
    gr_model_free(model);
}

static gradus_model *view_of(const gradus_model *model, const char *scoring, const char *rounds,
                             gradus_error *err)
{
    gradus_options *options = gradus_options_new("score", err);
    gradus_model *view;

    assert_non_null(options);
    assert_int_equal(gradus_options_set(options, "scoring", scoring, err), GRADUS_OK);
    assert_int_equal(gradus_options_set(options, "rounds", rounds, err), GRADUS_OK);
    view = gradus_model_rescored(NULL, model, options, err);
    gradus_options_free(options);
    return view;
}

static void test_views_score_another_way(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[1]);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *plain = gradus_model_rescored(NULL, model, NULL, &err);
    gradus_model *grade = view_of(model, "expected-grade", "0", &err);
    gradus_model *again = view_of(grade, "as-trained", "0", &err);
    gradus_model_info facts;

    (void)state;
    gradus_model_describe(plain, &facts);
    assert_string_equal(facts.scoring, "expected-gain");
    gradus_model_describe(grade, &facts);
    assert_string_equal(facts.scoring, "expected-grade");
    assert_int_equal(facts.rounds, 2);
    gradus_model_describe(again, &facts);
    assert_string_equal(facts.scoring, "expected-grade");
    assert_null(view_of(model, "sum", "0", &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "the model cannot be scored by 'sum', only by expected-grade, "
                                     "expected-gain, hard, median-grade, cost-ratio, "
                                     "weights-and-scales");
    gradus_model_free(again);
    gradus_model_free(grade);
    gradus_model_free(plain);
    gradus_model_free(model);
}

static void test_views_have_the_first_rounds(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[1]);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *view = view_of(model, "as-trained", "1", &err), *back;
    const float row[] = { -2.0f, 0.0f, 0.1f };
    double found[3], wanted[3];
    gradus_model_info facts;

    (void)state;
    assert_non_null(view);
    gradus_model_describe(view, &facts);
    assert_int_equal(facts.rounds, 1);
    check_fact(view, "trees", 3);
    check_fact(view, "leaves", 7);
    gr_forest_row(gr_model_forest(model), row, 1, wanted);
    gr_forest_row(gr_model_forest(view), row, SIZE_MAX, found);
    assert_memory_equal(found, wanted, sizeof wanted);
    /* a view can be written, and then is an independent model */
    assert_int_equal(gradus_model_write(view, sample_path, &err), GRADUS_OK);
    back = read_model(sample_path);
    check_forest(gr_model_forest(back), gr_model_forest(view));
    gradus_model_free(back);
    assert_null(view_of(model, "as-trained", "3", &err));
    assert_string_equal(err.message, "the model has 2 rounds, not 3");
    gradus_model_free(view);
    gradus_model_free(model);
}

static void test_expectations_need_probabilities(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[2]);
    const gr_score_rule rule = GR_SCORE_EXPECTED_GRADE;
    gr_score_choice choice = gr_score_as_trained;
    gradus_model *view;

    (void)state;
    choice.rule = &rule;
    view = gr_model_view(model, &choice, 0, NULL, NULL);
    assert_non_null(view);
    /* weighted outputs do not determine this many grades */
    view->scorer.levels = 65;
    assert_false(gr_scorer_takes(&view->scorer, rule));
    assert_true(gr_scorer_takes(&view->scorer, GR_SCORE_SUM));
    view->scorer.levels = 3;
    gr_model_free(view);
    gr_model_free(model);
}

static void test_scorings_are_the_rules(void **state)
{
    gradus_param param;
    size_t rules = 0;

    (void)state;
    assert_true(gradus_param_at("score", 0, &param));
    assert_string_equal(param.name, "scoring");
    for (; gr_score_rules[rules]; rules++)
        assert_string_equal(param.choices[rules + 1], gr_score_rules[rules]);
    assert_null(param.choices[rules + 1]);
}

static void check_node(const gradus_model *model, size_t tree, size_t node,
                       const gradus_tree_node *wanted)
{
    gradus_tree_node found;

    assert_true(gradus_model_tree_at(model, tree, node, &found));
    assert_int_equal(found.is_leaf, wanted->is_leaf);
    assert_int_equal(found.feature, wanted->feature);
    assert_true(found.threshold == wanted->threshold);
    assert_int_equal(found.left, wanted->left);
    assert_int_equal(found.right, wanted->right);
    assert_int_equal(found.missing_left, wanted->missing_left);
    CHECK_NEAR(found.gain, wanted->gain, 0.0);
    CHECK_NEAR(found.value, wanted->value, 0.0);
    assert_int_equal(found.rows, wanted->rows);
}

static void test_trees_are_shown_node_by_node(void **state)
{
    const gradus_tree_node nodes[] = {
        { false, 2, 0.25f, 1, 2, true, 3.5, 0.0, 37, NULL },
        { false, 0, -1.5f, 3, 4, false, 1.25, 0.0, 17, NULL },
        { true, 0, 0.0f, 0, 0, false, 0.0, (double)0.1f, 20, NULL },
        { true, 0, 0.0f, 0, 0, false, 0.0, (double)-0.7f, 12, NULL },
        { true, 0, 0.0f, 0, 0, false, 0.0, (double)2.385f, 5, NULL },
    };
    const gradus_tree_node lone = {
        true, 0, 0.0f, 0, 0, false, 0.0, (double)(0.1f * 2.0f), 20, NULL
    };
    gradus_model *model = sample_model(&sample_kinds[1]);
    gradus_tree_node found;
    uint64_t splits[3];
    double gains[3];

    (void)state;
    for (size_t n = 0; n < 5; n++)
        check_node(model, 1, n, &nodes[n]);
    check_node(model, 2, 0, &lone);
    assert_false(gradus_model_tree_at(model, 1, 5, &found));
    assert_false(gradus_model_tree_at(model, 2, 1, &found));
    assert_false(gradus_model_tree_at(model, 6, 0, &found));
    assert_int_equal(gradus_model_importance(model, gains, splits, NULL), GRADUS_OK);
    CHECK_NEAR(gains[2], 5 * 3.5, 0.0);
    CHECK_NEAR(gains[1], 0.0, 0.0);
    assert_true(splits[0] == 5 && splits[1] == 0 && splits[2] == 5);
    assert_int_equal(gradus_model_importance(model, NULL, NULL, NULL), GRADUS_OK);
    gr_model_free(model);
}

static void test_facts_have_names_of_their_own(void **state)
{
    static const char *const counts[] = { "trees",        "leaves",       "equations",
                                          "kernels",      "support_rows", "voters",
                                          "voter_splits", "units",        "weights" };
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    gradus_model *model = sample_model(&sample_kinds[1]);
    gradus_model_fact fact, found;
    size_t count = 0;

    (void)state;
    for (; gradus_model_fact_at(model, count, &fact); count++) {
        assert_true(count >= COUNTS || strcmp(fact.name, counts[count]) == 0);
        assert_true(count >= COUNTS || fact.type == GRADUS_FACT_COUNT);
        assert_true(gradus_model_fact_find(model, fact.name, &found));
        assert_true(found.type == fact.type && found.text == fact.text);
        CHECK_NEAR(found.number, fact.number, 0.0);
    }
    assert_in_range(count, COUNTS, 100);
    assert_true(gradus_model_fact_find(model, "leaves", &found));
    assert_string_equal(found.one, "leaf");
    assert_string_equal(found.many, "leaves");
    check_fact(model, "equations", 0);
    assert_false(gradus_model_fact_find(model, "leave", &found));
    gr_model_free(model);
}

static void test_a_model_tells_of_itself(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[1]);
    gradus_model_info facts;
    const char *name, *value;
    double train, valid;
    size_t round;

    (void)state;
    gradus_model_describe(model, &facts);
    assert_string_equal(facts.method, "mcrank");
    assert_int_equal(facts.features, 3);
    assert_int_equal(facts.outputs, 3);
    assert_int_equal(facts.rounds, 2);
    check_fact(model, "trees", 6);
    check_fact(model, "leaves", 16);
    assert_int_equal(facts.grades, 3);
    CHECK_NEAR(facts.grade_values[2], 2.2, 0.0);
    assert_true(facts.probabilities && facts.finished && facts.lower_is_better);
    assert_int_equal(facts.train_rows, 37);
    assert_int_equal(facts.train_queries, 4);
    assert_string_equal(facts.metric, "ndcg@10");
    assert_int_equal(facts.rounds_done, 12);
    assert_int_equal(facts.best_round, 9);
    assert_true(gradus_model_option_at(model, 0, &name, &value));
    assert_string_equal(name, "rounds");
    assert_string_equal(value, "12");
    assert_false(gradus_model_option_at(model, 2, &name, &value));
    assert_true(gradus_model_curve_at(model, 1, &round, &train, &valid));
    assert_int_equal(round, 5);
    assert_true(isnan(train) && valid == 1.0 / 3.0);
    assert_false(gradus_model_curve_at(model, 2, &round, &train, &valid));
    assert_string_equal(gradus_model_feature_name(model, 1), "");
    assert_string_equal(gradus_model_feature_name(model, 0), "bm25\xff");
    assert_string_equal(gradus_model_feature_name(model, 3), "");
    assert_int_equal(gradus_model_first_id(model), 1);
    gr_model_free(model);
}

static void test_settings_and_names_are_copied(void **state)
{
    const set_kind kind = { 7, 4, 3, .first_id = 0, .feature_names = true };
    gradus_dataset *data = random_set(&kind, 1);
    gradus_model *model = gr_model_new(NULL);

    (void)state;
    assert_string_equal(model->method, "");
    assert_null(gr_model_forest(model));
    assert_int_equal(gradus_model_importance(model, NULL, NULL, NULL), GRADUS_BAD_ARGUMENT);
    assert_null(gr_model_setting(model, "leaves"));
    gr_model_add_setting(model, "leaves", "31", NULL);
    gr_model_add_setting(model, "depth", "0", NULL);
    gr_model_add_setting(model, "leaves", "63", NULL);
    assert_int_equal(model->setting_count, 2);
    assert_string_equal(gr_model_setting(model, "leaves"), "63");
    model->first_id = 1;
    for (int twice = 0; twice < 2; twice++)
        assert_int_equal(gr_model_take_names(model, data, NULL), GRADUS_OK);
    assert_int_equal(model->feature_names.count, 4);
    assert_int_equal(model->first_id, 0);
    for (size_t f = 0; f < 4; f++)
        assert_string_equal(gradus_model_feature_name(model, f),
                            gradus_dataset_feature_name(data, f));
    gradus_dataset_free(data);
    assert_true(strlen(gradus_model_feature_name(model, 1)) > 0);
    gr_model_free(model);
    gr_model_free(NULL);
}

/* The samples as files: the corpus of the fuzz target. */
static int write_samples(const char *to)
{
    int failed = 0;

    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        gradus_model *model = sample_model(&sample_kinds[k]);
        char file[4096];

        snprintf(file, sizeof file, "%s/%zu.model", to, k);
        failed |= gr_model_write(model, file, NULL) != GRADUS_OK;
        gr_model_free(model);
    }
    return failed;
}

/* With a folder argument, writes the samples there and tests nothing. */
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_and_read_twice_is_the_same),
        cmocka_unit_test(test_every_field_is_kept),
        cmocka_unit_test(test_old_files_are_read),
        cmocka_unit_test(test_nodes_are_kept_apart),
        cmocka_unit_test(test_trees_are_used_where_they_lie),
        cmocka_unit_test(test_what_is_not_a_model_is_told),
        cmocka_unit_test(test_streams_are_read),
        cmocka_unit_test(test_a_model_that_cannot_be_read_is_not_written),
        cmocka_unit_test(test_views_score_another_way),
        cmocka_unit_test(test_views_have_the_first_rounds),
        cmocka_unit_test(test_expectations_need_probabilities),
        cmocka_unit_test(test_scorings_are_the_rules),
        cmocka_unit_test(test_trees_are_shown_node_by_node),
        cmocka_unit_test(test_facts_have_names_of_their_own),
        cmocka_unit_test(test_a_model_tells_of_itself),
        cmocka_unit_test(test_settings_and_names_are_copied),
    };

    if (count > 1)
        return write_samples(arguments[1]);
    return cmocka_run_group_tests(tests, set_up_samples, tear_down_samples);
}
