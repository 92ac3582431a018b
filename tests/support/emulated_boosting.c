/* SPDX-License-Identifier: Apache-2.0 */
/* Boosting on the emulated device. It copies all arrays, as a device with its own memory does. */
#include "emulated_boosting.h"

#include "thread_order.h" /* before the bodies */

#include "backend/tree_device.h"
#include "base/error.h"
#include "emulated_lists.h"
#include "plugins/cuda/lambda_classes.h"
#include "plugins/cuda/lambdas_body.h"
#include "plugins/cuda/level_sums_body.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COPIES = 16 };

typedef struct boosting {
    gr_lambda_losses losses;
    gr_lambda_plan plan;
    const uint32_t *leaf_of;
    void *copies[MOST_COPIES];
    size_t copy_count, queries;
    uint8_t *skipped;
    char *documents; /* of long queries */
    double *numbers; /* of levels */
    emulated_lists lists;
    bool fresh, failed;
} boosting;

static emulated_calls calls;
static bool full;

void emulated_boosting_refuse_lists(bool refuse)
{
    full = refuse;
}

emulated_calls emulated_boosting_calls(void)
{
    const emulated_calls made = calls;

    calls = (emulated_calls){ 0 };
    return made;
}

static void *copy(boosting *b, const void *from, size_t count, size_t size)
{
    void *made = malloc(count * size + 1);

    b->failed |= !made;
    if (made && from)
        memcpy(made, from, count * size);
    b->copies[b->copy_count++] = made;
    return made;
}

static void copy_rows(boosting *b, const gr_device_problem *problem, const double *scores)
{
    const size_t cells = problem->outputs * problem->rows;
    const size_t table = problem->outputs * problem->levels;
    gr_row_losses *rows = &b->losses.rows;

    rows->scores = copy(b, scores, cells, sizeof *scores);
    rows->labels = copy(b, problem->labels, problem->rows, sizeof(float));
    rows->numbers = b->numbers =
        copy(b, NULL, problem->levels, GR_DEVICE_LEVEL_NUMBERS * sizeof(double));
    if (problem->levels)
        rows->level_of = copy(b, problem->level_of, problem->rows, 1);
    if (problem->targets)
        rows->targets = copy(b, problem->targets, table, sizeof(double));
    if (problem->weights)
        rows->weights = copy(b, problem->weights, table, sizeof(double));
    if (problem->row_weights)
        rows->row_weights = copy(b, problem->row_weights, problem->rows, sizeof(float));
}

static void copy_queries(boosting *b, const gr_device_problem *problem)
{
    const gr_device_lambda *lambda = &problem->lambda;

    b->losses.query_starts = copy(b, problem->query_starts, problem->queries + 1, sizeof(uint64_t));
    b->losses.discounts = copy(b, lambda->discounts, lambda->largest, sizeof(double));
    b->losses.values = copy(b, lambda->values, problem->rows, sizeof(double));
    b->skipped = copy(b, NULL, problem->queries, 1);
    b->documents = copy(b, NULL, (size_t)b->plan.long_rows, GR_LAMBDA_RANK_BYTES);
}

static void boost_close(void *argument)
{
    boosting *b = argument;

    for (size_t i = 0; i < b->copy_count; i++)
        free(b->copies[i]);
    gr_lambda_plan_free(&b->plan);
    emulated_lists_free(&b->lists);
    free(b);
}

static gradus_status boost_open(const struct gradus_device *device,
                                const gr_device_problem *problem, const gr_device_rows *rows,
                                const double *scores, void **made, gradus_error *err)
{
    boosting *b = calloc(1, sizeof *b);
    const bool lambdas = problem->loss == GR_DEVICE_LAMBDARANK;

    (void)device;
    *made = NULL;
    if (!b)
        return gr_fail_memory(err, "emulated boosting");
    b->queries = problem->queries;
    b->leaf_of = rows->leaf_of;
    b->losses = gr_lambda_losses_of(problem);
    b->failed = lambdas && !gr_lambda_plan_make(problem, &b->plan);
    copy_rows(b, problem, scores);
    if (lambdas)
        copy_queries(b, problem);
    if (b->failed) {
        boost_close(b);
        return gr_fail_memory(err, "emulated boosting");
    }
    b->losses.rows.gradients = rows->gradients;
    b->losses.rows.hessians = rows->hessians;
    if (lambdas) {
        memset(rows->gradients, 0, problem->rows * sizeof(float));
        memset(rows->hessians, 0, problem->rows * sizeof(float));
    }
    *made = b;
    return GRADUS_OK;
}

static gradus_status run_queries(boosting *b, gradus_error *err)
{
    const size_t most = gr_lambda_class_number(GR_LAMBDA_LONG - 1).room;
    struct shared {
        gr_lambda_tile tile;
        gr_lambda_chunk chunk;
    } *shared = malloc(sizeof *shared);
    void *room = malloc(most * GR_LAMBDA_RANK_BYTES);

    for (size_t number = 0; shared && room && number < GR_LAMBDA_CLASSES; number++)
        for (size_t i = b->plan.starts[number]; i < b->plan.starts[number + 1]; i++) {
            const gr_lambda_class size = gr_lambda_class_number(number);
            const uint32_t q = b->plan.queries[i];
            const uint64_t *starts = b->losses.query_starts + q;
            const bool is_long = number == GR_LAMBDA_LONG;
            void *documents = is_long ? b->documents + b->plan.offsets[i - b->plan.starts[number]] *
                                                           GR_LAMBDA_RANK_BYTES
                                      : room;
            const size_t documents_room =
                is_long ? (size_t)(starts[1] - starts[0] + 1) / 2 * 2 : size.room;

            gr_lambda_query_block(&b->losses, q, size.threads,
                                  gr_lambda_lay_out(documents, documents_room), &shared->tile,
                                  &shared->chunk);
        }
    const bool done = shared && room;

    free(shared);
    free(room);
    return done ? GRADUS_OK : gr_fail_memory(err, "emulated boosting");
}

/* The numbers of levels, which change. */
static void take_numbers(boosting *b, const double *numbers)
{
    if (numbers)
        memcpy(b->numbers, numbers,
               b->losses.rows.levels * GR_DEVICE_LEVEL_NUMBERS * sizeof *numbers);
}

static gradus_status boost_gradients(void *argument, const bool *skipped, const double *numbers,
                                     gradus_error *err)
{
    boosting *b = argument;

    take_numbers(b, numbers);

    calls.gradients++;
    if (b->losses.rows.loss == GR_DEVICE_LAMBDARANK) {
        if (skipped)
            memcpy(b->skipped, skipped, b->queries);
        b->losses.skipped = skipped ? b->skipped : NULL;
        return run_queries(b, err);
    }
    for (size_t r = 0; !b->fresh && r < b->losses.rows.rows; r++)
        gr_row_gradients(&b->losses.rows, r);
    b->fresh = gr_row_keeps_gradients(&b->losses.rows);
    return GRADUS_OK;
}

static gradus_status boost_sums(void *argument, const double *numbers, size_t block, double *sums,
                                gradus_error *err)
{
    enum { THREADS = 64 };
    boosting *b = argument;
    const gr_row_losses *rows = &b->losses.rows;
    const size_t width = 2 * rows->levels * gr_row_term_count(rows);
    gr_staged_terms *staged = malloc(sizeof *staged);

    if (!staged)
        return gr_fail_memory(err, "emulated boosting");
    calls.sums++;
    take_numbers(b, numbers);
    for (size_t number = 0; number * block < rows->rows; number++)
        gr_level_sums_block(rows, number, block, THREADS, staged, sums + number * width);
    free(staged);
    return GRADUS_OK;
}

static gradus_status boost_add(void *argument, size_t output, const double *values, size_t leaves,
                               gradus_error *err)
{
    boosting *b = argument;
    const gr_row_losses *rows = &b->losses.rows;

    (void)leaves;
    (void)err;
    calls.added++;
    b->fresh = gr_row_adds_gradient(rows);
    for (size_t r = 0; r < rows->rows; r++)
        gr_row_add(rows, output, r, b->leaf_of, values, b->fresh);
    return GRADUS_OK;
}

static gradus_status boost_fetch(void *argument, double *scores, gradus_error *err)
{
    const gr_row_losses *rows = &((boosting *)argument)->losses.rows;

    (void)err;
    calls.fetched++;
    memcpy(scores, rows->scores, rows->outputs * rows->rows * sizeof *scores);
    return GRADUS_OK;
}

static gradus_status boost_lists(void *argument, const gr_device_lists *lists, gradus_error *err)
{
    boosting *b = argument;

    if (full)
        return gr_fail_memory(err, "emulated boosting");
    calls.listed++;
    emulated_lists_free(&b->lists);
    return emulated_lists_make(&b->lists, lists, b->losses.rows.scores, err);
}

static gradus_status boost_dcgs(void *argument, double *dcgs, gradus_error *err)
{
    enum { THREADS = 64 };

    calls.ranked++;
    return emulated_lists_dcgs(&((boosting *)argument)->lists, THREADS, dcgs, err);
}

const gr_boost_device emulated_boosting = { boost_open,  boost_gradients, boost_sums, boost_add,
                                            boost_fetch, boost_lists,     boost_dcgs, boost_close };
