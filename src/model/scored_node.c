/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the outputs of another node into grade probabilities or a score, so that calibrations and
 * ensembles can build on any model. */
#include "model/scored_node.h"

#include "model/model.h"
#include "model/model_check.h"
#include "model/model_read.h"
#include "model/model_write.h"
#include "objectives/problem.h"

#include <stdlib.h>

typedef struct scored {
    gr_scorer scorer;
    bool probabilities;
    char *method; /* NULL: not known */
} scored;

static size_t columns(const void *state)
{
    const scored *s = state;

    return s->probabilities ? s->scorer.levels : 1;
}

static size_t takes(const void *state)
{
    return ((const scored *)state)->scorer.outputs;
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    const scored *s = state;
    double p[GR_MAX_LEVELS];

    for (size_t r = 0; r < batch->rows; r++) {
        const double *outputs = batch->inputs[0] + r;

        if (!s->probabilities) {
            out[r] = gr_scorer_score(&s->scorer, outputs, batch->rows);
            continue;
        }
        gr_scorer_probabilities(&s->scorer, outputs, batch->rows, p);
        for (size_t k = 0; k < s->scorer.levels; k++)
            out[k * batch->rows + r] = p[k];
    }
}

static gradus_status put(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const scored *s = state;

    gr_json_put_count(gr_model_json(writer), "probabilities", s->probabilities);
    if (s->method)
        gr_json_put_text(gr_model_json(writer), "method", s->method);
    return gr_scorer_put(&s->scorer, writer, err);
}

static void free_state(void *state)
{
    scored *s = state;

    gr_scorer_free(&s->scorer);
    free(s->method);
}

gradus_status gr_scored_node_new(const gr_scorer *scorer, bool probabilities, const char *method,
                                 gr_node *node, gradus_error *err)
{
    scored made = { .probabilities = probabilities };
    gradus_status status = gr_scorer_copy(scorer, &made.scorer, err);

    if (status == GRADUS_OK && method)
        status = gr_model_set_text(&made.method, method, err);
    if (status == GRADUS_OK)
        status = gr_node_new(&gr_node_scored, &made, node, err);
    free_state(&made);
    return status;
}

const gr_scorer *gr_scored_node_scorer(const gr_node *node)
{
    return node->kind == &gr_node_scored ? &((const scored *)node->state)->scorer : NULL;
}

const char *gr_scored_node_method(const gr_node *node)
{
    return node->kind == &gr_node_scored ? ((const scored *)node->state)->method : NULL;
}

bool gr_scored_node_gives_probabilities(const gr_node *node)
{
    return ((const scored *)node->state)->probabilities;
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void *state,
                                gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    scored *s = state;
    uint64_t probabilities;

    (void)features;
    GR_TRY(gr_model_read_count(reader, "probabilities", &probabilities, err));
    GR_TRY(gr_model_read_text(reader, "method", &s->method, err));
    GR_TRY(gr_scorer_take(reader, &s->scorer, err));
    if (gr_model_check_scorer(&s->scorer, &found) != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    s->probabilities = probabilities != 0;
    if (probabilities > 1 || (probabilities && !gr_scorer_knows_probabilities(&s->scorer)))
        return gr_model_damaged(reader, err, "it has no grade probabilities to score by");
    return GRADUS_OK;
}

const gr_node_kind gr_node_scored = {
    .about = { .name = "scored",
               .summary = "outputs of a node as grade probabilities or as a score",
               .details = "" },
    .size = sizeof(scored),
    .columns = columns,
    .takes = takes,
    .apply = apply,
    .write = put,
    .read = read_state,
    .free = free_state,
};
