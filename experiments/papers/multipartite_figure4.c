/* SPDX-License-Identifier: Apache-2.0 */
/* Figure 4: pairwise scores by the cost c_13 of far pairs, MovieLens with three grades. */
#include "experiments/papers/tripartite.h"

#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE "multipartite_figure4"

enum { COSTS = 4 };

static double far_cost(size_t index)
{
    return gr_paper_number(TABLE, "c_13", index);
}

/* The results of one sample for a cost c_13, relative to c_13 = 1. */
typedef struct cost_found {
    double correlation, width; /* of the scores; width: their standard deviation */
    double theory_width;
    gr_cloud scores, theory;
} cost_found;

enum { COST_NUMBERS = sizeof(cost_found) / sizeof(double) };

/* Scores of a sample, centred at zero. */
typedef struct cost_scores {
    double *first, *other;               /* for c_13 = 1, and for another cost */
    double *theory_first, *theory_other; /* the same in theory */
    double *chances;                     /* of the three grades, estimated by PROPODDS */
} cost_scores;

static void centre(double *scores, size_t rows)
{
    const double mean = gr_mean_of(scores, rows, 1);

    for (size_t r = 0; r < rows; r++)
        scores[r] -= mean;
}

static gradus_status find_chances(const gr_tripartite *t, double *chances, gradus_error *err)
{
    gradus_model *model = gr_multipartite_train(t->context, gr_paper_words(GR_THREE, "PROPODDS"),
                                                t->parts[0], t->parts[1], err);

    if (!model)
        return err->status;
    const gradus_status status =
        gradus_model_probabilities(t->context, model, t->parts[0], chances, err);

    gradus_model_free(model);
    return status;
}

/* PAIRRANK's theoretical score, from the probabilities. */
static void theory_scores(const double *chances, size_t rows, double c13, double *scores)
{
    for (size_t r = 0; r < rows; r++) {
        const double *p = chances + 3 * r;

        scores[r] = log((p[1] + c13 * p[2]) / (c13 * p[0] + p[1])) / 2.0;
    }
    centre(scores, rows);
}

static gradus_status look_at_cost(const gr_tripartite *t, double c13, const cost_scores *s,
                                  cost_found *found, gradus_error *err)
{
    GR_TRY(gr_tripartite_pairs(t, c13, s->other, err));
    centre(s->other, t->rows);
    theory_scores(s->chances, t->rows, c13, s->theory_other);
    found->correlation = gr_correlation_of(s->first, s->other, t->rows);
    found->width = gr_deviation_of(s->other, t->rows, 1) / gr_deviation_of(s->first, t->rows, 1);
    found->theory_width =
        gr_deviation_of(s->theory_other, t->rows, 1) / gr_deviation_of(s->theory_first, t->rows, 1);
    GR_TRY(gr_cloud_of(s->first, s->other, t->rows, &found->scores, err));
    return gr_cloud_of(s->theory_first, s->theory_other, t->rows, &found->theory, err);
}

static gradus_status compare_costs(const gr_tripartite *t, const cost_scores *s, cost_found *found,
                                   gradus_error *err)
{
    GR_TRY(find_chances(t, s->chances, err));
    theory_scores(s->chances, t->rows, 1.0, s->theory_first);
    GR_TRY(gr_tripartite_pairs(t, 1.0, s->first, err));
    centre(s->first, t->rows);
    for (size_t c = 0; c < COSTS; c++) {
        GR_TRY(look_at_cost(t, far_cost(c), s, &found[c], err));
        GR_TRY(gr_send_progress(t->context, "training", (double)(c + 1) / COSTS, err));
    }
    return GRADUS_OK;
}

typedef struct cost_study {
    gr_run *run;
    const gradus_dataset *ratings;
} cost_study;

static void name_sample(const void *argument, size_t job, char *key, size_t size)
{
    (void)argument;
    snprintf(key, size, "three grades | costs of far pairs | sample %zu", job + 1);
}

static gradus_status run_sample(void *argument, size_t job, gradus_context *context,
                                double *numbers, gradus_error *err)
{
    const cost_study *study = argument;
    cost_found found[COSTS];
    gr_tripartite t;
    gradus_status status = gr_tripartite_draw(study->run, study->ratings, job, context, &t, err);

    if (status == GRADUS_OK) {
        double *room = gr_new_array(7 * t.rows, sizeof *room);
        const cost_scores s = { room, room + t.rows, room + 2 * t.rows, room + 3 * t.rows,
                                room + 4 * t.rows };

        status = room ? compare_costs(&t, &s, found, err) : gr_fail_memory(err, "scores");
        free(room);
    }
    gr_tripartite_end(&t);
    if (status == GRADUS_OK)
        memcpy(numbers, found, sizeof found);
    return status;
}

/* Means of every number over samples. */
static void draw_costs(const gr_run *run, const cost_found *found, size_t samples)
{
    for (size_t c = 0; c < COSTS; c++) {
        double means[COST_NUMBERS];
        cost_found all;
        char name[32];

        for (size_t i = 0; i < COST_NUMBERS; i++)
            means[i] = gr_mean_of((const double *)&found[c] + i, samples, COSTS * COST_NUMBERS);
        memcpy(&all, means, sizeof all);
        snprintf(name, sizeof name, "c_13 = %g", far_cost(c));
        gr_figure *figure = gr_results_figure(run->results, name, "c_13 = 1", name);

        gr_cloud_draw(figure, "scores", &all.scores);
        gr_figure_add(figure, "theory, from the probabilities of PROPODDS", true, all.theory.x,
                      all.theory.y, GR_GROUPS);
    }
}

static gr_found over_samples(const double *first, size_t samples)
{
    return (gr_found){ .ours = gr_mean_of(first, samples, COSTS * COST_NUMBERS),
                       .error = gr_deviation_of(first, samples, COSTS * COST_NUMBERS) /
                                sqrt((double)samples) };
}

/* The number of samples in which each increase of the cost widens the scores, and whether the means
 * widen. */
static void claim_widths(const gr_run *run, const cost_found *found, size_t samples)
{
    double before = 1.0, least = 1.0;
    size_t wider[COSTS] = { 0 };
    bool always = true;

    for (size_t c = 0; c < COSTS; c++) {
        const double width = over_samples(&found[c].width, samples).ours;

        for (size_t s = 0; s < samples; s++) {
            const cost_found *own = found + s * COSTS;

            wider[c] += own[c].width > (c > 0 ? own[c - 1].width : 1.0);
        }
        always = always && width > before;
        before = width;
        least = fmin(least, over_samples(&found[c].correlation, samples).ours);
    }
    gr_results_claim(run->results, always,
                     "the higher the cost of far pairs, the wider the range of scores",
                     "mean widths increase at every step: %s; wider than at the step before in "
                     "%zu, %zu, %zu and %zu of %zu samples",
                     always ? "yes" : "no", wider[0], wider[1], wider[2], wider[3], samples);
    gr_results_claim(run->results, least > 0.9,
                     "scores of different costs have a strongly positive linear relation, with "
                     "little change in the rankings",
                     "correlations with c_13 = 1 of at least %.3f", least);
}

static void show_costs(const gr_run *run, const cost_found *found, size_t samples)
{
    gr_table *table = gr_results_table(run->results,
                                       "pairwise scores with costs c_13 against those with c_13 "
                                       "= 1; width: standard deviation, relative to c_13 = 1",
                                       GR_WANT_NEAR, NULL, 3);

    for (size_t c = 0; c < COSTS; c++) {
        char row[32];

        snprintf(row, sizeof row, "c_13 = %g", far_cost(c));
        gr_table_put(table, row, "correlation", over_samples(&found[c].correlation, samples));
        gr_table_put(table, row, "width", over_samples(&found[c].width, samples));
        gr_table_put(table, row, "width in theory", over_samples(&found[c].theory_width, samples));
    }
    gr_results_note(run->results,
                    "Means over %zu samples, with their standard errors; figures: means of 40 "
                    "groups of rows, over all samples. Theory is log((p_2 + c_13 p_3) / (c_13 "
                    "p_1 + p_2)) / 2 of the probabilities that PROPODDS estimates from the same "
                    "sample.",
                    samples);
}

static gradus_status run_figure4(gr_run *run, gradus_error *err)
{
    gradus_dataset *ratings = gr_multipartite_ratings(run, err);
    const size_t samples = gr_scaled(run, gr_paper_count(TABLE, "samples", 0), 2);
    cost_study study = { run, ratings };
    const gr_number_jobs jobs = { run,         &study,    samples, COSTS * COST_NUMBERS,
                                  name_sample, run_sample };
    double *numbers = NULL;

    if (!ratings)
        return err->status;
    const gradus_status status = gr_number_jobs_run(&jobs, &numbers, err);

    gradus_dataset_free(ratings);
    if (status == GRADUS_OK) {
        const cost_found *found = (const cost_found *)(const void *)numbers;

        show_costs(run, found, samples);
        draw_costs(run, found, samples);
        claim_widths(run, found, samples);
    }
    free(numbers);
    return status;
}

const gr_experiment gr_experiment_multipartite_figure4 =
    GR_MOVIELENS("multipartite-figure4", "pairwise scores by the cost of far pairs, MovieLens",
                 "3 min", run_figure4);
