/* SPDX-License-Identifier: Apache-2.0 */
/* Explains rows in chunks: the rows of a chunk, and of their queries where these are needed, are
 * made dense and evaluated; then each row is explained by one thread. */
#include "explain/explain.h"

#include "base/bisect.h"
#include "base/ranges.h"
#include "base/rng.h"
#include "model/forest_node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVALUATED = 64, MAX_BYTES = 1 << 26, MAX_CHUNK = 4096 };
#define TOLERANCE 1e-9

/* The memory of a thread. */
typedef struct thread_memory {
    gr_against **against; /* per part */
    gr_sampler *sampler;
    double *sums;    /* of one node: outputs x features, or of gr_shap_run */
    void *scratch;   /* of gr_shap_run or gr_explain_run */
    double *outputs; /* of gr_explain_run */
    size_t *which;   /* references */
    size_t which_room;
    const float **rows; /* per node */
    bool failed;        /* out of memory */
} thread_memory;

/* A chunk: consecutive rows of the explanation. */
typedef struct chunk {
    gr_explain_plan *plan;
    gr_arena arena; /* of the whole run */
    size_t first, end;
    gr_segment *segments;
    size_t segment_count, capacity; /* maximum rows, unless one query has more */
    size_t *local;                  /* per explained row of the chunk: its number in rows */
    size_t *query;                  /* the number in rows of the first row of its query */
    size_t *query_size;
    size_t *reference; /* against one row: its number in rows */
    gr_explain_rows rows;
    double *values; /* [target][row of rows] */
    thread_memory *threads;
    bool whole;
} chunk;

static bool reserve_thread(const chunk *c, thread_memory *m, gr_arena *arena)
{
    const gr_explain_plan *plan = c->plan;
    const gradus_model *model = plan->model;
    const gr_sample_plan sampling = { .model = model,
                                      .features = plan->used,
                                      .used = plan->to->used,
                                      .targets = plan->targets,
                                      .target_count = plan->to->targets,
                                      .pairs = plan->options.orders,
                                      .seed = plan->options.seed };
    size_t sums = 1, scratch = gr_explain_scratch(model, EVALUATED);
    bool made = true;

    m->against = gr_arena_array(arena, plan->part_count, sizeof *m->against);
    if (!m->against)
        return false;
    for (size_t i = 0; i < plan->part_count; i++) {
        const gr_explain_part *part = &plan->parts[i];
        const gr_node *node = &model->nodes[part->node];
        size_t needs = gr_node_features(model, node) * node->kind->columns(node->state);

        if (part->shap) {
            gr_shap_features(part->shap, &needs);
            needs *= GR_SHAP_ROWS * node->kind->columns(node->state);
            scratch = gr_shap_scratch(part->shap) > scratch ? gr_shap_scratch(part->shap) : scratch;
        } else if (node->kind == &gr_node_forest) {
            made = made && (m->against[i] = gr_against_new(node->state, NULL)) != NULL;
        }
        sums = needs > sums ? needs : sums;
    }
    m->sums = gr_arena_array(arena, sums, sizeof *m->sums);
    m->rows = gr_arena_array(arena, model->node_count, sizeof *m->rows);
    m->outputs = gr_arena_array(arena, plan->columns * EVALUATED, sizeof *m->outputs);
    m->scratch = aligned_alloc(64, (scratch + 64) / 64 * 64);
    if (!plan->to->exact)
        made = made && (m->sampler = gr_sampler_new(&sampling, NULL)) != NULL;
    return made && m->scratch && !arena->failed;
}

static void free_thread(const chunk *c, thread_memory *m)
{
    for (size_t i = 0; m->against && i < c->plan->part_count; i++)
        gr_against_free(m->against[i]);
    gr_sampler_free(m->sampler);
    free(m->scratch);
    free(m->which);
}

/* The values of the targets for a range of a chunk's rows. */
static void evaluate_range(void *argument, gr_range range)
{
    chunk *c = argument;
    const gradus_model *model = c->plan->model;
    thread_memory *m = &c->threads[range.worker];
    const size_t count = range.end - range.first;

    for (size_t n = 0; n < model->node_count; n++)
        m->rows[n] = gr_explain_row(&c->rows, n, range.first);
    gr_explain_run(model, m->rows, count, m->outputs, m->scratch);
    for (size_t t = 0; t < c->plan->to->targets; t++)
        for (size_t r = 0; r < count; r++)
            c->values[t * c->rows.rows + range.first + r] =
                gr_explain_value(model, &c->plan->targets[t], m->outputs + r, count);
}

/* Fills in the rows of the chunk's segments, and their values. */
static gradus_status fill_rows(chunk *c, gradus_error *err)
{
    const gr_explain_plan *plan = c->plan;

    gr_explain_rows_free(&c->rows);
    free(c->values);
    c->values = NULL;
    GR_TRY(gr_explain_rows_fill(&c->rows, plan->model, &plan->data->arrays, c->segments,
                                c->segment_count, err));
    c->values = gr_new_array(plan->to->targets * c->rows.rows, sizeof *c->values);
    if (!c->values)
        return gr_fail_memory(err, "explanations");
    return gr_try_ranges(gr_pool_of(plan->context), c->rows.rows, EVALUATED, evaluate_range, c,
                         err);
}

/* Adds what a node contributes to output k, per feature of the node, to the targets. */
static void scatter(const gr_explain_plan *plan, const gr_explain_part *part, size_t column,
                    const double *sums, const uint32_t *features, size_t count, double *to)
{
    for (size_t t = 0; t < plan->to->targets; t++) {
        const double weight = plan->weights[t * plan->columns + column];
        double *own = to + t * plan->to->used;

        if (weight == 0.0)
            continue;
        for (size_t i = 0; i < count; i++) {
            const size_t feature = features ? features[i] : i;

            if (sums[i] != 0.0)
                own[part->slots[feature]] += weight * sums[i];
        }
    }
}

static double *contributions_of(const gr_explain_plan *plan, size_t index)
{
    return plan->to->contributions + index * plan->to->targets * plan->to->used;
}

static void explain_separable(const chunk *c, thread_memory *m, const gr_explain_part *part,
                              size_t index, const size_t *which, size_t count)
{
    const gr_explain_plan *plan = c->plan;
    const gr_node *node = &plan->model->nodes[part->node];
    const size_t features = gr_node_features(plan->model, node);

    for (size_t k = 0; k < node->kind->columns(node->state); k++) {
        memset(m->sums, 0, features * sizeof *m->sums);
        gr_separable_add(node, k, gr_explain_row(&c->rows, part->node, c->local[index - c->first]),
                         1.0, m->sums);
        for (size_t r = 0; r < count; r++)
            gr_separable_add(node, k, gr_explain_row(&c->rows, part->node, which[r]),
                             -1.0 / (double)count, m->sums);
        scatter(plan, part, node->column + k, m->sums, NULL, features,
                contributions_of(plan, index));
    }
}

/* Exact, against the training mean: rows [first, end) of the explanation, at most GR_SHAP_ROWS. */
static void explain_mean(const chunk *c, thread_memory *m, size_t first, size_t end)
{
    const gr_explain_plan *plan = c->plan;

    for (size_t p = 0; p < plan->part_count; p++) {
        const gr_explain_part *part = &plan->parts[p];
        const gr_node *node = &plan->model->nodes[part->node];
        const size_t outputs = node->kind->columns(node->state);
        const size_t stride = gr_node_features(plan->model, node);
        const uint32_t *features;
        size_t count, run;

        if (!part->shap) {
            for (size_t i = first; i < end; i++)
                explain_separable(c, m, part, i, NULL, 0);
            continue;
        }
        features = gr_shap_features(part->shap, &count);
        for (size_t i = first; i < end; i += run) {
            const size_t local = c->local[i - c->first];

            run = 1; /* rows that follow each other are processed together */
            while (i + run < end && c->local[i + run - c->first] == local + run)
                run++;
            gr_shap_run(part->shap, gr_explain_row(&c->rows, part->node, local), run, stride,
                        m->sums, m->scratch);
            for (size_t r = 0; r < run; r++)
                for (size_t k = 0; k < outputs; k++)
                    scatter(plan, part, node->column + k, m->sums + (r * outputs + k) * count,
                            features, count, contributions_of(plan, i + r));
        }
    }
}

/* Exact, against the mean of reference rows. */
static void explain_against(const chunk *c, thread_memory *m, size_t index, const size_t *which,
                            size_t count)
{
    const gr_explain_plan *plan = c->plan;
    const size_t local = c->local[index - c->first];

    for (size_t p = 0; p < plan->part_count; p++) {
        const gr_explain_part *part = &plan->parts[p];
        const gr_node *node = &plan->model->nodes[part->node];
        const size_t features = gr_node_features(plan->model, node);
        const size_t outputs = node->kind->columns(node->state);

        if (!m->against[p]) {
            explain_separable(c, m, part, index, which, count);
            continue;
        }
        memset(m->sums, 0, outputs * features * sizeof *m->sums);
        for (size_t r = 0; r < count; r++)
            gr_against_add(m->against[p], node->state, gr_explain_row(&c->rows, part->node, local),
                           gr_explain_row(&c->rows, part->node, which[r]), 1.0 / (double)count,
                           m->sums, features);
        for (size_t k = 0; k < outputs; k++)
            scatter(plan, part, node->column + k, m->sums + k * features, NULL, features,
                    contributions_of(plan, index));
    }
}

static bool reserve_which(thread_memory *m, size_t count)
{
    if (count > m->which_room) {
        free(m->which);
        m->which = gr_new_array(count, sizeof *m->which);
        m->which_room = m->which ? count : 0;
    }
    return m->which != NULL;
}

/* Lists the reference rows of a row; their number, 0 if memory is exhausted. */
static size_t list_references(const chunk *c, thread_memory *m, size_t index)
{
    const size_t i = index - c->first;
    const size_t needs = c->plan->to->against == GR_AGAINST_ROW ? 1 : c->query_size[i];
    size_t count = 0;

    if (!reserve_which(m, needs))
        return 0;
    if (c->plan->to->against == GR_AGAINST_ROW)
        m->which[count++] = c->reference[i];
    for (size_t r = 0; c->plan->to->against == GR_AGAINST_QUERY && r < needs; r++)
        if (c->query[i] + r != c->local[i])
            m->which[count++] = c->query[i] + r;
    return count;
}

/* Feature values, and those of the references. */
static void keep_values(const chunk *c, const thread_memory *m, size_t index, size_t references)
{
    const gr_explain_plan *plan = c->plan;
    const size_t used = plan->to->used, features = plan->model->features;
    const float *row = c->rows.raw + c->local[index - c->first] * features;

    for (size_t i = 0; i < used; i++) {
        const size_t f = plan->used[i];
        double sum = 0.0;
        size_t count = 0;

        plan->to->inputs[index * used + i] = row[f];
        if (!plan->to->references)
            continue;
        for (size_t r = 0; r < references; r++) {
            const float value = c->rows.raw[m->which[r] * features + f];

            if (!isnan(value)) {
                sum += (double)value;
                count++;
            }
        }
        plan->to->references[index * used + i] = count ? (float)(sum / (double)count) : NAN;
    }
}

static void keep_targets(const chunk *c, const thread_memory *m, size_t index, size_t references)
{
    const gr_explain_plan *plan = c->plan;
    const size_t targets = plan->to->targets;

    for (size_t t = 0; t < targets; t++) {
        const double *values = c->values + t * c->rows.rows;
        double base = 0.0;

        plan->to->values[index * targets + t] = values[c->local[index - c->first]];
        for (size_t r = 0; r < references; r++)
            base += values[m->which[r]] / (double)references;
        if (plan->to->against == GR_AGAINST_MEAN)
            base = plan->to->exact ? plan->means[t] : plan->background_values[t];
        plan->to->bases[index * targets + t] = base;
    }
}

static void explain_row(chunk *c, thread_memory *m, size_t index)
{
    const gr_explain_plan *plan = c->plan;
    const bool mean = plan->to->against == GR_AGAINST_MEAN;
    size_t count = mean ? 0 : list_references(c, m, index);

    if (!mean && count == 0) {
        m->failed = true;
        return;
    }
    keep_values(c, m, index, count);
    keep_targets(c, m, index, count);
    if (plan->to->exact) {
        if (!mean)
            explain_against(c, m, index, m->which, count);
        return;
    }
    const gr_explain_rows *from = mean ? &plan->background : &c->rows;

    if (mean) { /* all background rows */
        count = plan->background.rows;
        if (!reserve_which(m, count)) {
            m->failed = true;
            return;
        }
        for (size_t r = 0; r < count; r++)
            m->which[r] = r;
    }
    gr_sampler_run(m->sampler, &c->rows, c->local[index - c->first], from, m->which, count,
                   plan->to->row[index], contributions_of(plan, index),
                   plan->to->errors + index * plan->to->targets * plan->to->used);
}

static void explain_range(void *argument, gr_range range)
{
    chunk *c = argument;
    thread_memory *m = &c->threads[range.worker];

    for (size_t i = c->first + range.first; i < c->first + range.end; i++)
        explain_row(c, m, i);
    if (c->plan->to->exact && c->plan->to->against == GR_AGAINST_MEAN)
        explain_mean(c, m, c->first + range.first, c->first + range.end);
}

/* The contributions must add up. */
static gradus_status check_sums(const gr_explain_plan *plan, size_t index, gradus_error *err)
{
    const gradus_explanation *to = plan->to;

    for (size_t t = 0; t < to->targets; t++) {
        const double *own = contributions_of(plan, index) + t * to->used;
        const double value = to->values[index * to->targets + t];
        const double base = to->bases[index * to->targets + t];
        double sum = base, size = fmax(1.0, fmax(fabs(value), fabs(base)));

        for (size_t i = 0; i < to->used; i++) {
            sum += own[i];
            size += fabs(own[i]);
        }
        if (!(fabs(sum - value) <= TOLERANCE * size)) {
            char found[GRADUS_NUMBER_SIZE], wanted[GRADUS_NUMBER_SIZE];

            gradus_number_format(sum, found);
            gradus_number_format(value, wanted);
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "row %zu: the contributions to its %s add up to %s instead of %s",
                           to->row[index] + 1, to->names[t], found, wanted);
        }
    }
    return GRADUS_OK;
}

static gradus_status add_segment(chunk *c, size_t index, size_t *rows, gradus_error *err)
{
    const gr_explain_plan *plan = c->plan;
    const gradus_arrays *a = &plan->data->arrays;
    const size_t row = plan->to->row[index], i = index - c->first;
    const size_t q = gr_interval_of(a->query_starts, a->queries, row);
    const size_t first = c->whole ? (size_t)a->query_starts[q] : row;
    const size_t count = c->whole ? (size_t)a->query_starts[q + 1] - first : 1;
    const gr_segment *last = c->segment_count ? &c->segments[c->segment_count - 1] : NULL;
    const bool next = !c->whole || !last || last->first != first;

    if (next) {
        c->segments[c->segment_count++] = (gr_segment){ first, count };
        *rows += count;
    }
    c->query[i] = *rows - count;
    c->query_size[i] = count;
    c->local[i] = *rows - count + (row - first);
    if (plan->to->against == GR_AGAINST_QUERY && count < 2)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "query '%.100s' has no other document to compare with",
                       gr_name_at(&plan->data->query_names, q));
    if (plan->to->against == GR_AGAINST_ROW) {
        size_t *reference = &plan->to->reference_row[index];

        /* The search is linear: once per query, not per row. */
        if (next)
            GR_TRY(gr_find_document(plan->data, q, plan->options.against, reference, err));
        else
            *reference = reference[-1];
        c->reference[i] = *rows - count + (*reference - first);
    }
    return GRADUS_OK;
}

/* Takes rows from c->first on until the chunk is full. */
static gradus_status fill_chunk(chunk *c, gradus_error *err)
{
    size_t rows = 0;

    c->segment_count = 0;
    c->end = c->first;
    while (c->end < c->plan->to->rows && c->end - c->first < MAX_CHUNK && rows < c->capacity) {
        GR_TRY(add_segment(c, c->end, &rows, err));
        c->end++;
    }
    return fill_rows(c, err);
}

static gradus_status reserve_chunk(chunk *c, gradus_error *err)
{
    const gr_explain_plan *plan = c->plan;
    const size_t threads = gr_pool_threads(gr_pool_of(plan->context));
    bool made = true;

    c->whole = plan->to->against != GR_AGAINST_MEAN || gr_explain_needs_queries(plan->model);
    c->capacity = MAX_BYTES / (plan->model->features * sizeof(float)) + 1;
    c->segments = gr_arena_array(&c->arena, MAX_CHUNK, sizeof *c->segments);
    c->local = gr_arena_array(&c->arena, MAX_CHUNK, sizeof *c->local);
    c->query = gr_arena_array(&c->arena, MAX_CHUNK, sizeof *c->query);
    c->query_size = gr_arena_array(&c->arena, MAX_CHUNK, sizeof *c->query_size);
    c->reference = gr_arena_array(&c->arena, MAX_CHUNK, sizeof *c->reference);
    c->threads = gr_arena_array(&c->arena, threads, sizeof *c->threads);
    for (size_t i = 0; !c->arena.failed && made && i < threads; i++)
        made = reserve_thread(c, &c->threads[i], &c->arena);
    return c->arena.failed || !made ? gr_fail_memory(err, "explanations") : GRADUS_OK;
}

static void chunk_free(chunk *c)
{
    const size_t threads = gr_pool_threads(gr_pool_of(c->plan->context));

    for (size_t i = 0; c->threads && i < threads; i++)
        free_thread(c, &c->threads[i]);
    gr_explain_rows_free(&c->rows);
    free(c->values);
    gr_arena_free(&c->arena);
}

static gradus_status run_chunks(chunk *c, gradus_error *err)
{
    const gr_explain_plan *plan = c->plan;
    const bool mean = plan->to->exact && plan->to->against == GR_AGAINST_MEAN;

    GR_TRY(reserve_chunk(c, err));
    for (c->first = 0; c->first < plan->to->rows; c->first = c->end) {
        GR_TRY(fill_chunk(c, err));
        GR_TRY(gr_try_ranges(gr_pool_of(plan->context), c->end - c->first, mean ? GR_SHAP_ROWS : 1,
                             explain_range, c, err));
        for (size_t i = 0; i < gr_pool_threads(gr_pool_of(plan->context)); i++)
            if (c->threads[i].failed)
                return gr_fail_memory(err, "explanations");
        for (size_t i = c->first; i < c->end; i++)
            GR_TRY(check_sums(plan, i, err));
        GR_TRY(
            gr_progress(plan->context, "explaining", (double)c->end / (double)plan->to->rows, err));
    }
    return GRADUS_OK;
}

gradus_status gr_explain_rows_all(gr_explain_plan *plan, gradus_error *err)
{
    chunk c = { .plan = plan };
    const gradus_status status = run_chunks(&c, err);

    chunk_free(&c);
    return status;
}

/* Draws rows without replacement, ascending. */
static void draw_rows(size_t rows, size_t count, uint64_t seed, size_t *drawn)
{
    gr_rng rng = gr_rng_for(seed, "background", 0);
    size_t found = 0;

    for (size_t r = 0; r < rows && found < count; r++)
        if (gr_rng_below(&rng, rows - r) < count - found)
            drawn[found++] = r;
}

/* Adds a drawn row to the background, through the chunk's rows. */
static gradus_status add_background(chunk *c, const size_t *drawn, size_t count, gradus_error *err)
{
    gr_explain_plan *plan = c->plan;
    const gradus_arrays *a = &plan->data->arrays;
    size_t *which = gr_arena_array(&c->arena, count, sizeof *which);
    size_t rows = 0;

    if (!which)
        return gr_fail_memory(err, "explanations");
    c->segments = gr_arena_array(&c->arena, count, sizeof *c->segments);
    if (!c->segments)
        return gr_fail_memory(err, "explanations");
    for (size_t i = 0; i < count; i++) {
        const size_t q = gr_interval_of(a->query_starts, a->queries, drawn[i]);
        const size_t first = c->whole ? (size_t)a->query_starts[q] : drawn[i];
        const size_t size = c->whole ? (size_t)a->query_starts[q + 1] - first : 1;

        if (!c->segment_count || c->segments[c->segment_count - 1].first != first) {
            c->segments[c->segment_count++] = (gr_segment){ first, size };
            rows += size;
        }
        which[i] = rows - size + (drawn[i] - first);
    }
    GR_TRY(fill_rows(c, err));
    for (size_t t = 0; t < plan->to->targets; t++)
        for (size_t i = 0; i < count; i++)
            plan->background_values[t] += c->values[t * c->rows.rows + which[i]] / (double)count;
    return gr_explain_rows_pick(&plan->background, &c->rows, which, count, err);
}

gradus_status gr_explain_background(gr_explain_plan *plan, gradus_error *err)
{
    const size_t rows = plan->data->arrays.rows;
    const size_t count = plan->options.background < rows ? (size_t)plan->options.background : rows;
    size_t *drawn = gr_arena_array(&plan->to->arena, count, sizeof *drawn);
    chunk c = { .plan = plan };
    gradus_status status;

    plan->background_values =
        gr_arena_array(&plan->to->arena, plan->to->targets, sizeof *plan->background_values);
    if (!drawn || !plan->background_values)
        return gr_fail_memory(err, "explanations");
    draw_rows(rows, count, plan->options.seed, drawn);
    status = reserve_chunk(&c, err);
    if (status == GRADUS_OK)
        status = add_background(&c, drawn, count, err);
    chunk_free(&c);
    return status;
}
