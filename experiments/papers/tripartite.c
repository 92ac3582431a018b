/* SPDX-License-Identifier: Apache-2.0 */
/* Samples and scores of MovieLens with three grades (see tripartite.h). */
#include "experiments/papers/tripartite.h"

#include "experiments/papers/movielens.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_DRAW = 1000 }; /* earlier replicates belong to the five-grade experiments */

static const float three_grades[GR_RATINGS] = { 1, 1, 1, 2, 3 };

gradus_status gr_tripartite_draw(const gr_run *run, const gradus_dataset *ratings, size_t sample,
                                 gradus_context *context, gr_tripartite *t, gradus_error *err)
{
    size_t counts[2][GR_RATINGS];

    *t = (gr_tripartite){ .context = context };
    for (size_t p = 0; p < 2; p++)
        for (size_t k = 0; k < GR_RATINGS; k++)
            counts[p][k] = gr_scaled(run, gr_paper_count(GR_THREE, "rows", k), 10);
    GR_TRY(gr_movielens_draw(ratings, counts[0], 2, three_grades, run->seed, FIRST_DRAW + sample,
                             t->parts, err));
    t->rows = gradus_dataset_rows(t->parts[0]);
    return GRADUS_OK;
}

void gr_tripartite_end(gr_tripartite *t)
{
    gradus_dataset_free(t->parts[0]);
    gradus_dataset_free(t->parts[1]);
}

gradus_status gr_tripartite_fit(const gr_tripartite *t, const char *words, bool shift,
                                double *scores, double cuts[2], gradus_error *err)
{
    gradus_model *model = gr_multipartite_train(t->context, words, t->parts[0], t->parts[1], err);
    double last;

    if (!model)
        return err->status;
    const gradus_status status = gradus_model_score(t->context, model, t->parts[0], scores, err);

    gr_multipartite_cuts(model, cuts, &last);
    gradus_model_free(model);
    for (size_t r = 0; shift && r < t->rows; r++)
        scores[r] -= last;
    for (size_t j = 0; !shift && j < 2; j++)
        cuts[j] += last;
    return status;
}

gradus_status gr_tripartite_pairs(const gr_tripartite *t, double c13, double *scores,
                                  gradus_error *err)
{
    char words[512];
    double none[2];

    snprintf(words, sizeof words, "%s cost=power:%.12g", gr_paper_words(GR_THREE, "PAIRRANK"),
             log2(c13));
    return gr_tripartite_fit(t, words, true, scores, none, err);
}

typedef struct dot {
    double x, y;
} dot;

static int by_x(const void *a, const void *b)
{
    const dot *first = a, *second = b;

    return (first->x > second->x) - (first->x < second->x);
}

gradus_status gr_cloud_of(const double *x, const double *y, size_t rows, gr_cloud *made,
                          gradus_error *err)
{
    dot *dots = gr_new_array(rows, sizeof *dots);

    if (!dots)
        return gr_fail_memory(err, "a figure");
    for (size_t r = 0; r < rows; r++)
        dots[r] = (dot){ x[r], y[r] };
    qsort(dots, rows, sizeof *dots, by_x);
    for (size_t g = 0; g < GR_GROUPS; g++) {
        const size_t from = g * rows / GR_GROUPS, count = (g + 1) * rows / GR_GROUPS - from;

        made->x[g] = gr_mean_of(&dots[from].x, count, 2);
        made->y[g] = gr_mean_of(&dots[from].y, count, 2);
        made->off[g] = gr_deviation_of(&dots[from].y, count, 2);
    }
    free(dots);
    return GRADUS_OK;
}

void gr_cloud_draw(gr_figure *figure, const char *name, const gr_cloud *dots)
{
    static const char *const endings[] = { "", ", minus one deviation", ", plus one deviation" };

    for (size_t i = 0; i < 3; i++) {
        const double side = i == 0 ? 0.0 : i == 1 ? -1.0 : 1.0;
        double y[GR_GROUPS];
        char words[96];

        for (size_t g = 0; g < GR_GROUPS; g++)
            y[g] = dots->y[g] + side * dots->off[g];
        snprintf(words, sizeof words, "%s%s", name, endings[i]);
        gr_figure_add(figure, words, false, dots->x, y, GR_GROUPS);
    }
}
