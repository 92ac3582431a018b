/* SPDX-License-Identifier: Apache-2.0 */
/* A small model with every field set, for the tests and the fuzz corpus. */
#include "sample_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool sample_trees(gr_forest *forest, size_t trees)
{
    static const gr_split splits[2] = { { 2, 0.25f, 1, ~0, 3.5f, 1 },
                                        { 0, -1.5f, ~1, ~2, 1.25f, 0 } };
    static const uint32_t covers[3] = { 20, 12, 5 };

    for (size_t t = 0; t < trees; t++) {
        const float values[3] = { 0.1f * (float)t, -0.7f, 2.385f };
        /* the third is a single leaf */
        const size_t leaves = t == 2 ? 1 : 3;

        if (gr_forest_add(forest, splits, leaves, values, covers, NULL) != GRADUS_OK)
            return false;
    }
    return true;
}

static bool sample_names(gradus_model *model)
{
    gr_name_list list = { .count = 0 };

    for (size_t f = 0; f < SAMPLE_FEATURES; f++)
        if (!gr_name_list_add(&list, f == 1 ? "" : "bm25\xff of it", f == 1 ? 0 : 5 + f))
            return false;
    model->feature_bytes = list.bytes;
    model->feature_starts = list.starts;
    model->feature_names = gr_name_list_names(&list);
    return true;
}

static void sample_scorer(gr_scorer *scorer, const sample_kind *kind)
{
    scorer->meaning = kind->meaning;
    scorer->rule = kind->rule;
    scorer->outputs = kind->outputs;
    scorer->levels = kind->levels;
    scorer->repair = kind->repair;
    if (kind->levels) {
        scorer->level_labels = gr_new_array(kind->levels, sizeof(double));
        scorer->shares = gr_new_array(kind->levels, sizeof(double));
    }
    for (size_t l = 0; l < kind->levels; l++) {
        scorer->level_labels[l] = (double)l * 1.1;
        scorer->shares[l] = 1.0 / (double)(l + 2);
    }
    if (kind->rule >= GR_SCORE_COST_RATIO) {
        scorer->values = gr_new_array(kind->levels, sizeof(double));
        scorer->divisors = gr_new_array(kind->levels, sizeof(double));
        scorer->factors = gr_new_array(kind->levels, sizeof(double));
        for (size_t l = 0; l < kind->levels; l++) {
            scorer->values[l] = (double)l * 0.7 - 0.1;
            scorer->divisors[l] = 0.3 * (double)(kind->levels - l);
            scorer->factors[l] = 1.0 / (double)(2 * l + 3);
        }
    }
    if (gr_meaning_has_thresholds(kind->meaning)) {
        scorer->threshold_sets = kind->rounds + 1;
        scorer->thresholds =
            gr_new_array(scorer->threshold_sets * (kind->levels - 1), sizeof(double));
        for (size_t i = 0; i < scorer->threshold_sets * (kind->levels - 1); i++)
            scorer->thresholds[i] = (double)(i % (kind->levels - 1)) / 3.0 - 0.01 * (double)i;
    }
    if (kind->weighted)
        scorer->weights = gr_new_array(kind->levels * kind->outputs, sizeof(double));
    for (size_t i = 0; kind->weighted && i < kind->levels * kind->outputs; i++)
        scorer->weights[i] = 1.0 / (double)(i + 3);
}

static void sample_training(gradus_model *model, bool curved)
{
    model->rows = 37;
    model->queries = 4;
    model->fingerprint = 0xfedcba9876543210u;
    model->valid_fingerprint = 7;
    gr_model_set_text(&model->method, "mcrank", NULL);
    gr_model_set_text(&model->metric, "ndcg@10", NULL);
    gr_model_set_text(&model->convention, "letor4, ties expected", NULL);
    model->lower_is_better = true;
    model->start_rounds = 3;
    model->rounds_done = 12;
    model->best_round = 9;
    model->finished = true;
    gr_model_add_setting(model, "rounds", "12", NULL);
    gr_model_add_setting(model, "cost", "a \"quoted\"\\\n\x01 caf\xc3\xa9", NULL);
    model->point_count = curved ? 2 : 0;
    model->points = gr_new_array(2, sizeof *model->points);
    model->points[0] = (gr_point){ 1, 0.1, -NAN };
    model->points[1] = (gr_point){ 5, NAN, 1.0 / 3.0 };
}

static void sample_transform(gr_fitted_transform *fitted, bool by_query)
{
    fitted->transform = by_query ? &gr_transform_query : &gr_transform_minmax;
    fitted->features = SAMPLE_FEATURES;
    fitted->keep_zeros = by_query;
    if (by_query)
        return;
    fitted->shift = gr_new_array(SAMPLE_FEATURES, sizeof(double));
    fitted->unit = gr_new_array(SAMPLE_FEATURES, sizeof(double));
    for (size_t f = 0; f < SAMPLE_FEATURES; f++) {
        fitted->shift[f] = -0.3 * (double)f;
        fitted->unit[f] = 1.7 * (double)f;
    }
}

gradus_model *sample_model(const sample_kind *kind)
{
    const double bases[5] = { 0.5, -0.1, 1e-300, 3, -0.0 };
    gradus_model *model = gr_model_new(NULL);
    gr_forest forest;
    gr_node node;

    if (!model ||
        gr_forest_start(&forest, SAMPLE_FEATURES, kind->outputs, bases, NULL) != GRADUS_OK ||
        !sample_trees(&forest, kind->rounds * kind->outputs) ||
        gr_forest_node_new(&forest, &node, NULL) != GRADUS_OK ||
        gr_model_add_node(model, &node, NULL) != GRADUS_OK || (kind->named && !sample_names(model)))
        abort();
    model->features = SAMPLE_FEATURES;
    model->first_id = 1;
    sample_scorer(&model->scorer, kind);
    sample_training(model, kind->curved);
    if (kind->transformed)
        sample_transform(&model->transform, kind->by_query);
    return model;
}

const sample_kind sample_kinds[SAMPLE_KINDS] = {
    { GR_MEANS_SCORE, GR_SCORE_OUTPUT, 0, 1, .rounds = 2 },
    { GR_MEANS_CLASSES, GR_SCORE_EXPECTED_GAIN, 3, 3, .rounds = 2, .named = true,
      .transformed = true, .curved = true },
    { GR_MEANS_ABOVE, GR_SCORE_SUM, 3, 2, .rounds = 2, .weighted = true, .named = true,
      .transformed = true, .by_query = true, .curved = true },
    { GR_MEANS_BELOW, GR_SCORE_EXPECTED_GRADE, 5, 4, .rounds = 1, .transformed = true },
    { GR_MEANS_ABOVE, GR_SCORE_COUNT, 2, 1, .rounds = 0, .curved = true },
    { GR_MEANS_BELOW, GR_SCORE_COST_RATIO, 4, 3, .rounds = 1, .repair = GR_REPAIR_PAV },
    { GR_MEANS_ODDS, GR_SCORE_EXPECTED_GAIN, 4, 1, .rounds = 2, .curved = true },
    { GR_MEANS_THRESHOLDS, GR_SCORE_OUTPUT, 3, 1, .rounds = 0 },
};
