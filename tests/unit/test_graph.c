/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of the models of the fuzz corpus, which has every kind of node: they give the model's bits,
 * are refused with a reason, and survive the failure of every allocation. Scorers of all meanings and
 * rules, and single operations. */
#include "failing_alloc.h"
#include "graph_check.h"

#include "exchange/lower.h"
#include "model/hash_node.h"
#include "model/kernel_node.h"
#include "model/linear_node.h"
#include "model/model_open.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_FEATURES = 100000, LIKE = 20, ROWS = 120 };

static const char corpus[] = "tests/fuzz/corpus/model";

/* Why a model is refused; NULL: it is not. */
static const char *reason_of(const gradus_model *model)
{
    bool by_query = model->transform.transform && model->transform.transform->by_query;
    bool fuses = false;

    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        by_query = by_query || (node->transform && node->transform->transform->by_query);
        fuses = fuses || node->kind->by_query;
    }
    return by_query ? "this transform depends on the other documents of the query"
           : fuses  ? "depend on the other documents of the query"
                    : NULL;
}

static size_t refused;

static void check_corpus(void (*check)(const char *name, const gradus_model *model))
{
    DIR *folder = opendir(corpus);
    size_t checked = 0;

    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        gradus_model *model;

        snprintf(path, sizeof path, "%s/%s", corpus, entry->d_name);
        model = strstr(entry->d_name, ".model") ? gr_model_read(path, NULL) : NULL;
        if (model && model->features <= MANY_FEATURES) {
            check(entry->d_name, model);
            checked++;
        }
        gr_model_free(model);
    }
    closedir(folder);
    assert_true(checked > 30);
}

/* ---- Models ---- */

static void compare_model(const char *name, const gradus_model *model)
{
    const size_t cells = LIKE * model->features;
    float *like = calloc(cells, sizeof *like);
    gr_rng rng = gr_rng_for(3, "like", 0);

    if (reason_of(model)) {
        check_graph_refused(name, model, reason_of(model));
        refused++;
        free(like);
        return;
    }
    assert_non_null(like);
    for (size_t i = 0; i < cells; i++)
        like[i] = (float)gr_rng_normal(&rng);
    check_graph(name, model, like, LIKE, ROWS, 0.0);
    free(like);
}

static void test_every_model_of_the_corpus(void **state)
{
    (void)state;
    refused = 0;
    check_corpus(compare_model);
    assert_in_range(refused, 3, 10);
}

/* ---- Kinds of nodes ---- */

static void test_kinds_without_operations_are_listed(void **state)
{
    static const gr_node_kind *const kinds[] = {
#define GR_NODE_KIND(name) &gr_node_##name,
#include "model/kinds.def"
#undef GR_NODE_KIND
    };
    char found[200] = "";

    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!gr_lower_takes(kinds[k])) {
            strcat(found, " ");
            strcat(found, kinds[k]->about.name);
        }
    /* state nodes are ignored; ranks and standardised scores depend on other documents */
    assert_string_equal(found, " state fusion standardized");
}

/* A model of one node with one output. Takes over the node. */
static gradus_model *model_of(gr_node *node, size_t features)
{
    gradus_model *model = gr_model_new(NULL);

    assert_non_null(model);
    model->features = features;
    model->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .outputs = 1 };
    assert_int_equal(gr_model_add_node(model, node, NULL), GRADUS_OK);
    return model;
}

static void test_an_unknown_kind_is_refused(void **state)
{
    gr_node_kind other = gr_node_linear;
    gradus_model *model;
    gr_linear linear;
    gr_node node;

    (void)state;
    other.about.name = "other";
    assert_int_equal(gr_linear_new(&linear, 2, 1, NULL), GRADUS_OK);
    assert_int_equal(gr_node_new(&other, &linear, &node, NULL), GRADUS_OK);
    model = model_of(&node, 2);
    check_graph_refused(
        "a new kind", model,
        "'other' cannot be exported to test: no operations are defined for this kind");
    gr_model_free(model);
}

static void test_too_many_features_are_refused(void **state)
{
    enum { FEATURES = 1000001, SUPPORT = 68 };
    gr_hashed hashed = { .features = FEATURES, .bits = 1 };
    gr_machine machine = { .kernel = { .kind = GR_KERNEL_LINEAR, .bandwidth = 1.0 },
                           .rows = { .rows = SUPPORT, .features = FEATURES },
                           .outputs = 1 };
    gradus_model *model;
    gr_node node;

    (void)state;
    assert_int_equal(gr_linear_new(&hashed.linear, 2, 1, NULL), GRADUS_OK);
    assert_int_equal(gr_hash_node_new(&hashed, &node, NULL), GRADUS_OK);
    model = model_of(&node, FEATURES);
    check_graph_refused("hash", model,
                        "'hash' cannot be exported to test: it has more than 1,000,000");
    gr_model_free(model);
    machine.rows.starts = calloc(SUPPORT + 1, sizeof *machine.rows.starts);
    machine.rows.columns = calloc(1, sizeof *machine.rows.columns);
    machine.rows.entries = calloc(1, sizeof *machine.rows.entries);
    machine.rows.squares = calloc(SUPPORT, sizeof *machine.rows.squares);
    machine.rows.means = calloc(FEATURES, sizeof *machine.rows.means);
    machine.bases = calloc(1, sizeof *machine.bases);
    machine.coefficients = calloc(SUPPORT, sizeof *machine.coefficients);
    assert_int_equal(gr_kernel_node_new(&machine, &node, NULL), GRADUS_OK);
    model = model_of(&node, FEATURES);
    check_graph_refused("kernel", model, "its support rows take more than 67,108,864 numbers");
    gr_model_free(model);
}

/* ---- Failing allocations ---- */

static const gradus_model *failing_model;

static gradus_status build_and_run(gradus_error *err)
{
    gr_graph graph;
    gradus_status status = gr_graph_build(failing_model, "test", &graph, err);
    double **results = NULL;
    float *row = NULL;

    if (status == GRADUS_OK) {
        results = gr_new_array(graph.count, sizeof *results);
        row = gr_new_array(graph.features, sizeof *row);
        status = results && row ? gr_graph_run(&graph, row, results, err)
                                : gr_fail_memory(err, "a test");
    }
    if (results)
        free(results[0]);
    free(results);
    free(row);
    gr_graph_free(&graph);
    return status;
}

static void exhaust_model(const char *name, const gradus_model *model)
{
    if (strncmp(name, "trained-", 8) != 0 || reason_of(model))
        return;
    failing_model = model;
    assert_true(exhaust(name, build_and_run) > 3);
}

static void test_every_failed_allocation_is_reported(void **state)
{
    (void)state;
    check_corpus(exhaust_model);
}

/* ---- Scorers ---- */

enum { MAX_GRADES = 7, SCORED = 60 };

static size_t with_cost;

typedef struct made_scorer {
    gr_scorer scorer;
    double labels[MAX_GRADES], shares[MAX_GRADES], values[MAX_GRADES], divisors[MAX_GRADES],
        factors[MAX_GRADES], thresholds[MAX_GRADES], weights[MAX_GRADES * MAX_GRADES];
} made_scorer;

/* Outputs of a meaning for this many grades. */
static size_t outputs_of(gr_meaning meaning, size_t levels)
{
    if (meaning == GR_MEANS_SCORE || gr_meaning_has_thresholds(meaning))
        return 1;
    return meaning == GR_MEANS_ABOVE || meaning == GR_MEANS_BELOW ? levels - 1 : levels;
}

/* Weights of a cost, some of them 0, but not those beside a cut. */
static void add_cost(gr_rng *rng, made_scorer *made)
{
    const size_t levels = made->scorer.levels;

    made->scorer.weights = made->weights;
    for (size_t k = 0; k + 1 < levels; k++)
        for (size_t l = 0; l < levels; l++)
            made->weights[k * levels + l] =
                l == k || l == k + 1 || gr_rng_below(rng, 4) ? gr_rng_uniform(rng) : 0.0;
}

static void make_scorer(gr_rng *rng, gr_meaning meaning, gr_score_rule rule, made_scorer *made)
{
    const size_t levels = 2 + gr_rng_below(rng, MAX_GRADES - 1);
    const bool ratio = gr_score_rule_is_ratio(rule);
    gr_scorer *s = &made->scorer;

    *s = (gr_scorer){ .meaning = meaning,
                      .rule = rule,
                      .outputs = outputs_of(meaning, levels),
                      .levels = levels,
                      .level_labels = made->labels,
                      .shares = made->shares,
                      .repair = (gr_repair)gr_rng_below(rng, 4) };
    for (size_t l = 0; l < levels; l++) {
        made->labels[l] = (double)l + (l > 2 ? 1.0 : 0.0);
        made->shares[l] = 1.0 / (double)levels;
        made->values[l] = gr_rng_normal(rng);
        made->divisors[l] = gr_rng_below(rng, 3) ? gr_rng_uniform(rng) : 0.0;
        made->factors[l] = gr_rng_below(rng, 3) ? gr_rng_uniform(rng) : 0.0;
        made->thresholds[l] = (l ? made->thresholds[l - 1] : -1.0) + gr_rng_uniform(rng);
    }
    made->divisors[0] = made->factors[1] = 0.5;
    if (ratio || (rule == GR_SCORE_EXPECTED_GAIN && gr_rng_below(rng, 2)))
        s->values = made->values;
    if (ratio)
        s->divisors = made->divisors;
    if (gr_rng_below(rng, 3) == 0)
        s->factors = made->factors;
    if (gr_meaning_has_thresholds(meaning)) {
        s->thresholds = made->thresholds;
        s->threshold_sets = 1;
    }
    if (s->repair == GR_REPAIR_NONE && (rule > GR_SCORE_EXPECTED_GAIN || s->factors))
        s->repair = GR_REPAIR_PAV;
    if (meaning == GR_MEANS_ABOVE && gr_rng_below(rng, 2) &&
        (s->repair == GR_REPAIR_PAV || s->repair == GR_REPAIR_NONE))
        add_cost(rng, made);
    assert_int_equal(gr_scorer_check(s, NULL), GRADUS_OK);
    with_cost += s->weights != NULL;
}

/* Like estimates, with ties, zeros, and sometimes huge or not finite. */
static float some_output(gr_rng *rng)
{
    static const float special[] = { 0.0f, -0.0f, 0.5f, 1.0f, 1e30f, -1e30f, 3e9f, INFINITY, NAN };
    const size_t at = gr_rng_below(rng, 60);

    return at < sizeof special / sizeof *special ? special[at]
           : at < 20                             ? (float)(int)gr_rng_below(rng, 4) / 4.0f
           : at < 40                             ? (float)gr_rng_uniform(rng)
                                                 : (float)(3.0 * gr_rng_normal(rng));
}

/* The same bits, or NaN in both. */
static void check_equal(const gr_scorer *s, const char *what, double wanted, double found)
{
    if (!(wanted == found || (isnan(wanted) && isnan(found))))
        fail_msg("meaning %d, rule %s, repair %s: %s is %.17g in the graph, not %.17g", s->meaning,
                 gr_score_rules[s->rule], gr_repairs[s->repair], what, found, wanted);
}

static void compare_outputs(gr_rng *rng, const gr_scorer *s, const gr_graph *graph)
{
    float outputs[MAX_GRADES];
    double wide[MAX_GRADES], p[MAX_GRADES];
    double **results = calloc(graph->count, sizeof *results);

    assert_non_null(results);
    for (size_t k = 0; k < s->outputs; k++)
        wide[k] = (double)(outputs[k] = some_output(rng));
    assert_int_equal(gr_graph_run(graph, outputs, results, NULL), GRADUS_OK);
    check_equal(s, "the score", gr_scorer_score(s, wide, 1), results[graph->score][0]);
    if (gr_scorer_knows_probabilities(s)) {
        gr_scorer_probabilities(s, wide, 1, p);
        for (size_t l = 0; l < s->levels; l++)
            check_equal(s, "a probability", p[l], results[graph->probabilities][l]);
    }
    free(results[0]);
    free(results);
}

static void compare_scorer(gr_rng *rng, gr_meaning meaning, gr_score_rule rule)
{
    made_scorer made;
    gr_graph graph;
    const gr_lowering lowering = { &graph, NULL, "test", NULL };

    make_scorer(rng, meaning, rule, &made);
    gr_graph_start(&graph, made.scorer.outputs);
    const size_t outputs = gr_op1(&graph, GR_OP_TO_F64, 0);

    assert_int_equal(
        gr_lower_scorer(&lowering, &made.scorer, outputs, &graph.score, &graph.probabilities),
        GRADUS_OK);
    assert_false(graph.failed);
    assert_int_equal(graph.probabilities == SIZE_MAX, !gr_scorer_knows_probabilities(&made.scorer));
    for (size_t i = 0; i < SCORED; i++)
        compare_outputs(rng, &made.scorer, &graph);
    gr_graph_free(&graph);
}

static void test_every_scorer(void **state)
{
    gr_rng rng = gr_rng_for(5, "scorers", 0);
    size_t checked = 0;

    (void)state;
    for (gr_meaning meaning = GR_MEANS_SCORE; meaning <= GR_MEANS_PROBABILITIES; meaning++)
        for (size_t rule = 0; gr_score_rules[rule]; rule++)
            for (size_t i = 0; gr_scorer_can(meaning, (gr_score_rule)rule) && i < 40; i++) {
                compare_scorer(&rng, meaning, (gr_score_rule)rule);
                checked++;
            }
    assert_true(checked > 40 * 40);
    assert_true(with_cost > 40);
}

static void test_probabilities_with_a_cost_are_refused(void **state)
{
    double labels[] = { 0, 1, 2 }, shares[] = { 0.5, 0.3, 0.2 }, weights[] = { 1, 2, 3, 1, 1, 1 };
    gr_scorer scorer = { .meaning = GR_MEANS_ABOVE,
                         .rule = GR_SCORE_SUM,
                         .outputs = 2,
                         .levels = 3,
                         .level_labels = labels,
                         .shares = shares,
                         .weights = weights };
    gradus_error err = { GRADUS_OK, "" };
    gr_graph graph;
    const gr_lowering lowering = { &graph, NULL, "test", &err };
    size_t score, probabilities = 0;

    (void)state;
    gr_graph_start(&graph, 2);
    const size_t outputs = gr_op1(&graph, GR_OP_TO_F64, 0);

    assert_int_equal(gr_lower_scorer(&lowering, &scorer, outputs, &score, &probabilities),
                     GRADUS_OK);
    assert_int_equal(probabilities, SIZE_MAX);
    assert_int_equal(err.status, GRADUS_OK);
    scorer.rule = GR_SCORE_EXPECTED_GAIN;
    assert_int_equal(gr_lower_scorer(&lowering, &scorer, outputs, &score, NULL),
                     GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "'expected-gain' cannot be exported to test"));
    gr_graph_free(&graph);
}

/* ---- Operations ---- */

static void test_operations_are_named(void **state)
{
    (void)state;
    assert_string_equal(gr_graph_op_name(GR_OP_INPUT), "INPUT");
    assert_string_equal(gr_graph_op_name(GR_OP_TAKE), "TAKE");
    assert_int_equal(gr_graph_arity(GR_OP_CONSTANT), 0);
    assert_int_equal(gr_graph_arity(GR_OP_WHERE), 3);
    for (int op = 0; op < GR_GRAPH_OPS; op++)
        assert_in_range(gr_graph_arity((gr_graph_op)op), 0, GR_GRAPH_INPUTS);
}

/* Runs a graph on one row and checks a value. */
static void check_value(const gr_graph *graph, const float *row, size_t value, const double *wanted,
                        size_t rows, size_t columns)
{
    double **results = calloc(graph->count, sizeof *results);

    assert_int_equal(graph->values[value].rows, rows);
    assert_int_equal(graph->values[value].columns, columns);
    assert_int_equal(gr_graph_run(graph, row, results, NULL), GRADUS_OK);
    assert_memory_equal(results[value], wanted, rows * columns * sizeof *wanted);
    free(results[0]);
    free(results);
}

static void test_operations_on_matrices(void **state)
{
    const float row[] = { 1.0f, 4.0f, 2.0f, 3.0f, 5.0f, 0.5f };
    const double table[] = { 10, 11, 20, 21, 30, 31 }, two[] = { 2, 0 }, ends[] = { 100, 200 };
    const uint32_t columns[] = { 2, 0, 0 };
    gr_graph graph;

    (void)state;
    gr_graph_start(&graph, 6);
    const size_t x = gr_op1(&graph, GR_OP_TO_F64, 0);
    const size_t m = gr_graph_reshape(&graph, x, 2, 3); /* 1 4 2 / 3 5 0.5 */
    const size_t two_by_two = gr_graph_constant(&graph, GR_GRAPH_F64, 3, 2, table);
    const size_t at = gr_graph_copy(&graph, two, 2);
    const size_t start = gr_graph_copy(&graph, ends, 2);
    const size_t three = gr_graph_part(&graph, x, 0, 3);

    check_value(&graph, row, gr_op1(&graph, GR_OP_SUM, m), (double[]){ 4, 9, 2.5 }, 1, 3);
    check_value(&graph, row, gr_op1(&graph, GR_OP_RUNNING_SUM, m), (double[]){ 1, 4, 2, 4, 9, 2.5 },
                2, 3);
    check_value(&graph, row, gr_op1(&graph, GR_OP_TOP, m), (double[]){ 3, 5, 2 }, 1, 3);
    check_value(&graph, row, gr_op1(&graph, GR_OP_BOTTOM, m), (double[]){ 1, 4, 0.5 }, 1, 3);
    check_value(&graph, row, gr_op1(&graph, GR_OP_SORT, m), (double[]){ 3, 5, 2, 1, 4, 0.5 }, 2, 3);
    check_value(&graph, row, gr_graph_pick(&graph, m, columns, 3), (double[]){ 2, 1, 1, 0.5, 3, 3 },
                2, 3);
    check_value(&graph, row, gr_op2(&graph, GR_OP_JOIN, m, m),
                (double[]){ 1, 4, 2, 1, 4, 2, 3, 5, 0.5, 3, 5, 0.5 }, 2, 6);
    check_value(&graph, row, gr_op2(&graph, GR_OP_LOOKUP, two_by_two, at),
                (double[]){ 30, 31, 10, 11 }, 2, 2);
    check_value(&graph, row, gr_op2(&graph, GR_OP_TAKE, x, at), (double[]){ 2, 1 }, 1, 2);
    check_value(&graph, row, gr_op3(&graph, GR_OP_DOT, three, two_by_two, start),
                (double[]){ 250, 357 }, 1, 2);
    check_value(&graph, row, gr_op2(&graph, GR_OP_MATMUL, three, two_by_two),
                (double[]){ 150, 157 }, 1, 2);
    gr_graph_free(&graph);
}

/* Values of 24 bits: rounding to float must happen after every operation. */
static void test_floats_are_rounded(void **state)
{
    const float row[] = { 16777216.0f, 1.0f, 3.0f };
    gr_graph graph;

    (void)state;
    gr_graph_start(&graph, 3);
    const size_t big = gr_graph_part(&graph, 0, 0, 1), one = gr_graph_part(&graph, 0, 1, 1);
    const size_t three = gr_graph_part(&graph, 0, 2, 1);

    check_value(&graph, row, gr_op2(&graph, GR_OP_ADD, big, one), (double[]){ 16777216.0 }, 1, 1);
    check_value(&graph, row, gr_op2(&graph, GR_OP_DIV, one, three),
                (double[]){ (double)(1.0f / 3.0f) }, 1, 1);
    check_value(&graph, row, gr_graph_total(&graph, 0), (double[]){ 16777220.0 }, 1, 1);
    check_value(&graph, row, gr_op1(&graph, GR_OP_SQUARE_ROOT, three),
                (double[]){ (double)sqrtf(3.0f) }, 1, 1);
    check_value(&graph, row, gr_op_number(&graph, GR_OP_MUL, three, 0.1),
                (double[]){ (double)(3.0f * 0.1f) }, 1, 1);
    gr_graph_free(&graph);
}

static void test_conditions(void **state)
{
    const float row[] = { 2.5f, NAN, -INFINITY, 3.5f };
    gr_graph graph;

    (void)state;
    gr_graph_start(&graph, 4);
    const size_t less = gr_op_number(&graph, GR_OP_LESS, 0, 3.0);
    const size_t missing = gr_op1(&graph, GR_OP_IS_NAN, 0);
    const size_t finite = gr_op1(&graph, GR_OP_IS_FINITE, 0);
    const size_t zero = gr_graph_number(&graph, GR_GRAPH_F32, 0.0);

    check_value(&graph, row, less, (double[]){ 1, 0, 1, 0 }, 1, 4);
    check_value(&graph, row, gr_op_number(&graph, GR_OP_LESS_EQUAL, 0, 2.5),
                (double[]){ 1, 0, 1, 0 }, 1, 4);
    check_value(&graph, row, gr_op2(&graph, GR_OP_OR, less, missing), (double[]){ 1, 1, 1, 0 }, 1,
                4);
    check_value(&graph, row, gr_op2(&graph, GR_OP_AND, less, finite), (double[]){ 1, 0, 0, 0 }, 1,
                4);
    check_value(&graph, row, gr_op1(&graph, GR_OP_NOT, finite), (double[]){ 0, 1, 1, 0 }, 1, 4);
    const size_t kept = gr_op3(&graph, GR_OP_WHERE, finite, 0, zero);

    check_value(&graph, row, kept, (double[]){ 2.5, 0, 0, 3.5 }, 1, 4);
    const size_t whole = gr_op1(&graph, GR_OP_ROUND, kept);

    check_value(&graph, row, whole, (double[]){ 2, 0, 0, 4 }, 1, 4);
    check_value(&graph, row, gr_op1(&graph, GR_OP_POW2, whole), (double[]){ 4, 1, 1, 16 }, 1, 4);
    gr_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_are_named),
        cmocka_unit_test(test_operations_on_matrices),
        cmocka_unit_test(test_floats_are_rounded),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_kinds_without_operations_are_listed),
        cmocka_unit_test(test_an_unknown_kind_is_refused),
        cmocka_unit_test(test_too_many_features_are_refused),
        cmocka_unit_test(test_every_scorer),
        cmocka_unit_test(test_probabilities_with_a_cost_are_refused),
        cmocka_unit_test(test_every_model_of_the_corpus),
        cmocka_unit_test(test_every_failed_allocation_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
