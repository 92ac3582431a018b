/* SPDX-License-Identifier: Apache-2.0 */
/* Pairwise comparison of systems: options, the tests, and Holm's correction. */
#include "statistics/compare.h"

#include "base/memory.h"
#include "statistics/multiple.h"
#include "statistics/sample.h"

#include <math.h>
#include <stdlib.h>

#define LARGEST 1e300 /* sums of any number of values in memory stay finite */

static const char *const sides[] = { "2", "1", NULL };

static const gr_param params[] = {
    GR_PARAM_CHOICE(gr_compare_options, test, "test", "TEST", "t", gr_test_names,
                    "significance test; see 'gradus help tests'"),
    GR_PARAM_CHOICE(gr_compare_options, sided, "sided", "1|2", "2", sides,
                    "2: two-sided, do the systems differ; 1: one-sided, is the later one better"),
    GR_PARAM_REAL(gr_compare_options, confidence, "confidence", "C", 0.95, 0.001, 0.999999,
                  "confidence level of the interval for the mean difference"),
    GR_PARAM_COUNT(gr_compare_options, resamples, "resamples", "N", 10000, 100, 10000000,
                   "number of resamples of randomization and bootstrap"),
    GR_PARAM_COUNT(gr_compare_options, seed, "seed", "S", 1, 0, 9007199254740992, "random seed"),
    GR_PARAM_END,
};

const gr_operation gr_operation_compare = {
    .name = "compare",
    .summary = "test whether systems differ, query by query",
    .params = params,
    .size = sizeof(gr_compare_options),
};

/* The values of the queries that two systems have in common. */
typedef struct room {
    double *a, *b, *differences;
} room;

static void room_free(room *r)
{
    free(r->a);
    free(r->b);
    free(r->differences);
}

static bool room_new(room *r, size_t queries)
{
    r->a = gr_new_array(queries, sizeof *r->a);
    r->b = gr_new_array(queries, sizeof *r->b);
    r->differences = gr_new_array(queries, sizeof *r->differences);
    return r->a && r->b && r->differences;
}

static gradus_status check_range(size_t systems, size_t queries, const double *const *values,
                                 gradus_error *err)
{
    for (size_t s = 0; s < systems; s++)
        for (size_t q = 0; q < queries; q++)
            if (fabs(values[s][q]) > LARGEST)
                return gr_fail(err, GRADUS_BAD_NUMBER,
                               "the value of system %zu on query %zu is %g, not from %g to %g", s,
                               q, values[s][q], -LARGEST, LARGEST);
    return GRADUS_OK;
}

static gradus_status gather(const double *a, const double *b, size_t queries, room *r,
                            gradus_contrast *c, gradus_error *err)
{
    for (size_t q = 0; q < queries; q++) {
        if (isnan(a[q]) || isnan(b[q]))
            continue;
        r->a[c->queries] = a[q];
        r->b[c->queries] = b[q];
        r->differences[c->queries++] = b[q] - a[q];
        c->wins += b[q] > a[q];
        c->ties += b[q] == a[q];
        c->losses += b[q] < a[q];
    }
    if (c->queries == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "systems %zu and %zu have no query with a value in both", c->a, c->b);
    return GRADUS_OK;
}

static gradus_status compare_two(const double *a, const double *b, size_t queries, room *r,
                                 const gr_test *test, const gr_test_settings *settings,
                                 gradus_contrast *c, gradus_error *err)
{
    gr_verdict verdict;

    GR_TRY(gather(a, b, queries, r, c, err));
    const gr_pairs pairs = { r->a, r->b, r->differences, c->queries };

    c->mean_a = gr_moments_of(r->a, c->queries).mean;
    c->mean_b = gr_moments_of(r->b, c->queries).mean;
    c->difference = gr_moments_of(r->differences, c->queries).mean;
    GR_TRY(test->run(&pairs, settings, &verdict, err));
    c->statistic = verdict.statistic;
    c->df = verdict.df;
    c->p = verdict.p;
    c->low = verdict.low;
    c->high = verdict.high;
    return GRADUS_OK;
}

static gradus_status adjust(gradus_contrast *contrasts, size_t count, gradus_error *err)
{
    double *p = gr_new_array(count, sizeof *p);
    double *adjusted = gr_new_array(count, sizeof *adjusted);
    gradus_status status = GRADUS_NO_MEMORY;

    if (p && adjusted) {
        for (size_t i = 0; i < count; i++)
            p[i] = contrasts[i].p;
        status = gr_holm(p, count, adjusted, err);
        for (size_t i = 0; i < count; i++)
            contrasts[i].p_adjusted = adjusted[i];
    } else {
        gr_fail_memory(err, "p-values");
    }
    free(p);
    free(adjusted);
    return status;
}

static gradus_status compare_all(gr_pool *pool, size_t systems, size_t queries,
                                 const double *const *values, const gr_compare_options *options,
                                 gradus_contrast *contrasts, room *r, gradus_error *err)
{
    const gr_test_settings settings = { options->sided == 1, options->confidence,
                                        options->resamples, options->seed, pool };
    gradus_contrast *next = contrasts;

    for (size_t a = 0; a + 1 < systems; a++)
        for (size_t b = a + 1; b < systems; b++, next++) {
            *next = (gradus_contrast){ .a = a, .b = b };
            GR_TRY(compare_two(values[a], values[b], queries, r, gr_tests[options->test], &settings,
                               next, err));
        }
    return GRADUS_OK;
}

gradus_status gr_compare(gr_pool *pool, size_t systems, size_t queries, const double *const *values,
                         const gr_compare_options *options, gradus_contrast **contrasts,
                         size_t *count, gradus_error *err)
{
    room r = { NULL, NULL, NULL };
    gradus_status status;

    *contrasts = NULL;
    if (systems < 2)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a comparison needs at least 2 systems, found %zu",
                       systems);
    GR_TRY(check_range(systems, queries, values, err));
    if (!gr_size_times(systems, systems - 1, count))
        return gr_fail_memory(err, "a comparison");
    *count /= 2;
    *contrasts = gr_new_array(*count, sizeof **contrasts);
    if (room_new(&r, queries) && *contrasts)
        status = compare_all(pool, systems, queries, values, options, *contrasts, &r, err);
    else
        status = gr_fail_memory(err, "a comparison");
    room_free(&r);
    if (status == GRADUS_OK)
        status = adjust(*contrasts, *count, err);
    if (status != GRADUS_OK) {
        free(*contrasts);
        *contrasts = NULL;
    }
    return status;
}
