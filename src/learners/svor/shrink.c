/* SPDX-License-Identifier: Apache-2.0 */
/* Shrinking: rows whose variables are at their bounds and whose optimality conditions hold with a
 * margin leave the working set until the others are solved. */
#include "learners/svor/smo.h"

#include "kernels/gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether a variable constrains no threshold: its v is beyond every bound that it could violate. */
static bool is_settled(const gr_smo *s, size_t r, size_t slot, const double *most_low,
                       const double *least_high)
{
    const size_t level = s->levels[r], cut = gr_svor_cut(s->task, level, slot);
    const double a = s->a[r * s->slots + slot];
    const bool above = gr_svor_is_above(s->task, level, slot);
    const bool inside = a > 0.0, more = a < s->prices[r];
    const double v = above ? s->f[r] - 1.0 : s->f[r] + 1.0;
    const bool rises = above ? more : inside, falls = above ? inside : more;

    if (cut == SIZE_MAX)
        return true;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): set by reach() */
    return !(rises && !(v > most_low[cut])) && !(falls && !(v < least_high[cut]));
}

/* For each threshold, the largest `low` and the smallest `high` among the thresholds that constrain
 * it. */
static void reach(const gr_smo *s, double *most_low, double *least_high)
{
    const bool ordered = s->task->loss == GR_SVOR_EXC;

    for (size_t cut = 0; cut < s->task->cuts; cut++) {
        const size_t first = ordered ? gr_smo_first_tied(s, cut) : cut;
        const size_t last = ordered ? gr_smo_last_tied(s, cut) : cut;

        most_low[cut] = -INFINITY;
        least_high[cut] = INFINITY;
        for (size_t other = ordered ? 0 : cut; other <= last; other++)
            most_low[cut] = fmax(most_low[cut], s->bounds.low[other]);
        for (size_t other = first; other < (ordered ? s->task->cuts : cut + 1); other++)
            least_high[cut] = fmin(least_high[cut], s->bounds.high[other]);
    }
}

/* Copies the state of the active rows back to the all_* arrays. */
static void put_back(gr_smo *s)
{
    for (size_t r = 0; r < s->active; r++) {
        s->all_f[s->numbers[r]] = s->f[r];
        memcpy(s->all_a + s->numbers[r] * s->slots, s->a + r * s->slots, s->slots * sizeof *s->a);
    }
}

static void keep(gr_smo *s, const uint32_t *kept, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t r = kept[i];

        s->numbers[i] = s->numbers[r];
        s->levels[i] = s->levels[r];
        s->prices[i] = s->prices[r];
        s->f[i] = s->f[r];
        s->diagonal[i] = s->diagonal[r];
        memmove(s->a + i * s->slots, s->a + r * s->slots, s->slots * sizeof *s->a);
    }
    s->active = count;
}

gradus_status gr_smo_shrink(gr_smo *s, gradus_error *err)
{
    double most_low[GR_MAX_LEVELS], least_high[GR_MAX_LEVELS];
    uint32_t *kept = gr_new_array(s->active, sizeof *kept);
    gr_kernel_rows few;
    size_t count = 0;
    gradus_status status;

    if (!kept)
        return gr_fail_memory(err, "a support vector machine");
    reach(s, most_low, least_high);
    for (size_t r = 0; r < s->active; r++) {
        bool settled = true;

        for (size_t slot = 0; settled && slot < s->slots; slot++)
            settled = is_settled(s, r, slot, most_low, least_high);
        if (!settled)
            kept[count++] = (uint32_t)r;
    }
    if (count < 2 || count > s->active - s->active / 5) { /* too few to pay for the copy */
        free(kept);
        return GRADUS_OK;
    }
    status = gr_kernel_rows_pick(s->cache.rows, kept, count, &few, err);
    if (status == GRADUS_OK) {
        put_back(s);
        keep(s, kept, count);
        gr_row_cache_keep(&s->cache, kept, &few);
        gr_kernel_rows_free(&s->few_rows);
        s->few_rows = few;
        s->cache.rows = &s->few_rows;
    }
    free(kept);
    return status;
}

typedef struct renewing {
    gr_smo *smo;
    const gr_kernel_rows *support;
    const double *betas;     /* [support row] */
    const uint32_t *numbers; /* rows to recompute */
    double *left;            /* [threads x features] */
    double *made;            /* [threads x GR_CACHE_BLOCK] */
} renewing;

static void renew_row(void *argument, size_t index, size_t worker)
{
    const renewing *w = argument;
    const gr_kernel_rows *all = w->smo->all_rows;
    const size_t r = w->numbers[index];
    double *left = w->left + worker * all->features, *made = w->made + worker * GR_CACHE_BLOCK;
    double sum = 0.0;

    gr_kernel_row_fill(all, r, left);
    for (size_t from = 0; from < w->support->rows; from += GR_CACHE_BLOCK) {
        const size_t rest = w->support->rows - from;
        const size_t count = rest < GR_CACHE_BLOCK ? rest : GR_CACHE_BLOCK;

        gr_kernel_one(w->smo->kernel, w->support, left, all->squares[r], from, from + count, made);
        for (size_t i = 0; i < count; i++)
            made[i] = (double)(float)made[i]; /* rounded as in the cache */
        sum += gr_gram_here()->dot(w->betas + from, made, count);
    }
    w->smo->all_f[r] = sum;
}

/* Recomputes f of the inactive rows from the support rows. support, betas, numbers: scratch, [rows]
 * each. */
static gradus_status renew(gr_smo *s, uint32_t *support, double *betas, uint32_t *numbers,
                           gradus_error *err)
{
    const size_t threads = gr_pool_threads(gr_pool_of(s->task->context));
    size_t count = 0, old = 0;
    gr_kernel_rows rows;
    renewing work = { .smo = s, .support = &rows, .betas = betas, .numbers = numbers };

    for (size_t r = 0, next = 0; r < s->task->rows; r++) {
        const double beta = gr_smo_beta(s, s->all_a + r * s->slots, s->task->level_of[r]);

        if (beta != 0.0) {
            support[count] = (uint32_t)r;
            betas[count++] = beta;
        }
        if (next < s->active && s->numbers[next] == r)
            next++;
        else
            numbers[old++] = (uint32_t)r;
    }
    GR_TRY(gr_kernel_rows_pick(s->all_rows, support, count, &rows, err));
    work.left = gr_new_array(threads * rows.features, sizeof *work.left);
    work.made = gr_new_array(threads * GR_CACHE_BLOCK, sizeof *work.made);
    const gradus_status status =
        work.left && work.made
            ? gr_pool_try(gr_pool_of(s->task->context), old, renew_row, &work, err)
            : gr_fail_memory(err, "a support vector machine");

    free(work.left);
    free(work.made);
    gr_kernel_rows_free(&rows);
    return status;
}

gradus_status gr_smo_unshrink(gr_smo *s, gradus_error *err)
{
    const size_t rows = s->task->rows;
    uint32_t *support = gr_new_array(2 * rows, sizeof *support);
    double *betas = gr_new_array(rows, sizeof *betas);
    gradus_status status;

    put_back(s);
    status = support && betas ? renew(s, support, betas, support + rows, err)
                              : gr_fail_memory(err, "a support vector machine");
    free(support);
    free(betas);
    GR_TRY(status);
    s->active = rows;
    for (size_t r = 0; r < rows; r++) {
        s->numbers[r] = (uint32_t)r;
        s->levels[r] = s->task->level_of[r];
        s->prices[r] = s->task->prices[r];
        s->f[r] = s->all_f[r];
        s->diagonal[r] = s->all_diagonal[r];
        memcpy(s->a + r * s->slots, s->all_a + r * s->slots, s->slots * sizeof *s->a);
    }
    gr_row_cache_reset(&s->cache, s->all_rows);
    gr_kernel_rows_free(&s->few_rows);
    return GRADUS_OK;
}
