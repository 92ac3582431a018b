/* SPDX-License-Identifier: Apache-2.0 */
/* Probe rows, and the comparison of graphs with models. */
#include "graph_check.h"

#include "model/predict.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* A threshold of a tree on this feature; NAN: none was found. */
static float some_threshold(gr_rng *rng, const gradus_model *model, size_t feature)
{
    for (size_t tries = 0; tries < 40; tries++) {
        const gr_node *node = &model->nodes[gr_rng_below(rng, model->node_count)];
        gradus_tree_node split;

        if (node->kind->tree_at && !node->transform && !node->columns &&
            node->kind->tree_at(node->state, gr_rng_below(rng, 8), gr_rng_below(rng, 8), &split) &&
            !split.is_leaf && split.feature == feature)
            return split.threshold;
    }
    return NAN;
}

static float hard_value(gr_rng *rng, const gradus_model *model, size_t feature)
{
    static const float values[] = { NAN,     INFINITY, -INFINITY, -0.0f,  0.0f, 1e30f, -1e30f,
                                    FLT_MAX, -FLT_MAX, FLT_MIN,   1e-40f, 1.0f, -1.0f };
    const size_t count = sizeof values / sizeof *values, at = gr_rng_below(rng, 2 * count);

    if (at < count)
        return values[at];
    const float threshold = some_threshold(rng, model, feature);

    return at % 3 == 0   ? threshold
           : at % 3 == 1 ? nextafterf(threshold, -INFINITY)
                         : nextafterf(threshold, INFINITY);
}

void probe_row(gr_rng *rng, const gradus_model *model, const float *like, size_t count,
               unsigned hard, float *row)
{
    const float *from = like + gr_rng_below(rng, count) * model->features;

    for (size_t f = 0; f < model->features; f++)
        row[f] = gr_rng_below(rng, 16) < hard ? hard_value(rng, model, f) : from[f];
}

static double difference(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) == 0)
        return 0.0;
    if (a == b) /* zeros of different signs */
        return DBL_TRUE_MIN;
    return fabs(a - b) / fmax(fabs(a), fabs(b));
}

/* Compares numbers; NaN in both is equal. */
static void compare(const char *what, const char *part, const double *wanted, const double *found,
                    size_t count, double within, graph_check *so_far)
{
    for (size_t i = 0; i < count; i++) {
        const double apart = difference(wanted[i], found[i]);

        if (!(apart <= within))
            fail_msg("%s: %s %zu is %.17g in the graph, but %.17g in the model (%.3g)", what, part,
                     i, found[i], wanted[i], apart);
        so_far->worst = fmax(so_far->worst, apart);
    }
}

typedef struct comparison {
    const char *what;
    const gradus_model *model;
    gr_graph graph;
    double within;
    graph_check found;
} comparison;

static void compare_row(comparison *c, const float *row)
{
    const size_t levels = c->model->scorer.levels;
    double **results = calloc(c->graph.count, sizeof *results), score;
    double *p = calloc(levels + 1, sizeof *p);
    gradus_error err = { GRADUS_OK, "" };

    assert_non_null(results);
    assert_non_null(p);
    assert_int_equal(gr_graph_run(&c->graph, row, results, &err), GRADUS_OK);
    if (gr_model_run_rows(c->model, row, 1, c->model->features, &score, NULL, &err) == GRADUS_OK) {
        compare(c->what, "score", &score, results[c->graph.score], 1, c->within, &c->found);
        c->found.rows++;
    } else if (isfinite(results[c->graph.score][0]))
        fail_msg("%s: the graph gives a finite score for a row that the model rejects", c->what);
    if (c->graph.probabilities != SIZE_MAX &&
        gr_model_run_rows(c->model, row, 1, c->model->features, NULL, p, &err) == GRADUS_OK) {
        compare(c->what, "probability", p, results[c->graph.probabilities], levels, c->within,
                &c->found);
        c->found.probabilities++;
    }
    free(results[0]);
    free(results);
    free(p);
}

static void check_outputs(const comparison *c)
{
    const gr_graph *graph = &c->graph;
    const gr_graph_value *score = &graph->values[graph->score];

    assert_int_equal(score->type, GR_GRAPH_F64);
    assert_int_equal(score->rows * score->columns, 1);
    if (graph->probabilities != SIZE_MAX) {
        const gr_graph_value *p = &graph->values[graph->probabilities];

        assert_int_equal(p->type, GR_GRAPH_F64);
        assert_int_equal(p->rows, 1);
        assert_int_equal(p->columns, c->model->scorer.levels);
    }
    for (size_t v = 0; v < graph->count; v++)
        for (size_t i = 0; i < gr_graph_arity(graph->values[v].op); i++)
            assert_true(graph->values[v].inputs[i] < v);
}

graph_check check_graph(const char *what, const gradus_model *model, const float *like,
                        size_t count, size_t rows, double within)
{
    comparison c = { .what = what, .model = model, .within = within };
    gr_rng rng = gr_rng_for(1, "graph", 0);
    float *row = calloc(model->features, sizeof *row);
    gradus_error err = { GRADUS_OK, "" };

    assert_non_null(row);
    if (gr_graph_build(model, "test", &c.graph, &err) != GRADUS_OK)
        fail_msg("%s: %s", what, err.message);
    check_outputs(&c);
    for (size_t r = 0; r < rows; r++) {
        probe_row(&rng, model, like, count, (unsigned)(r % 4) * (unsigned)(r % 5), row);
        compare_row(&c, row);
    }
    if (c.found.rows == 0)
        fail_msg("%s: no row has a finite score", what);
    gr_graph_free(&c.graph);
    free(row);
    return c.found;
}

void check_graph_refused(const char *what, const gradus_model *model, const char *why)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_graph graph;

    if (gr_graph_build(model, "test", &graph, &err) != GRADUS_BAD_ARGUMENT)
        fail_msg("%s: the graph is not refused", what);
    if (!strstr(err.message, why) || !strstr(err.message, "cannot be exported to test"))
        fail_msg("%s: '%s' does not contain '%s'", what, err.message, why);
    gr_graph_free(&graph);
}
