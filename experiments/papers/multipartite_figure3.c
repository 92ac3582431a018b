/* SPDX-License-Identifier: Apache-2.0 */
/* Figure 3: scores of methods against pairwise scores, MovieLens with three grades. */
#include "experiments/papers/tripartite.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { AS_ORBOOST, AS_REG, AS_PROPODDS, AS_SVOR, PANELS };

/* The theoretical score of a method where PAIRRANK's score is f. */
static double relation(size_t panel, double f, const double cuts[2])
{
    const double ratio = exp(2.0 * f);

    switch (panel) {
    case AS_ORBOOST:
        return f;
    case AS_REG:
        return (1.0 + 3.0 * ratio) / (1.0 + ratio);
    case AS_PROPODDS:
        return gr_theory_propodds(ratio, cuts[0]);
    default:
        return ratio < 0.5   ? cuts[0] - 1.0
               : ratio < 1.0 ? cuts[0] + 1.0
               : ratio < 2.0 ? cuts[1] - 1.0
                             : cuts[1] + 1.0;
    }
}

static double mean_relation(size_t panel, const double *pairs, size_t rows, double shift,
                            const double cuts[2])
{
    double sum = 0.0;

    for (size_t r = 0; r < rows; r++)
        sum += relation(panel, pairs[r] + shift, cuts);
    return sum / (double)rows;
}

/* PAIRRANK's scores are determined up to a constant, chosen here to match the means. */
static double match_means(size_t panel, const double *pairs, const double *scores, size_t rows,
                          const double cuts[2])
{
    const double wanted = gr_mean_of(scores, rows, 1);
    double low = -20.0, high = 20.0;

    while (high - low > 1e-9) {
        const double middle = (low + high) / 2.0;

        if (mean_relation(panel, pairs, rows, middle, cuts) < wanted)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2.0;
}

static gradus_status show_panel(const gr_run *run, const gr_tripartite *t, size_t panel,
                                const char *name, double *pairs, const double *scores,
                                const double cuts[2], gr_table *table, gradus_error *err)
{
    const double shift = match_means(panel, pairs, scores, t->rows, cuts);
    char title[96];
    gr_cloud dots;
    double *wanted = gr_new_array(t->rows, sizeof *wanted), x[101], y[101], low = INFINITY,
           high = -INFINITY, squares = 0.0;

    if (!wanted)
        return gr_fail_memory(err, "a figure");
    for (size_t r = 0; r < t->rows; r++) {
        pairs[r] += shift;
        low = fmin(low, pairs[r]);
        high = fmax(high, pairs[r]);
        wanted[r] = relation(panel, pairs[r], cuts);
        squares += (scores[r] - wanted[r]) * (scores[r] - wanted[r]) / (double)t->rows;
    }
    for (size_t i = 0; i <= 100; i++) {
        x[i] = low + (high - low) * (double)i / 100.0;
        y[i] = relation(panel, x[i], cuts);
    }
    snprintf(title, sizeof title, "%s against pairwise scores of matching cost", name);
    const gradus_status status = gr_cloud_of(pairs, scores, t->rows, &dots, err);

    if (status == GRADUS_OK) {
        gr_figure *figure = gr_results_figure(run->results, title, "PAIRRANK", name);

        gr_cloud_draw(figure, name, &dots);
        gr_figure_add(figure, "theory", true, x, y, 101);
    }
    const double agreement = gr_correlation_of(wanted, scores, t->rows);

    gr_table_put(table, name, "correlation with theory", (gr_found){ .ours = agreement });
    if (panel == AS_SVOR)
        gr_results_claim(run->results, agreement < 0.95,
                         "scores of SVOR-IMC relate to pairwise scores in another way, and the "
                         "steps that theory predicts are hardly seen",
                         "correlation with the steps %.3f, with pairwise scores %.3f", agreement,
                         gr_correlation_of(pairs, scores, t->rows));
    gr_table_put(table, name, "deviation from theory, relative to that of the scores",
                 (gr_found){ .ours = sqrt(squares) / gr_deviation_of(scores, t->rows, 1) });
    free(wanted);
    return status;
}

static void put_threshold(gr_table *table, const char *method, const char *column, double ours)
{
    gr_table_put(table, method, column,
                 (gr_found){ .ours = ours, .paper = gr_published(GR_THREE, method, column) });
}

static gradus_status compare_panels(const gr_run *run, const gr_tripartite *t, double *pairs,
                                    double *scores, gradus_error *err)
{
    static const struct {
        const char *name;
        double c13; /* 0: the cost implied by the thresholds */
    } panels[PANELS] = {
        { "ORBOOST", 0.0 },
        { "REG", 2.0 },
        { "PROPODDS", 1.0 },
        { "SVOR-IMC", 1.0 },
    };
    gr_table *cuts_table = gr_results_table(run->results,
                                            "thresholds, theta_2 = 0 except for "
                                            "SVOR-IMC",
                                            GR_WANT_NEAR, GR_THREE, 3);
    gr_table *table = gr_results_table(run->results,
                                       "scores compared with theory, computed from pairwise "
                                       "scores (PAIRRANK2 for REG, PAIRRANK1 for PROPODDS and "
                                       "SVOR-IMC)",
                                       GR_WANT_NEAR, NULL, 3);

    for (size_t p = 0; p < PANELS; p++) {
        double cuts[2] = { 0.0, 0.0 };
        char claim[96];

        GR_TRY(gr_tripartite_fit(t, gr_paper_words(GR_THREE, panels[p].name),
                                 p != AS_SVOR && p != AS_REG, scores, cuts, err));
        GR_TRY(gr_tripartite_pairs(t, panels[p].c13 > 0.0 ? panels[p].c13 : exp(-cuts[0]), pairs,
                                   err));
        GR_TRY(show_panel(run, t, p, panels[p].name, pairs, scores, cuts, table, err));
        GR_TRY(gr_send_progress(t->context, "training", (double)(p + 1) / PANELS, err));
        for (size_t j = 0; p != AS_REG && j < (p == AS_SVOR ? 2 : 1); j++)
            put_threshold(cuts_table, panels[p].name, j == 0 ? "theta_1" : "theta_2", cuts[j]);
        if (p == AS_SVOR)
            put_threshold(cuts_table, panels[p].name, "theta_2 - theta_1", cuts[1] - cuts[0]);
        if (p == AS_ORBOOST)
            put_threshold(cuts_table, panels[p].name, "c_13 = exp(-theta_1)", exp(-cuts[0]));
        snprintf(claim, sizeof claim, "scores of %s relate to pairwise scores as theory predicts",
                 panels[p].name);
        if (p != AS_SVOR)
            gr_results_claim(run->results, gr_correlation_of(pairs, scores, t->rows) > 0.95, claim,
                             "correlation with pairwise scores %.3f",
                             gr_correlation_of(pairs, scores, t->rows));
    }
    return GRADUS_OK;
}

static gradus_status run_figure3(gr_run *run, gradus_error *err)
{
    gradus_dataset *ratings = gr_multipartite_ratings(run, err);
    gr_tripartite t;
    double *scores = NULL;

    if (!ratings)
        return err->status;
    gradus_status status = gr_tripartite_draw(run, ratings, 0, run->context, &t, err);

    gradus_dataset_free(ratings);
    if (status == GRADUS_OK) {
        scores = gr_new_array(2 * t.rows, sizeof *scores);
        status = scores ? compare_panels(run, &t, scores, scores + t.rows, err)
                        : gr_fail_memory(err, "scores");
    }
    free(scores);
    gr_tripartite_end(&t);
    return status;
}

const gr_experiment gr_experiment_multipartite_figure3 = GR_MOVIELENS(
    "multipartite-figure3", "scores of six methods against theory, MovieLens, three grades",
    "1 min", run_figure3);
