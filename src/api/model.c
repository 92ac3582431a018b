/* Models in and out of files, seen another way, and what can be asked of them. */
#include "model/model.h"
#include "objectives/objective.h"
#include "pipeline/score_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gradus_status gradus_model_write(const gradus_model *model, const char *path, gradus_error *err)
{
    if (!model || !path)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "gradus_model_write needs a model and a path");
    return gr_model_write(model, path, err);
}

gradus_status gradus_model_size(const gradus_model *model, uint64_t *size, gradus_error *err)
{
    if (!model || !size)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "gradus_model_size needs a model and a place");
    return gr_model_size(model, size, err);
}

gradus_model *gradus_model_read(const char *path, gradus_error *err)
{
    if (!path) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "gradus_model_read needs a path");
        return NULL;
    }
    return gr_model_read(path, err);
}

void gradus_model_free(gradus_model *model)
{
    gr_model_free(model);
}

bool gradus_model_is_file(const char *path)
{
    return path && gr_model_is_file(path);
}

gradus_model *gradus_model_with(gradus_context *context, const gradus_model *model,
                                const gradus_options *options, gradus_error *err)
{
    if (!model) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "gradus_model_with needs a model");
        return NULL;
    }
    return gr_model_with(context, model, options, err);
}

/* The equations over hashed features of a model that has some, else NULL. */
static const gr_hashed *hashed_of(const gradus_model *model)
{
    for (size_t n = 0; model && n < model->node_count; n++)
        if (model->nodes[n].kind == &gr_node_hash)
            return model->nodes[n].state;
    return NULL;
}

/* Votes of all base models of an ensemble count. */
static void count_votes(const gr_votes *votes, gradus_model_facts *facts)
{
    facts->voters += votes->rounds;
    facts->voter_splits += (size_t)votes->starts[votes->rounds];
    facts->products = facts->products && votes->products;
}

void gradus_model_describe(const gradus_model *model, gradus_model_facts *facts)
{
    const gr_forest *forest = gr_model_forest(model);
    const gr_linear *linear = gr_model_linear(model);
    const gr_net *net = gr_model_net(model);
    const gr_votes *votes = gr_model_votes(model);
    const gr_gaussians *gaussians = gr_model_gaussians(model);
    const gr_scorer *scorer = &model->scorer;
    const gr_hashed *hashed = hashed_of(model);

    *facts = (gradus_model_facts){
        .method = model->method,
        .features = model->features,
        .outputs = scorer->outputs,
        .rounds = gr_model_rounds(model),
        .trees = forest ? forest->trees : 0,
        .leaves = forest ? (size_t)forest->starts[forest->trees] + forest->trees : 0,
        .grades = scorer->levels,
        .grade_values = scorer->level_labels,
        .probabilities = gr_scorer_knows_probabilities(scorer),
        .scoring = gr_score_rules[scorer->rule],
        .train_rows = (size_t)model->rows,
        .train_queries = (size_t)model->queries,
        .metric = model->metric,
        .convention = model->convention,
        .lower_is_better = model->lower_is_better,
        .rounds_done = (size_t)model->rounds_done,
        .best_round = (size_t)model->best_round,
        .validated = model->valid_fingerprint != 0,
        .start_rounds = (size_t)model->start_rounds,
        .finished = model->finished,
        .equations = linear ? linear->outputs : 0,
        .net = net != NULL,
        .units = net ? net->units : 0,
        .weights =
            net ? net->units * (net->features + 2) + (net->units ? 0 : net->features) + 1 : 0,
        .thresholds = gr_scorer_thresholds(scorer),
        .products = votes && votes->products,
        .log_likelihood = model->log_likelihood,
        .kernels = gaussians ? gaussians->terms : 0,
        .calibration = gr_model_calibration(model),
        .members = gr_model_members(model),
    };
    for (size_t n = 0; n < model->node_count; n++)
        if (model->nodes[n].kind == &gr_node_votes)
            count_votes(model->nodes[n].state, facts);
    if (hashed)
        facts->weights = hashed->linear.outputs * hashed->linear.features;
}

bool gradus_model_option_at(const gradus_model *model, size_t index, const char **name,
                            const char **value)
{
    if (index >= model->setting_count)
        return false;
    *name = model->settings[index].name;
    *value = model->settings[index].value;
    return true;
}

bool gradus_model_curve_at(const gradus_model *model, size_t index, size_t *round, double *train,
                           double *valid)
{
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
    if (index >= model->result_count)
        return false;
    *name = model->results[index].name;
    *value = model->results[index].value;
    return true;
}

bool gradus_model_kernel(const gradus_model *model, gradus_kernel_facts *facts)
{
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
    return gr_name_at(&model->feature_names, feature);
}

size_t gradus_model_first_id(const gradus_model *model)
{
    return model->first_id;
}

gradus_status gradus_model_importance(const gradus_model *model, double *gains, uint64_t *splits,
                                      gradus_error *err)
{
    const gr_node *last = model && model->node_count ? &model->nodes[model->node_count - 1] : NULL;

    if (!last)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "there is no model");
    for (size_t f = 0; f < model->features; f++) { /* what is not known is 0 */
        if (gains)
            gains[f] = 0.0;
        if (splits)
            splits[f] = 0;
    }
    if (last->kind->importance)
        last->kind->importance(last->state, gains, splits);
    return GRADUS_OK;
}

bool gradus_model_equation(const gradus_model *model, size_t output, double *intercept,
                           const double **coefficients, const double **means,
                           const double **spreads)
{
    const gr_linear *linear = model ? gr_model_linear(model) : NULL;

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
    if (!model || !model->errors)
        return false;
    if (coefficients)
        *coefficients = model->errors;
    if (thresholds)
        *thresholds = model->errors + model->features;
    return true;
}

bool gradus_model_implied_cost(const gradus_model *model, size_t low, size_t high, double *cost)
{
    const char *form = model ? gr_model_setting(model, "form") : NULL;
    const double *thresholds = model ? gr_scorer_thresholds(&model->scorer) : NULL;
    double up[GR_MOST_LEVELS], down[GR_MOST_LEVELS];

    if (!thresholds || !form || strcmp(model->method, "orboost") != 0 || low >= high ||
        high >= model->scorer.levels)
        return false;
    gr_orboost_terms(thresholds, model->scorer.levels,
                     strcmp(form, "all") == 0 ? GR_ORBOOST_ALL : GR_ORBOOST_LEFT_RIGHT, up, down);
    *cost = exp(up[high] + down[low]) - exp(up[low] + down[high]);
    return true;
}

/* Training rows of the leaves beneath a split; 0 if there is no memory to find them. */
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

/* A node of a round of votes. */
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

bool gradus_model_tree_at(const gradus_model *model, size_t tree, size_t node,
                          gradus_tree_node *out)
{
    const gr_forest *forest = gr_model_forest(model);
    const gr_votes *votes = gr_model_votes(model);

    if (votes && !gr_model_members(model))
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

bool gradus_model_leaf_at(const gradus_model *model, size_t tree, size_t node,
                          gradus_leaf_model *out)
{
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
