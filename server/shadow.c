/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what another model would change. */
#include "shadow.h"

#include "rank_documents.h"

#include <stdlib.h>

static void count_difference(shadow_statistics *counts, const ranked *main, const ranked *other,
                             uint32_t *place, size_t rows)
{
    uint64_t moved = 0, sum = 0;

    for (size_t i = 0; i < rows; i++)
        place[main[i].row] = (uint32_t)i;
    for (size_t i = 0; i < rows; i++) {
        const size_t before = place[other[i].row];

        moved += before != i;
        sum += before > i ? before - i : i - before;
    }
    atomic_fetch_add(&counts->rows, rows);
    atomic_fetch_add(&counts->moved, moved);
    atomic_fetch_add(&counts->rank_differences, sum);
    atomic_fetch_add(&counts->first_changed, main[0].row != other[0].row);
}

void shadow_score(request *r)
{
    served *other = shadow_of(r->server);
    shadow_statistics *counts = &counters_of(r->server)->shadow;
    const size_t features = r->model->info.features;
    gr_array order = { 0 };
    double *scores;
    uint32_t *place;

    if (!other || other == r->model)
        return;
    scores = malloc((r->rows + 1) * sizeof *scores);
    place = malloc((r->rows + 1) * sizeof *place);
    if (scores && place && other->info.features <= features &&
        gradus_model_score_rows(other->model, r->values.at, r->rows, features, features, scores,
                                NULL, NULL) == GRADUS_OK &&
        rank_scores(r, scores, r->rows, &order) == GRADUS_OK)
        count_difference(counts, r->order.at, order.at, place, r->rows);
    else
        atomic_fetch_add(&counts->failures, 1);
    atomic_fetch_add(&counts->requests, 1);
    gr_array_free(&order);
    free(place);
    free(scores);
}
