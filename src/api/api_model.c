/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: reading, writing, rescoring and inspecting models. */
#include "api/api_arguments.h"
#include "model/model.h"
#include "objectives/objective.h"
#include "pipeline/score_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gradus_status gradus_model_write(const gradus_model *model, const char *path, gradus_error *err)
{
    if (!GR_GIVEN(err, model, path))
        return GRADUS_BAD_ARGUMENT;
    return gr_model_write(model, path, err);
}

gradus_status gradus_model_size(const gradus_model *model, uint64_t *size, gradus_error *err)
{
    if (!GR_GIVEN(err, model, size))
        return GRADUS_BAD_ARGUMENT;
    return gr_model_size(model, size, err);
}

gradus_model *gradus_model_read(const char *path, gradus_error *err)
{
    if (!GR_GIVEN(err, path))
        return NULL;
    return gr_model_read(path, err);
}

void gradus_model_free(gradus_model *model)
{
    gr_model_free(model);
}

bool gradus_model_is_file(const char *path)
{
    if (!GR_GIVEN(NULL, path))
        return false;
    return path && gr_model_is_file(path);
}

gradus_model *gradus_model_rescored(gradus_context *context, const gradus_model *model,
                                    const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, model))
        return NULL;
    return gr_model_with(context, model, options, err);
}

static void add_forest(const gr_forest *forest, gradus_model_facts *facts)
{
    facts->trees += forest->trees;
    facts->leaves += (size_t)forest->starts[forest->trees] + forest->trees;
}

static void add_votes(const gr_votes *votes, gradus_model_facts *facts)
{
    facts->products = votes->products && (facts->products || facts->voters == 0);
    facts->voters += votes->rounds;
    facts->voter_splits += (size_t)votes->starts[votes->rounds];
}

static void add_net(const gr_net *net, gradus_model_facts *facts)
{
    facts->net = true;
    facts->units += net->units;
    facts->weights += net->units * (net->features + 2) + (net->units ? 0 : net->features) + 1;
}

/* Adds a node's trees, weights and so on to the facts. */
static void add_node_size(const gr_node *node, gradus_model_facts *facts)
{
    const size_t rounds = node->kind->rounds ? node->kind->rounds(node->state) : 1;

    if (node->kind == &gr_node_forest)
        add_forest(&((const gr_forest_node *)node->state)->forest, facts);
    else if (node->kind == &gr_node_m5)
        add_forest(&((const gr_m5_node *)node->state)->m5.forest, facts);
    else if (node->kind == &gr_node_linear)
        facts->equations += ((const gr_linear *)node->state)->outputs;
    else if (node->kind == &gr_node_net)
        add_net(node->state, facts);
    else if (node->kind == &gr_node_votes)
        add_votes(node->state, facts);
    else if (node->kind == &gr_node_gaussians)
        facts->kernels += ((const gr_gaussians *)node->state)->terms;
    else if (node->kind == &gr_node_kernel)
        facts->support_rows += ((const gr_machine *)node->state)->rows.rows;
    else if (node->kind == &gr_node_hash)
        facts->weights += ((const gr_hashed *)node->state)->linear.outputs *
                          ((const gr_hashed *)node->state)->linear.features;
    facts->rounds = rounds > facts->rounds ? rounds : facts->rounds;
}

static const char *combination_of(const gr_node *core)
{
    if (core->kind == &gr_node_fusion)
        return ((const gr_fusion *)core->state)->reciprocal ? "reciprocal-rank" : "borda";
    return core->kind->members ? "weighted-sum" : "";
}

void gradus_model_describe(const gradus_model *model, gradus_model_facts *facts)
{
    if (!GR_GIVEN(NULL, model, facts))
        return;
    const gr_node *core = gr_model_core(model);
    const gr_scorer *scorer = &model->scorer;

    *facts = (gradus_model_facts){
        .method = model->method,
        .features = model->features,
        .outputs = scorer->outputs,
        .grades = scorer->levels,
        .grade_values = scorer->level_labels,
        .probabilities = gr_scorer_knows_probabilities(scorer),
        .scoring = gr_score_rules[scorer->rule],
        .train_rows = (size_t)model->rows,
        .train_queries = (size_t)model->queries,
        .metric = model->metric,
        .convention = model->convention,
        .lower_is_better = model->lower_is_better,
        /* An ensemble of separately trained models stores the rounds of its first member. */
        .rounds_done =
            gr_model_members(model) && !model->setting_count ? 0 : (size_t)model->rounds_done,
        .best_round = (size_t)model->best_round,
        .validated = model->valid_fingerprint != 0,
        .start_rounds = (size_t)model->start_rounds,
        .finished = model->finished,
        .thresholds = gr_scorer_thresholds(scorer),
        .log_likelihood = model->log_likelihood,
        .calibration = gr_model_calibration(model),
        .members = gr_model_members(model),
        .combination = core ? combination_of(core) : "",
    };
    if (core && core->kind == &gr_node_fusion)
        facts->rank_constant = ((const gr_fusion *)core->state)->constant;
    for (size_t n = 0; n < model->node_count; n++)
        add_node_size(&model->nodes[n], facts);
}

gradus_model *gradus_model_member(const gradus_model *model, size_t index, double *weight,
                                  gradus_error *err)
{
    if (!GR_GIVEN(err, model))
        return NULL;
    if (index >= gr_model_members(model)) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has no member %zu", index);
        return NULL;
    }
    if (weight)
        *weight = gr_member_weight(gr_model_core(model), index);
    return gr_model_member(model, index, err);
}

bool gradus_model_calibration_at(const gradus_model *model, size_t calibration, size_t index,
                                 gradus_calibration_parameter *out)
{
    if (!GR_GIVEN(NULL, model, out))
        return false;
    const gr_calibration *found = gr_model_calibration_at(model, calibration);

    if (!found)
        return false;
    out->method = gr_calibration_names[found->method];
    return gr_calibration_parameter(found, index, &out->name, &out->output, &out->value);
}

bool gradus_model_option_at(const gradus_model *model, size_t index, const char **name,
                            const char **value)
{
    if (!GR_GIVEN(NULL, model, name, value))
        return false;
    if (index >= model->setting_count)
        return false;
    *name = model->settings[index].name;
    *value = model->settings[index].value;
    return true;
}

bool gradus_model_curve_at(const gradus_model *model, size_t index, size_t *round, double *train,
                           double *valid)
{
    if (!GR_GIVEN(NULL, model, round, train))
        return false;
    if (index >= model->point_count)
        return false;
    *round = (size_t)model->points[index].round;
    *train = model->points[index].train;
    *valid = model->points[index].valid;
    return true;
}

bool gradus_model_result_at(const gradus_model *model, size_t index, const char **name,
                            double *value)
{
    if (!GR_GIVEN(NULL, model, name, value))
        return false;
    if (index >= model->result_count)
        return false;
    *name = model->results[index].name;
    *value = model->results[index].value;
    return true;
}

bool gradus_model_kernel(const gradus_model *model, gradus_kernel_facts *facts)
{
    if (!GR_GIVEN(NULL, model, facts))
        return false;
    const gr_machine *machine = gr_model_machine(model);

    if (!machine)
        return false;
    *facts = (gradus_kernel_facts){ .name = gr_kernel_names[machine->kernel.kind],
                                    .bandwidth = machine->kernel.bandwidth,
                                    .coef0 = machine->kernel.coef0,
                                    .degree = (size_t)machine->kernel.degree,
                                    .rows = machine->rows.rows,
                                    .sparse = !machine->rows.strips };
    return true;
}

const char *gradus_model_feature_name(const gradus_model *model, size_t feature)
{
    if (!GR_GIVEN(NULL, model))
        return "";
    return gr_name_at(&model->feature_names, feature);
}

size_t gradus_model_first_id(const gradus_model *model)
{
    if (!GR_GIVEN(NULL, model))
        return 0;
    return model->first_id;
}

gradus_status gradus_model_importance(const gradus_model *model, double *gains, uint64_t *splits,
                                      gradus_error *err)
{
    if (!GR_GIVEN(err, model))
        return GRADUS_BAD_ARGUMENT;
    return gr_model_importance(model, gains, splits, err);
}

size_t gradus_model_max_uses(const gradus_model *model)
{
    if (!GR_GIVEN(NULL, model))
        return 0;
    return gr_model_max_uses(model);
}

gradus_status gradus_model_uses(const gradus_model *model, gradus_feature_use *uses, size_t *count,
                                gradus_error *err)
{
    if (!GR_GIVEN(err, model, uses, count))
        return GRADUS_BAD_ARGUMENT;
    return gr_model_uses(model, uses, count, err);
}

const uint32_t *gradus_model_columns(const gradus_model *model, size_t *count)
{
    if (!GR_GIVEN(NULL, model, count))
        return NULL;
    const gr_node *node = gr_model_members(model) ? NULL : gr_model_listed(model);

    *count = node ? node->column_count : 0;
    return node ? node->columns : NULL;
}

bool gradus_model_equation(const gradus_model *model, size_t output, double *intercept,
                           const double **coefficients, const double **means,
                           const double **spreads)
{
    if (!GR_GIVEN(NULL, model))
        return false;
    const gr_linear *linear = !gr_model_members(model) ? gr_model_linear(model) : NULL;

    if (!linear || output >= linear->outputs)
        return false;
    const double *own = linear->coefficients + output * linear->features;

    if (intercept) {
        *intercept = linear->bases[output];
        for (size_t f = 0; f < linear->features; f++)
            *intercept -= own[f] * linear->means[f];
    }
    if (coefficients)
        *coefficients = own;
    if (means)
        *means = linear->means;
    if (spreads)
        *spreads = linear->spreads;
    return true;
}

bool gradus_model_errors(const gradus_model *model, const double **coefficients,
                         const double **thresholds)
{
    if (!GR_GIVEN(NULL, model))
        return false;
    if (!model->errors)
        return false;
    if (coefficients)
        *coefficients = model->errors;
    if (thresholds)
        *thresholds = model->errors + gr_model_error_count(model) - (model->scorer.levels - 1);
    return true;
}

bool gradus_model_implied_cost(const gradus_model *model, size_t low, size_t high, double *cost)
{
    if (!GR_GIVEN(NULL, model, cost))
        return false;
    const char *form = model ? gr_model_setting(model, "form") : NULL;
    const double *thresholds = model ? gr_scorer_thresholds(&model->scorer) : NULL;
    double up[GR_MAX_LEVELS], down[GR_MAX_LEVELS];

    if (!thresholds || !form || strcmp(model->method, "orboost") != 0 || low >= high ||
        high >= model->scorer.levels)
        return false;
    gr_orboost_terms(thresholds, model->scorer.levels,
                     strcmp(form, "all") == 0 ? GR_ORBOOST_ALL : GR_ORBOOST_LEFT_RIGHT, up, down);
    *cost = exp(up[high] + down[low]) - exp(up[low] + down[high]);
    return true;
}

/* Training rows in the leaves beneath a split; 0 if out of memory. */
static size_t rows_beneath(const gr_split *splits, const uint32_t *covers, size_t count,
                           size_t split)
{
    int32_t *waiting = gr_new_array(count + 1, sizeof *waiting);
    size_t left = 0, rows = 0;

    if (!waiting)
        return 0;
    waiting[left++] = (int32_t)split;
    while (left) {
        const int32_t node = waiting[--left];

        if (node < 0) {
            rows += covers[~node];
            continue;
        }
        waiting[left++] = splits[node].left;
        waiting[left++] = splits[node].right;
    }
    free(waiting);
    return rows;
}

/* A node of a voting tree or product. */
static bool voter_at(const gr_votes *votes, size_t round, size_t node, gradus_tree_node *out)
{
    const size_t count =
        round < votes->rounds ? (size_t)(votes->starts[round + 1] - votes->starts[round]) : 0;
    const float *vectors = votes->votes + gr_votes_vectors(votes, round) * votes->outputs;
    const gr_split *split = votes->splits + votes->starts[round] + node;

    if (node > (votes->products ? count : 2 * count))
        return false;
    if (node >= count) {
        *out = (gradus_tree_node){ .is_leaf = true,
                                   .votes = vectors + (node - count) * votes->outputs };
        return true;
    }
    *out = (gradus_tree_node){
        .feature = split->feature,
        .threshold = split->threshold,
        .left = votes->products    ? node + 1
                : split->left >= 0 ? (size_t)split->left
                                   : count + (size_t)~split->left,
        .right = votes->products     ? node + 1
                 : split->right >= 0 ? (size_t)split->right
                                     : count + (size_t)~split->right,
        .missing_left = split->missing_left != 0,
        .gain = (double)split->gain,
    };
    return true;
}

static bool tree_node_at(const gradus_model *model, size_t tree, size_t node, gradus_tree_node *out)
{
    const gr_forest *forest = gr_model_forest(model);
    const gr_votes *votes = gr_model_votes(model);

    if (gr_model_members(model))
        return false;
    if (votes)
        return tree < votes->rounds && voter_at(votes, tree, node, out);
    if (!forest || tree >= forest->trees)
        return false;
    const size_t first = (size_t)forest->starts[tree];
    const size_t count = (size_t)forest->starts[tree + 1] - first;
    const gr_split *splits = forest->splits + first, *split = splits + node;
    const uint32_t *covers = forest->covers + first + tree;

    if (node > 2 * count)
        return false;
    if (node >= count) {
        *out = (gradus_tree_node){ .is_leaf = true,
                                   .value = (double)forest->leaves[first + tree + node - count],
                                   .rows = covers[node - count] };
        return true;
    }
    *out = (gradus_tree_node){
        .feature = split->feature,
        .threshold = split->threshold,
        .left = split->left >= 0 ? (size_t)split->left : count + (size_t)~split->left,
        .right = split->right >= 0 ? (size_t)split->right : count + (size_t)~split->right,
        .missing_left = split->missing_left != 0,
        .gain = (double)split->gain,
        .rows = rows_beneath(splits, covers, count, node),
    };
    return true;
}

bool gradus_model_tree_at(const gradus_model *model, size_t tree, size_t node,
                          gradus_tree_node *out)
{
    if (!GR_GIVEN(NULL, model, out))
        return false;
    const gr_node *listed = gr_model_listed(model);

    if (!tree_node_at(model, tree, node, out))
        return false;
    if (listed && !out->is_leaf)
        out->feature = listed->columns[out->feature];
    return true;
}

bool gradus_model_leaf_at(const gradus_model *model, size_t tree, size_t node,
                          gradus_leaf_model *out)
{
    if (!GR_GIVEN(NULL, model, out))
        return false;
    const gr_m5 *m5 = gr_model_m5(model);

    if (!m5 || tree >= m5->forest.trees)
        return false;
    const size_t first = (size_t)m5->forest.starts[tree];
    const size_t splits = (size_t)m5->forest.starts[tree + 1] - first;

    if (node < splits || node > 2 * splits)
        return false;
    const size_t leaf = first + tree + node - splits, start = (size_t)m5->term_starts[leaf];

    *out = (gradus_leaf_model){ .intercept = m5->intercepts[leaf],
                                .terms = (size_t)m5->term_starts[leaf + 1] - start,
                                .features = m5->term_features + start,
                                .factors = m5->term_factors + start,
                                .means = m5->means };
    return true;
}
