/* SPDX-License-Identifier: Apache-2.0 */
/* Methods for ordered grades on ordinal regression data sets: the error of predicted grades, and
 * the quality of the order. */
#include "base/bisect.h"
#include "base/rng.h"
#include "base/text.h"
#include "experiments/papers/multipartite.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDS = 5, MEASURES = 2 };
#define MAX_BYTES ((size_t)1 << 28)

typedef struct ordinal_set {
    const char *name;
    bool last; /* true: labels are in the last column; false: in the first */
} ordinal_set;

static const ordinal_set sets[] = {
    { "abalone_ord", false },
    { "affairs", false },
    { "auto_ord", false },
    { "balance_scale", true },
    { "bostonhousing_ord", false },
    { "californiahousing", false },
    { "cement_strength", false },
    { "era", true },
    { "esl", true },
    { "kinematics", false },
    { "lev", true },
    { "machine_ord", false },
    { "skill", false },
    { "stock_ord", false },
    { "swd", true },
    { "winequality-red", false },
    { "winequality-white", false },
    { "wisconsin_breast_ord", false },
};
enum { SETS = sizeof sets / sizeof *sets };

#define TABLE "ordinal_quality"

/* Settings are selected by the first measure on the validation part, as rounds are by --metric. */
static const char *const ways[] = {
    "regression", "mcrank",   "pairrank", "propodds", "propodds, linear",
    "orboost",    "svor-imc", "svor-exc", "svor-sl",
};
enum { WAYS = sizeof ways / sizeof *ways, NUMBERS = WAYS * MEASURES };

/* ---- Data sets: comma-separated numbers, possibly quoted; the first line is skipped ---- */

typedef struct some_rows {
    size_t count, features;
    float *values, *labels;
} some_rows;

static void free_rows(some_rows *r)
{
    free(r->values);
    free(r->labels);
    *r = (some_rows){ .count = 0 };
}

/* Parses the numbers of a line, at most `most`; SIZE_MAX on anything else. */
static size_t read_line(const char **at, const char *end, float *numbers, size_t most)
{
    size_t count = 0;

    while (*at < end && **at != '\n') {
        while (*at < end && (**at == ',' || **at == '"' || **at == '\r' || **at == ' '))
            ++*at;
        if (*at == end || **at == '\n')
            break;
        float number;
        const char *after = gr_parse_float(*at, end, &number);

        if (!after)
            return SIZE_MAX;
        if (count < most)
            numbers[count] = number;
        count++;
        *at = after;
    }
    if (*at < end)
        ++*at;
    return count;
}

static gradus_status parse(const ordinal_set *set, const char *path, const char *at,
                           const char *end, some_rows *r, gradus_error *err)
{
    enum { MAX_COLUMNS = 256 };
    float numbers[MAX_COLUMNS];
    size_t lines = 1, columns = 0;

    for (const char *c = at; c < end; c++)
        lines += *c == '\n';
    while (at < end && *at++ != '\n')
        continue;
    for (size_t line = 2; at < end; line++) {
        const size_t count = read_line(&at, end, numbers, MAX_COLUMNS);

        if (count == 0)
            continue;
        if (count == SIZE_MAX || count < 2 || count > MAX_COLUMNS || (columns && count != columns))
            return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s:%zu: expected %zu numbers", path, line,
                           columns ? columns : 2);
        if (columns == 0) {
            columns = count;
            r->features = columns - 1;
            r->values = gr_new_array(lines, r->features * sizeof *r->values);
            r->labels = gr_new_array(lines, sizeof *r->labels);
            if (!r->values || !r->labels)
                return gr_fail_memory(err, "a set");
        }
        r->labels[r->count] = numbers[set->last ? columns - 1 : 0];
        memcpy(r->values + r->count++ * r->features, numbers + !set->last,
               r->features * sizeof *numbers);
    }
    return r->count ? GRADUS_OK : gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: no rows", path);
}

static gradus_status read_set(const gr_run *run, const ordinal_set *set, some_rows *r,
                              gradus_error *err)
{
    static const char *const endings[] = { ".csv", ".csv.gz" };
    gradus_status status = GRADUS_NO_FILE;
    char path[512], *bytes = NULL;
    size_t size = 0;

    *r = (some_rows){ .count = 0 };
    for (size_t i = 0; i < 2 && status == GRADUS_NO_FILE; i++) {
        snprintf(path, sizeof path, "%.300s/ordinal/%s%s", run->data, set->name, endings[i]);
        status = gradus_file_read(path, MAX_BYTES, &bytes, &size, err);
    }
    if (status == GRADUS_NO_FILE)
        return gr_fail(err, status, "needs %.300s/ordinal/%s.csv, not found", run->data, set->name);
    if (status == GRADUS_OK)
        status = parse(set, path, bytes, bytes + size, r, err);
    free(bytes);
    if (status != GRADUS_OK)
        free_rows(r);
    return status;
}

/* ---- One fold of a data set ---- */

typedef struct quality {
    gr_run *run;
} quality;

static void name_fold(const void *argument, size_t job, char *key, size_t size)
{
    (void)argument;
    snprintf(key, size, "quality | %s | fold %zu", sets[job / FOLDS].name, job % FOLDS + 1);
}

/* Three folds for training; the fold before the test fold for validation. */
static gradus_dataset *take_part(const some_rows *all, const size_t *order, size_t count,
                                 size_t fold, int part, some_rows *copy, gradus_error *err)
{
    *copy = (some_rows){ .features = all->features };
    copy->values = gr_new_array(count, all->features * sizeof *copy->values);
    copy->labels = gr_new_array(count, sizeof *copy->labels);
    if (!copy->values || !copy->labels) {
        gr_fail_memory(err, "a fold");
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t away = (i % FOLDS + FOLDS - fold) % FOLDS;

        if ((away == 0 ? 2 : away == FOLDS - 1 ? 1 : 0) != part)
            continue;
        memcpy(copy->values + copy->count * all->features, all->values + order[i] * all->features,
               all->features * sizeof *copy->values);
        copy->labels[copy->count++] = all->labels[order[i]];
    }
    const gradus_arrays arrays = { .rows = copy->count,
                                   .features = copy->features,
                                   .values = copy->values,
                                   .stride = copy->features,
                                   .labels = copy->labels };

    return gradus_dataset_borrow(&arrays, err);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int by_label(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* For methods that only rank: assigns grades in the proportions of the training part. */
static gradus_status grades_by_shares(gradus_context *context, const gradus_model *model,
                                      const gradus_dataset *train, const gradus_dataset *data,
                                      double *grades, gradus_error *err)
{
    const size_t rows = gradus_dataset_rows(train);
    double *scores = gr_new_array(rows, sizeof *scores);
    float *labels = gr_new_array(rows, sizeof *labels);
    gradus_status status = scores && labels ? gradus_model_score(context, model, train, scores, err)
                                            : gr_fail_memory(err, "scores");

    if (status == GRADUS_OK)
        status = gradus_model_score(context, model, data, grades, err);
    if (status == GRADUS_OK) {
        memcpy(labels, gr_arrays_of(train).labels, rows * sizeof *labels);
        qsort(scores, rows, sizeof *scores, by_value);
        qsort(labels, rows, sizeof *labels, by_label);
        for (size_t i = 0; i < gradus_dataset_rows(data); i++) {
            const size_t at = GR_BISECT(0, rows, r, scores[r] < grades[i]);

            grades[i] = (double)labels[at < rows ? at : rows - 1];
        }
    }
    free(scores);
    free(labels);
    return status;
}

static gradus_status predict_grades(gradus_context *context, const char *name,
                                    const gradus_model *model, const gradus_dataset *train,
                                    const gradus_dataset *data, double *grades, gradus_error *err)
{
    if (strcmp(name, "pairrank") == 0)
        return grades_by_shares(context, model, train, data, grades, err);
    if (strcmp(name, "regression") != 0)
        return gradus_model_grades(context, model, data, grades, err);
    GR_TRY(gradus_model_score(context, model, data, grades, err));
    const gradus_arrays all = gr_arrays_of(train);
    float low = INFINITY, high = -INFINITY;

    for (size_t r = 0; r < all.rows; r++) {
        low = fminf(low, all.labels[r]);
        high = fmaxf(high, all.labels[r]);
    }
    for (size_t r = 0; r < gradus_dataset_rows(data); r++)
        grades[r] = fmin((double)high, fmax((double)low, floor(grades[r] + 0.5)));
    return GRADUS_OK;
}

/* Mean absolute error of grades, and U_ovo of scores. */
static gradus_status measure(gradus_context *context, const char *name, const gradus_model *model,
                             const gradus_dataset *train, const gradus_dataset *data,
                             double found[MEASURES], gradus_error *err)
{
    const size_t rows = gradus_dataset_rows(data);
    const float *labels = gr_arrays_of(data).labels;
    double *numbers = gr_new_array(rows, sizeof *numbers);
    gradus_status status = numbers ? GRADUS_OK : gr_fail_memory(err, "scores");

    if (status == GRADUS_OK)
        status = predict_grades(context, name, model, train, data, numbers, err);
    found[0] = 0.0;
    for (size_t r = 0; status == GRADUS_OK && r < rows; r++)
        found[0] += fabs(numbers[r] - (double)labels[r]) / (double)rows;
    if (status == GRADUS_OK)
        status = gradus_model_score(context, model, data, numbers, err);
    if (status == GRADUS_OK)
        status = gradus_evaluate_metric(data, numbers, "u-ovo", &found[1], err);
    free(numbers);
    return status;
}

static gradus_status try_way(gradus_context *context, const char *way,
                             gradus_dataset *const parts[3], double found[MEASURES],
                             gradus_error *err)
{
    const char *words;
    double best = INFINITY;

    for (size_t s = 0; (words = gr_paper_setting_at(TABLE, way, s)) != NULL; s++) {
        const bool by_rounds = strstr(words, "rounds=") != NULL;
        gradus_model *model =
            gr_multipartite_train(context, words, parts[0], by_rounds ? parts[1] : NULL, err);
        double valid[MEASURES];

        if (!model)
            return err->status;
        gradus_status status = measure(context, way, model, parts[0], parts[1], valid, err);

        if (status == GRADUS_OK && valid[0] < best) {
            best = valid[0];
            status = measure(context, way, model, parts[0], parts[2], found, err);
        }
        gradus_model_free(model);
        if (status != GRADUS_OK)
            return status;
    }
    return GRADUS_OK;
}

static gradus_status run_parts(gradus_context *context, gradus_dataset *const parts[3],
                               double *numbers, gradus_error *err)
{
    for (size_t w = 0; w < WAYS; w++) {
        GR_TRY(try_way(context, ways[w], parts, numbers + w * MEASURES, err));
        GR_TRY(gr_send_progress(context, "training", (double)(w + 1) / WAYS, err));
    }
    return GRADUS_OK;
}

static gradus_status run_fold(void *argument, size_t job, gradus_context *context, double *numbers,
                              gradus_error *err)
{
    const quality *q = argument;
    const size_t most = gr_scaled(q->run, gr_paper_count(TABLE, "rows", 0), 100);
    gr_rng rng = gr_rng_for(q->run->seed, "ordinal quality", job / FOLDS);
    gradus_dataset *parts[3] = { NULL, NULL, NULL };
    some_rows all, copies[3] = { { .count = 0 } };

    GR_TRY(read_set(q->run, &sets[job / FOLDS], &all, err));
    size_t *order = gr_new_array(all.count, sizeof *order);
    gradus_status status = order ? GRADUS_OK : gr_fail_memory(err, "a fold");

    for (size_t i = 0; order && i < all.count; i++)
        order[i] = i;
    if (order)
        gr_shuffle(&rng, order, all.count);
    for (int p = 0; status == GRADUS_OK && p < 3; p++) {
        parts[p] = take_part(&all, order, all.count < most ? all.count : most, job % FOLDS, p,
                             &copies[p], err);
        status = parts[p] ? GRADUS_OK : err->status;
    }
    if (status == GRADUS_OK)
        status = run_parts(context, parts, numbers, err);
    for (size_t p = 0; p < 3; p++) {
        gradus_dataset_free(parts[p]);
        free_rows(&copies[p]);
    }
    free(order);
    free_rows(&all);
    return status;
}

/* ---- Tables ---- */

static gr_found over_folds(const double *numbers, size_t set, size_t which)
{
    const double *first = numbers + set * FOLDS * NUMBERS + which;

    return (gr_found){ .ours = gr_mean_of(first, FOLDS, NUMBERS),
                       .error = gr_deviation_of(first, FOLDS, NUMBERS) / sqrt(FOLDS) };
}

/* Means over data sets; the standard error is that over folds. */
static gr_found over_sets(const double *numbers, size_t which)
{
    gr_found mean = { .ours = 0.0 };
    double squares = 0.0;

    for (size_t s = 0; s < SETS; s++) {
        const gr_found one = over_folds(numbers, s, which);

        mean.ours += one.ours / SETS;
        squares += one.error * one.error;
    }
    mean.error = sqrt(squares) / SETS;
    return mean;
}

/* The rank of a method among all on a data set, 1 for the best. */
static double rank_of(const double *numbers, size_t set, size_t way_at, size_t measure_at)
{
    const double own = over_folds(numbers, set, way_at * MEASURES + measure_at).ours;
    double rank = 1.0;

    for (size_t w = 0; w < WAYS; w++) {
        const double other = over_folds(numbers, set, w * MEASURES + measure_at).ours;

        if (w != way_at)
            rank += other == own ? 0.5 : (measure_at == 0 ? other < own : other > own);
    }
    return rank;
}

static void show_summary(const gr_run *run, const double *numbers)
{
    gr_table *table =
        gr_results_table(run->results, "means over all data sets", GR_WANT_NEAR, NULL, 4);

    for (size_t w = 0; w < WAYS; w++) {
        double ranks[MEASURES] = { 0.0, 0.0 };

        for (size_t s = 0; s < SETS; s++)
            for (size_t m = 0; m < MEASURES; m++)
                ranks[m] += rank_of(numbers, s, w, m) / SETS;
        gr_table_put(table, ways[w], "mean absolute error", over_sets(numbers, w * MEASURES));
        gr_table_put(table, ways[w], "mean rank by that error", (gr_found){ .ours = ranks[0] });
        gr_table_put(table, ways[w], "U_ovo", over_sets(numbers, w * MEASURES + 1));
        gr_table_put(table, ways[w], "mean rank by U_ovo", (gr_found){ .ours = ranks[1] });
    }
}

static gradus_status run_quality(gr_run *run, gradus_error *err)
{
    static const char *const titles[MEASURES] = { "mean absolute error of predicted grades",
                                                  "U_ovo" };
    quality q = { run };
    const gr_number_jobs jobs = { run, &q, SETS * FOLDS, NUMBERS, name_fold, run_fold };
    double *numbers = NULL;

    GR_TRY(gr_multipartite_needs(run, "ordinal", err));
    GR_TRY(gr_number_jobs_run(&jobs, &numbers, err));
    show_summary(run, numbers);
    for (size_t m = 0; m < MEASURES; m++) {
        gr_table *table = gr_results_table(run->results, titles[m],
                                           m == 0 ? GR_WANT_LOWER : GR_WANT_HIGHER, NULL, 4);

        for (size_t s = 0; s < SETS; s++)
            for (size_t w = 0; w < WAYS; w++)
                gr_table_put(table, sets[s].name, ways[w],
                             over_folds(numbers, s, w * MEASURES + m));
    }
    gr_results_note(run->results,
                    "Five folds: three for training, one to select rounds and penalties, one for "
                    "testing; at most %zu rows of a data set. Boosted trees of 8 leaves, except "
                    "'propodds, linear' and Gaussian kernels (svor) on standardised features. "
                    "Grades of regression are rounded scores; pairrank has none, so grades are "
                    "assigned in the proportions of the training part.",
                    gr_scaled(run, gr_paper_count(TABLE, "rows", 0), 100));
    free(numbers);
    return GRADUS_OK;
}

const gr_experiment gr_experiment_ordinal_quality = {
    .about = { "ordinal-quality", "methods for ordered grades on ordinal regression data sets",
               "Mean absolute error of predicted grades and U_ovo of scores, five folds each." },
    .family = "ordinal-quality",
    .needs = "ordinal",
    .takes = "1 min",
    .run = run_quality,
};
