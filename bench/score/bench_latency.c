/* SPDX-License-Identifier: Apache-2.0 */
/* Latency of scoring on one thread: gradus, and the C interfaces of LightGBM and XGBoost on the same
 * trees, exported. The other libraries are loaded at run time. The clock starts after the scores of
 * all engines have been compared. Prints one line per engine and request, tab-separated: engine,
 * rows of the request, calls, median and 99th percentile in nanoseconds per call. The engines take
 * turns, so that other programs disturb all of them alike. With --cpu, times are processor time of
 * the thread: for busy machines, on which calls of a millisecond are interrupted. */
#include "gradus.h"
#include "cpu_limit.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 20, SINGLE = 1000, QUERY_ROWS = 100, QUERIES = 100, WARM = 20, MAX_ENGINES = 6 };

typedef struct engine {
    const char *name;
    bool (*score)(struct engine *engine, const float *rows, size_t count, double *scores);
    const gradus_model *model;
    void *library, *booster, *fast;
    void *call, *last_error;
    double *taken; /* nanoseconds of each call */
} engine;

static size_t features, stride;
static clockid_t used_clock = CLOCK_MONOTONIC;

static double now(void)
{
    struct timespec t;

    clock_gettime(used_clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double clock_cost(void)
{
    const double start = now();
    double end = start;

    for (int i = 0; i < 1000; i++)
        end = now();
    return (end - start) / 1000.0;
}

static bool fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_latency: %s: %s\n", what, why);
    return false;
}

static bool score_gradus(engine *e, const float *rows, size_t count, double *scores)
{
    gradus_error err = { GRADUS_OK, "" };

    return gradus_model_score_rows(e->model, rows, count, features, stride, scores, NULL, &err) ==
               GRADUS_OK ||
           fail("gradus", err.message);
}

/* ---- LightGBM: c_api.h ---- */

typedef int (*lgb_load)(const char *, int *, void **);
typedef int (*lgb_fast_init)(void *, int, int, int, int, int32_t, const char *, void **);
typedef int (*lgb_fast)(void *, const void *, int64_t *, double *);
typedef int (*lgb_predict)(void *, const void *, int, int32_t, int32_t, int, int, int, int,
                           const char *, int64_t *, double *);
typedef const char *(*last_error)(void);

enum { LGB_FLOAT32 = 0, LGB_RAW_SCORE = 1 };
static const char lgb_settings[] = "num_threads=1 predict_disable_shape_check=true";

static bool score_lightgbm_fast(engine *e, const float *rows, size_t count, double *scores)
{
    int64_t length;

    for (size_t r = 0; r < count; r++)
        if (((lgb_fast)e->call)(e->fast, rows + r * stride, &length, scores + r) != 0)
            return fail(e->name, ((last_error)e->last_error)());
    return true;
}

static bool score_lightgbm(engine *e, const float *rows, size_t count, double *scores)
{
    int64_t length;

    return ((lgb_predict)e->call)(e->booster, rows, LGB_FLOAT32, (int32_t)count, (int32_t)features,
                                  1, LGB_RAW_SCORE, 0, -1, lgb_settings, &length, scores) == 0 ||
           fail(e->name, ((last_error)e->last_error)());
}

/* The name of the function is given, so that a library without it is reported. */
static void *find(void *library, const char *name)
{
    void *found = library ? dlsym(library, name) : NULL;

    if (!found)
        fail(name, dlerror());
    return found;
}

/* Fills two engines: the call for single rows, also in a loop, and the call for matrices. */
static bool open_lightgbm(engine *fast, engine *matrix, const char *library, const char *model)
{
    int rounds;

    matrix->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!matrix->library)
        return fail("LightGBM", dlerror());
    const lgb_load load = (lgb_load)find(matrix->library, "LGBM_BoosterCreateFromModelfile");
    const lgb_fast_init init =
        (lgb_fast_init)find(matrix->library, "LGBM_BoosterPredictForMatSingleRowFastInit");

    matrix->last_error = find(matrix->library, "LGBM_GetLastError");
    matrix->call = find(matrix->library, "LGBM_BoosterPredictForMat");
    *fast = *matrix;
    fast->library = NULL;
    fast->call = find(matrix->library, "LGBM_BoosterPredictForMatSingleRowFast");
    if (!load || !init || !matrix->last_error || !matrix->call || !fast->call)
        return false;
    if (load(model, &rounds, &matrix->booster) != 0 ||
        init(matrix->booster, LGB_RAW_SCORE, 0, -1, LGB_FLOAT32, (int32_t)features, lgb_settings,
             &fast->fast) != 0)
        return fail("LightGBM", ((last_error)matrix->last_error)());
    fast->name = "LightGBM, SingleRowFast";
    fast->score = score_lightgbm_fast;
    matrix->name = "LightGBM, PredictForMat";
    matrix->score = score_lightgbm;
    return true;
}

/* ---- XGBoost: c_api.h ---- */

typedef int (*xgb_create)(const void *, uint64_t, void **);
typedef int (*xgb_load)(void *, const char *);
typedef int (*xgb_set)(void *, const char *, const char *);
typedef int (*xgb_predict)(void *, const char *, const char *, void *, const uint64_t **,
                           uint64_t *, const float **);

static bool score_xgboost(engine *e, const float *rows, size_t count, double *scores)
{
    static const char config[] = "{\"type\":1,\"training\":false,\"iteration_begin\":0,"
                                 "\"iteration_end\":0,\"strict_shape\":false,\"missing\":NaN,"
                                 "\"cache_id\":0}";
    char array[200];
    const uint64_t *shape;
    uint64_t dimensions;
    const float *found;

    snprintf(array, sizeof array,
             "{\"data\":[%zu,true],\"shape\":[%zu,%zu],\"typestr\":\"<f4\",\"version\":3}",
             (size_t)rows, count, features);
    if (((xgb_predict)e->call)(e->booster, array, config, NULL, &shape, &dimensions, &found) != 0)
        return fail(e->name, ((last_error)e->last_error)());
    for (size_t r = 0; r < count; r++)
        scores[r] = (double)found[r];
    return true;
}

static bool open_xgboost(engine *e, const char *library, const char *model)
{
    e->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!e->library)
        return fail("XGBoost", dlerror());
    const xgb_create create = (xgb_create)find(e->library, "XGBoosterCreate");
    const xgb_load load = (xgb_load)find(e->library, "XGBoosterLoadModel");
    const xgb_set set = (xgb_set)find(e->library, "XGBoosterSetParam");

    e->call = find(e->library, "XGBoosterPredictFromDense");
    e->last_error = find(e->library, "XGBGetLastError");
    if (!create || !load || !set || !e->call || !e->last_error)
        return false;
    if (create(NULL, 0, &e->booster) != 0 || set(e->booster, "nthread", "1") != 0 ||
        load(e->booster, model) != 0 || set(e->booster, "nthread", "1") != 0)
        return fail("XGBoost", ((last_error)e->last_error)());
    e->name = "XGBoost, PredictFromDense";
    e->score = score_xgboost;
    return true;
}

/* ---- Comparison and clock ---- */

/* Fails unless all engines give the scores of the first: others add floats. */
static bool compare(engine *engines, size_t count, const gradus_arrays *a, size_t rows)
{
    double *first = malloc(rows * sizeof *first), *other = malloc(rows * sizeof *other);
    bool good = first && other && engines[0].score(&engines[0], a->values, rows, first);
    double largest = 0.0;

    for (size_t r = 0; good && r < rows; r++)
        largest = fabs(first[r]) > largest ? fabs(first[r]) : largest;
    for (size_t i = 1; good && i < count; i++) {
        double worst = 0.0;

        good = engines[i].score(&engines[i], a->values, rows, other);
        for (size_t r = 0; good && r < rows; r++)
            worst = fabs(first[r] - other[r]) > worst ? fabs(first[r] - other[r]) : worst;
        fprintf(stderr, "%s: largest difference %.2g of the largest score\n", engines[i].name,
                worst / largest);
        good = good && (worst <= 1e-5 * largest || fail(engines[i].name, "other scores"));
    }
    free(first);
    free(other);
    return good;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool time_turn(engine *e, const gradus_arrays *a, size_t rows, size_t calls, size_t turn,
                      double cost)
{
    const size_t requests = a->rows / rows;
    double scores[QUERY_ROWS];

    for (size_t c = 0; c < calls + WARM; c++) {
        const float *at = a->values + (turn * calls + c) % requests * rows * stride;
        const double start = now();

        if (!e->score(e, at, rows, scores))
            return false;
        if (c >= WARM)
            e->taken[turn * calls + c - WARM] = now() - start - cost;
    }
    return true;
}

/* Times requests of 1 or QUERY_ROWS rows. */
static bool time_requests(engine *engines, size_t count, const gradus_arrays *a, size_t rows)
{
    const size_t calls = rows == 1 ? SINGLE : QUERIES;
    const double cost = clock_cost();

    for (size_t turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < count; i++)
            if (!time_turn(&engines[i], a, rows, calls, turn, cost))
                return false;
    for (size_t i = 0; i < count; i++) {
        const size_t all = TURNS * calls;

        qsort(engines[i].taken, all, sizeof *engines[i].taken, ascending);
        printf("%s\t%zu\t%zu\t%.0f\t%.0f\n", engines[i].name, rows, all, engines[i].taken[all / 2],
               engines[i].taken[all * 99 / 100]);
    }
    return true;
}

/* Times all rows at once, three times. */
static bool time_batch(engine *engines, size_t count, const gradus_arrays *a)
{
    double *scores = malloc(a->rows * sizeof *scores);
    bool good = scores != NULL;

    for (size_t turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < count && good; i++) {
            const double start = now();

            good = engines[i].score(&engines[i], a->values, a->rows, scores);
            engines[i].taken[turn] = now() - start;
        }
    for (size_t i = 0; i < count && good; i++) {
        qsort(engines[i].taken, 3, sizeof *engines[i].taken, ascending);
        printf("%s\t%zu\t3\t%.0f\t%.0f\n", engines[i].name, a->rows, engines[i].taken[1],
               engines[i].taken[2]);
    }
    free(scores);
    return good;
}

static bool time_all(engine *engines, size_t count, gradus_arrays *a)
{
    bool good = a->rows >= QUERY_ROWS && a->stride == a->features;

    if (!good)
        return fail("data", "at least 100 dense rows are needed");
    for (size_t i = 0; i < count && good; i++)
        good = (engines[i].taken = malloc((size_t)TURNS * SINGLE * sizeof(double))) != NULL;
    good = good && compare(engines, count, a, a->rows < 2000 ? a->rows : 2000) &&
           time_requests(engines, count, a, 1) && time_requests(engines, count, a, QUERY_ROWS) &&
           time_batch(engines, count, a);
    for (size_t i = 0; i < count; i++)
        free(engines[i].taken);
    return good;
}

/* The arguments after DATA: 'lightgbm' or 'xgboost', its library and the exported model. */
static bool open_others(engine *engines, size_t *count, int words_left, char **words)
{
    for (; words_left >= 3 && *count + 2 <= MAX_ENGINES; words_left -= 3, words += 3) {
        const bool light = strcmp(words[0], "lightgbm") == 0;

        if (!light && strcmp(words[0], "xgboost") != 0)
            return fail(words[0], "expected lightgbm or xgboost");
        if (!(light ? open_lightgbm(&engines[*count], &engines[*count + 1], words[1], words[2])
                    : open_xgboost(&engines[*count], words[1], words[2])))
            return false;
        *count += light ? 2 : 1;
    }
    return words_left == 0 || fail("arguments", "expected NAME LIBRARY MODEL");
}

int main(int count, char **words)
{
    limit_cpu_by_option(&count, &words);

    engine engines[MAX_ENGINES] = { { .name = "gradus", .score = score_gradus } };
    gradus_error err = { GRADUS_OK, "" };
    size_t engine_count = 1;
    gradus_arrays a;

    if (count > 1 && strcmp(words[1], "--cpu") == 0) {
        used_clock = CLOCK_THREAD_CPUTIME_ID;
        count--;
        words++;
    }
    if (count < 3) {
        fprintf(
            stderr,
            "usage: bench_latency [--kernels LEVEL] [--cpu] MODEL DATA [lightgbm|xgboost LIBRARY "
            "MODEL]...\n");
        return 2;
    }
    gradus_context *context = gradus_context_new(1, &err);
    gradus_model *model = gradus_model_read(words[1], &err);
    gradus_dataset *data = gradus_dataset_read(context, words[2], NULL, &err);
    bool good = model && data && gradus_dataset_arrays(context, data, &a, &err) == GRADUS_OK;

    if (!good)
        fail("gradus", err.message);
    if (good) {
        features = a.features;
        stride = a.stride;
        engines[0].model = model;
        good = open_others(engines, &engine_count, count - 3, words + 3) &&
               time_all(engines, engine_count, &a);
    }
    gradus_dataset_free(data);
    gradus_model_free(model);
    gradus_context_free(context);
    return !good;
}
