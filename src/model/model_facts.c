/* SPDX-License-Identifier: Apache-2.0 */
/* Describes models of any kind: properties that all of them have, and named facts from the tables
 * of the node kinds. Sizes are summed over all nodes; other facts are those of the core node. */
#include "model/model_facts.h"

#include "model/members.h"

#include <string.h>

static const gr_node_kind *const kinds[] = {
#define GR_NODE_KIND(name) &gr_node_##name,
#include "model/kinds.def"
#undef GR_NODE_KIND
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Row `row` of the size tables of all kinds, one after the other; NULL past the last. */
static const gr_node_size *row_at(size_t row)
{
    for (size_t k = 0; k < KINDS; k++)
        for (const gr_node_size *size = kinds[k]->sizes; size && size->name; size++)
            if (row-- == 0)
                return size;
    return NULL;
}

static bool is_repeated(size_t row)
{
    for (size_t r = 0; r < row; r++)
        if (strcmp(row_at(r)->name, row_at(row)->name) == 0)
            return true;
    return false;
}

/* The first row with the name of size `index`; NULL past the last size. */
static const gr_node_size *size_at(size_t index)
{
    const gr_node_size *size;

    for (size_t row = 0; (size = row_at(row)); row++)
        if (!is_repeated(row) && index-- == 0)
            return size;
    return NULL;
}

static size_t size_count(void)
{
    size_t count = 0;

    while (size_at(count))
        count++;
    return count;
}

static size_t sum_over_nodes(const gradus_model *model, const gr_node_kind *kind,
                             const gr_node_size *size)
{
    size_t sum = 0;

    for (size_t n = 0; n < model->node_count; n++)
        if (model->nodes[n].kind == kind)
            sum += size->count(model->nodes[n].state);
    return sum;
}

static void name_counted(gradus_model_fact *fact, const gr_node_size *size, bool ensemble)
{
    fact->one = size->one;
    fact->many = ensemble && size->in_ensembles ? size->in_ensembles : size->many;
}

/* The sum of all rows with a name. The first row that counts something gives the noun. */
static void add_up(const gradus_model *model, const gr_node_size *first, gradus_model_fact *fact)
{
    const bool ensemble = gr_model_members(model) > 0;

    *fact = (gradus_model_fact){ .name = first->name, .type = GRADUS_FACT_COUNT, .text = "" };
    name_counted(fact, first, ensemble);
    for (size_t k = 0; k < KINDS; k++)
        for (const gr_node_size *size = kinds[k]->sizes; size && size->name; size++) {
            const size_t sum =
                strcmp(size->name, first->name) == 0 ? sum_over_nodes(model, kinds[k], size) : 0;

            if (sum && fact->number == 0.0)
                name_counted(fact, size, ensemble);
            fact->number += (double)sum;
        }
}

bool gr_model_fact_at(const gradus_model *model, size_t index, gradus_model_fact *fact)
{
    const gr_node_size *size = size_at(index);
    const gr_node *core = gr_model_core(model);

    if (size) {
        add_up(model, size, fact);
        return true;
    }
    return core && core->kind->fact && core->kind->fact(core->state, index - size_count(), fact);
}

static bool counts_splits(const gr_node_kind *kind)
{
    return kind->places && strcmp(kind->places, "splits") == 0;
}

/* The names of importance and places. Members may count different things. */
static void name_importance(const gradus_model *model, const gr_node_kind *core,
                            gradus_model_info *info)
{
    info->gain_name = "gain";
    info->count_name = "splits";
    info->importance = core->members || core->gain;
    if (!core->members && core->gain) {
        info->gain_name = core->gain;
        info->count_name = core->places;
    }
    for (size_t n = 0; core->members && n < model->node_count; n++) {
        const gr_node_kind *kind = model->nodes[n].kind;

        if ((kind->uses || kind->importance) && !counts_splits(kind))
            info->count_name = "uses";
    }
}

static void count_rounds(const gradus_model *model, gradus_model_info *info)
{
    info->rounds = 1;
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];
        const size_t rounds = node->kind->rounds ? node->kind->rounds(node->state) : 1;

        info->has_rounds = info->has_rounds || node->kind->rounds;
        info->rounds = rounds > info->rounds ? rounds : info->rounds;
    }
}

void gr_model_describe(const gradus_model *model, gradus_model_info *info)
{
    const gr_node *core = gr_model_core(model);
    const gr_scorer *scorer = &model->scorer;

    *info = (gradus_model_info){
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
        .distilled = model->distilled,
        .thresholds = gr_scorer_thresholds(scorer),
        .log_likelihood = model->log_likelihood,
        .calibration = gr_model_calibration(model),
        .members = gr_model_members(model),
        .combination = core && core->kind->combination ? core->kind->combination(core->state) : "",
        .gain_name = "gain",
        .count_name = "splits",
    };
    count_rounds(model, info);
    if (core)
        name_importance(model, core->kind, info);
}
