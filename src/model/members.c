/* The parts of a model that is made of others: its calibrations, the members of an ensemble, and
 * what features count for in all of them. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gr_node *last_node(const gradus_model *model)
{
    return model->node_count ? &model->nodes[model->node_count - 1] : NULL;
}

/* Nodes that list one other: a calibration, or outputs made a score. */
static bool is_wrapper(const gr_node *node)
{
    return node->kind->takes && !node->kind->members;
}

const gr_node *gr_model_core(const gradus_model *model)
{
    const gr_node *node = last_node(model);

    while (node && is_wrapper(node))
        node = &model->nodes[node->inputs[0]];
    return node;
}

size_t gr_model_members(const gradus_model *model)
{
    const gr_node *core = gr_model_core(model);

    return core && core->kind->members ? core->kind->members(core->state) : 0;
}

const gr_calibration *gr_model_calibration_at(const gradus_model *model, size_t index)
{
    for (const gr_node *node = last_node(model); node && is_wrapper(node);
         node = &model->nodes[node->inputs[0]])
        if (node->kind == &gr_node_calibration && index-- == 0)
            return node->state;
    return NULL;
}

double gr_member_weight(const gr_node *node, size_t member)
{
    return node->kind == &gr_node_mix ? ((const gr_mix *)node->state)->weights[member]
                                      : 1.0 / (double)node->kind->members(node->state);
}

/* Marks the nodes that `last` needs, itself included. */
static void mark_needed(const gradus_model *model, size_t last, bool *needed)
{
    needed[last] = true;
    for (size_t n = last + 1; n-- > 0;)
        for (size_t i = 0; needed[n] && i < model->nodes[n].input_count; i++)
            needed[model->nodes[n].inputs[i]] = true;
}

static gradus_status borrow_needed(gradus_model *view, const gradus_model *model, size_t last,
                                   gradus_error *err)
{
    bool *needed = gr_new_array(model->node_count, sizeof *needed);
    size_t *number = gr_new_array(model->node_count, sizeof *number);
    gradus_status status = GRADUS_OK;

    if (!needed || !number)
        status = gr_fail_memory(err, "a member");
    else
        mark_needed(model, last, needed);
    for (size_t n = 0; n <= last && status == GRADUS_OK; n++) {
        gr_node node = model->nodes[n];

        if (!needed[n])
            continue;
        node.borrowed = true;
        for (size_t i = 0; i < node.input_count; i++)
            node.inputs[i] = number[node.inputs[i]];
        number[n] = view->node_count;
        status = gr_model_add_node(view, &node, err);
    }
    free(needed);
    free(number);
    return status;
}

/* A member without a scorer of its own gives columns to the sum as they are. */
static gr_scorer plain_scorer(const gradus_model *model, const gr_node *node)
{
    const size_t columns = node->kind->columns(node->state);

    if (columns > 1 && columns == model->scorer.levels)
        return (gr_scorer){ .meaning = GR_MEANS_PROBABILITIES,
                            .rule = GR_SCORE_EXPECTED_GAIN,
                            .outputs = columns,
                            .levels = columns,
                            .level_labels = model->scorer.level_labels,
                            .shares = model->scorer.shares };
    return (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
}

static gradus_model *view_of(const gradus_model *model, const char *method, gr_scorer *scorer)
{
    gradus_model *view = malloc(sizeof *view);

    if (!view) {
        gr_scorer_free(scorer);
        return NULL;
    }
    *view = *model;
    view->is_view = true;
    view->method = (char *)(uintptr_t)method;
    view->setting_count = view->result_count = view->point_count = view->node_count = 0;
    view->nodes = NULL;
    view->scorer = *scorer;
    view->rows = view->queries = view->rounds_done = view->best_round = 0;
    view->metric = view->convention = (char *)(uintptr_t) "";
    view->log_likelihood = NAN;
    view->errors = NULL;
    return view;
}

/* What stands for the method where the file does not have it. */
static const char *kind_name(const gr_node *core)
{
    return core->kind->members ? "ensemble" : core->kind->about.name;
}

gradus_model *gr_model_member(const gradus_model *model, size_t member, gradus_error *err)
{
    const gr_node *core = gr_model_core(model);
    size_t last = core->inputs[member];
    const gr_node *node = &model->nodes[last];
    const gr_scorer *own = gr_scored_node_scorer(node);
    const gr_scorer plain = plain_scorer(model, node);
    gr_scorer scorer;
    gradus_model *view;

    if (gr_scorer_copy(own ? own : &plain, &scorer, err) != GRADUS_OK)
        return NULL;
    if (own)
        last = node->inputs[0];
    view = view_of(model, gr_scored_node_method(node), &scorer);
    if (!view) {
        gr_fail_memory(err, "a member");
        return NULL;
    }
    if (borrow_needed(view, model, last, err) != GRADUS_OK) {
        gr_model_free(view);
        return NULL;
    }
    if (!view->method)
        view->method = (char *)(uintptr_t)kind_name(gr_model_core(view));
    return view;
}

/* ---- Importance ---- */

/* For each node: whether the importance of what it is made of is known, and its share of the
 * whole. */
typedef struct shares {
    bool *known;
    double *share;
} shares;

/* Sums what features count for in a node that takes rows; not positive: unknown. */
static double sum_sizes(const gr_node *node, double *sizes, size_t features)
{
    double sum = 0.0;

    if (!node->kind->importance)
        return 0.0;
    memset(sizes, 0, features * sizeof *sizes);
    node->kind->importance(node->state, sizes, NULL);
    for (size_t f = 0; f < features; f++)
        sum += fmax(sizes[f], 0.0);
    return isfinite(sum) ? sum : 0.0;
}

static void find_known(const gradus_model *model, bool *known, double *sizes)
{
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        known[n] = node->input_count == 0 && sum_sizes(node, sizes, model->features) > 0.0;
        for (size_t i = 0; i < node->input_count; i++)
            known[n] = known[n] || known[node->inputs[i]];
    }
}

/* A node hands its share on to what it lists and is known, in proportion to absolute weights. */
static void hand_on(const gr_node *node, const shares *s, double share)
{
    double sum = 0.0;
    size_t known = 0;

    if (is_wrapper(node)) {
        s->share[node->inputs[0]] += share;
        return;
    }
    for (size_t i = 0; i < node->input_count; i++)
        if (s->known[node->inputs[i]]) {
            sum += fabs(gr_member_weight(node, i));
            known++;
        }
    for (size_t i = 0; i < node->input_count; i++)
        if (s->known[node->inputs[i]])
            s->share[node->inputs[i]] +=
                share * (sum > 0.0 ? fabs(gr_member_weight(node, i)) / sum : 1.0 / (double)known);
}

static void add_shares(const gradus_model *model, const shares *s, double *sizes, double *gains)
{
    s->share[model->node_count - 1] = 1.0;
    for (size_t n = model->node_count; n-- > 0;) {
        const gr_node *node = &model->nodes[n];

        if (!s->known[n] || s->share[n] == 0.0)
            continue;
        if (node->input_count) {
            hand_on(node, s, s->share[n]);
            continue;
        }
        const double sum = sum_sizes(node, sizes, model->features);

        for (size_t f = 0; f < model->features; f++)
            gains[f] += s->share[n] * fmax(sizes[f], 0.0) / sum;
    }
}

static gradus_status combined_gains(const gradus_model *model, double *gains, gradus_error *err)
{
    shares s = { gr_new_array(model->node_count, sizeof *s.known),
                 gr_new_array(model->node_count, sizeof *s.share) };
    double *sizes = gr_new_array(model->features, sizeof *sizes);
    gradus_status status = GRADUS_OK;

    if (s.known && s.share && sizes) {
        find_known(model, s.known, sizes);
        add_shares(model, &s, sizes, gains);
    } else {
        status = gr_fail_memory(err, "the importance of features");
    }
    free(s.known);
    free(s.share);
    free(sizes);
    return status;
}

static gradus_status combined_places(const gradus_model *model, uint64_t *places, gradus_error *err)
{
    uint64_t *own = gr_new_array(model->features, sizeof *own);

    if (!own)
        return gr_fail_memory(err, "the importance of features");
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        if (!node->kind->importance)
            continue;
        memset(own, 0, model->features * sizeof *own);
        node->kind->importance(node->state, NULL, own);
        for (size_t f = 0; f < model->features; f++)
            places[f] += own[f];
    }
    free(own);
    return GRADUS_OK;
}

gradus_status gr_model_importance(const gradus_model *model, double *gains, uint64_t *places,
                                  gradus_error *err)
{
    const gr_node *core = gr_model_core(model);

    for (size_t f = 0; f < model->features; f++) { /* what is not known is 0 */
        if (gains)
            gains[f] = 0.0;
        if (places)
            places[f] = 0;
    }
    if (!core)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "there is no model");
    if (!core->kind->members) {
        if (core->kind->importance)
            core->kind->importance(core->state, gains, places);
        return GRADUS_OK;
    }
    if (gains)
        GR_TRY(combined_gains(model, gains, err));
    return places ? combined_places(model, places, err) : GRADUS_OK;
}
