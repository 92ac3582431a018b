/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the data of the playground and evaluates rankings on it. */
#include "playground_data.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEPT = 64 };

/* The values of a ranking, as JSON. */
typedef struct kept_values {
    char *key, *json;
} kept_values;

struct playground_data {
    char *path;
    gradus_dataset *data;
    gradus_arrays arrays;
    gradus_options *evaluate;
    char metrics[128];
    float max_label;
    pthread_mutex_t lock; /* of the kept values */
    kept_values kept[MAX_KEPT];
    size_t kept_count, oldest; /* when all are in use, the oldest is replaced */
};

const char *playground_data_metrics(const playground_data *p)
{
    return p->metrics;
}

const char *playground_data_path(const playground_data *p)
{
    return p->path;
}

const gradus_dataset *playground_data_rows(const playground_data *p)
{
    return p->data;
}

const gradus_arrays *playground_data_arrays(const playground_data *p)
{
    return &p->arrays;
}

float playground_data_max_label(const playground_data *p)
{
    return p->max_label;
}

float playground_data_value(const gradus_arrays *a, size_t row, size_t feature)
{
    if (a->values)
        return a->values[row * a->stride + feature];
    uint64_t low = a->row_starts[row], high = a->row_starts[row + 1];

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (a->columns[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->row_starts[row + 1] && a->columns[low] == feature ? a->entries[low] : 0.0F;
}

/* Adds the metric to the list if the labels allow it. */
static gradus_status try_metric(playground_data *p, const char *name, const double *zeros,
                                gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    gradus_evaluation *tried = NULL;
    const size_t used = strlen(p->metrics);

    GR_TRY(gradus_options_set(p->evaluate, "metric", name, err));
    tried = gradus_evaluate(NULL, p->data, zeros, p->evaluate, &fault);
    if (tried)
        snprintf(p->metrics + used, sizeof p->metrics - used, "%s%s", used ? "," : "", name);
    gradus_evaluation_free(tried);
    return tried || fault.status != GRADUS_NO_MEMORY ? GRADUS_OK
                                                     : gr_fail_memory(err, "the playground");
}

static gradus_status choose_metrics(playground_data *p, gradus_error *err)
{
    static const char *const names[] = { "ndcg@10", "err@10", "map", "p@10", "mrr" };
    double *zeros = calloc(p->arrays.rows + 1, sizeof *zeros);
    gradus_status status = zeros ? GRADUS_OK : gr_fail_memory(err, "the playground");

    for (size_t i = 0; i < sizeof names / sizeof *names && status == GRADUS_OK; i++)
        status = try_metric(p, names[i], zeros, err);
    free(zeros);
    if (status == GRADUS_OK && p->metrics[0])
        status = gradus_options_set(p->evaluate, "metric", p->metrics, err);
    return status;
}

static gradus_status fill(playground_data *p, const char *path, gradus_error *err)
{
    if (!(p->path = strdup(path)))
        return gr_fail_memory(err, "the playground");
    if (!(p->data = gradus_dataset_read(NULL, path, NULL, err)) ||
        !(p->evaluate = gradus_options_new("evaluate", err)))
        return err->status;
    GR_TRY(gradus_dataset_arrays(NULL, p->data, &p->arrays, err));
    p->max_label = p->arrays.labels[0];
    for (size_t i = 0; i < p->arrays.rows; i++)
        p->max_label = fmaxf(p->max_label, p->arrays.labels[i]);
    return choose_metrics(p, err);
}

playground_data *playground_data_read(const char *path, gradus_error *err)
{
    playground_data *p = calloc(1, sizeof *p);

    if (!p) {
        gr_fail_memory(err, "the playground");
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    if (fill(p, path, err) == GRADUS_OK)
        return p;
    playground_data_free(p);
    return NULL;
}

void playground_data_free(playground_data *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->kept_count; i++) {
        free(p->kept[i].key);
        free(p->kept[i].json);
    }
    pthread_mutex_destroy(&p->lock);
    gradus_options_free(p->evaluate);
    gradus_dataset_free(p->data);
    free(p->path);
    free(p);
}

static gradus_status score_all(const playground_data *p, const playground_scorer *scorer,
                               double *scores, gradus_error *err)
{
    if (scorer->model)
        return gradus_model_score(NULL, scorer->model, p->data, scores, err);
    for (size_t row = 0; row < p->arrays.rows; row++) {
        const float value = scorer->feature == SIZE_MAX
                                ? p->arrays.labels[row]
                                : playground_data_value(&p->arrays, row, scorer->feature);

        scores[row] = isnan(value) ? -(double)INFINITY : (double)value; /* missing values last */
    }
    return GRADUS_OK;
}

/* Infinite scores may be refused: one below all others means the same. */
static void make_finite(double *scores, size_t count)
{
    double least = 0.0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(scores[i]) && scores[i] < least)
            least = scores[i];
    for (size_t i = 0; i < count; i++)
        if (!isfinite(scores[i]))
            scores[i] = 2.0 * least - 1.0;
}

static gradus_status write_values(const playground_data *p, const playground_scorer *scorer,
                                  gr_json_writer *out, gradus_error *err)
{
    double *scores = calloc(p->arrays.rows + 1, sizeof *scores);
    gradus_status status = scores ? score_all(p, scorer, scores, err)
                                  : gr_fail_memory(err, "the scores of the playground");
    gradus_evaluation *made = NULL;
    gradus_result result;

    if (status == GRADUS_OK && p->metrics[0]) {
        make_finite(scores, p->arrays.rows);
        made = gradus_evaluate(NULL, p->data, scores, p->evaluate, err);
        status = made ? GRADUS_OK : err->status;
    }
    gr_json_open(out, NULL, '[');
    for (size_t m = 0; made && gradus_evaluation_at(made, m, &result); m++) {
        gr_json_open(out, NULL, '[');
        for (size_t q = 0; q < gradus_evaluation_queries(made); q++)
            gr_json_put_number(out, NULL, result.by_query[q]);
        gr_json_close(out, ']');
    }
    gr_json_close(out, ']');
    gradus_evaluation_free(made);
    free(scores);
    return status == GRADUS_OK ? gr_json_done(out, err) : status;
}

/* Keeps a copy, if there is memory and space for it. */
static void keep_values(playground_data *p, const char *key, const gr_json_writer *values)
{
    kept_values made = { strdup(key), strndup(values->bytes.at, values->used) };

    pthread_mutex_lock(&p->lock);
    if (made.key && made.json) {
        const size_t at = p->kept_count < MAX_KEPT ? p->kept_count++ : p->oldest++ % MAX_KEPT;
        const kept_values replaced = p->kept[at];

        p->kept[at] = made;
        made = replaced;
    }
    pthread_mutex_unlock(&p->lock);
    free(made.key);
    free(made.json);
}

gradus_status playground_data_put_values(playground_data *p, const playground_scorer *scorer,
                                         gr_json_writer *out, gradus_error *err)
{
    gr_json_writer made = { .layout = GR_JSON_FILE };
    bool found = false;
    gradus_status status;

    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->kept_count && !found; i++)
        if (strcmp(p->kept[i].key, scorer->key) == 0) {
            gr_json_put_raw(out, "values", p->kept[i].json);
            found = true;
        }
    pthread_mutex_unlock(&p->lock);
    if (found)
        return GRADUS_OK;
    status = write_values(p, scorer, &made, err);
    if (status == GRADUS_OK) {
        gr_json_append(&made, "", 1); /* a terminating NUL */
        gr_json_put_raw(out, "values", made.bytes.at);
        made.used--;
        if (!made.failed)
            keep_values(p, scorer->key, &made);
        out->failed = out->failed || made.failed;
    }
    gr_json_writer_free(&made);
    return status;
}
