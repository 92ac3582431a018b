/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: every task runs once, streams keep their order, the first error wins. */
#include "checks.h"

#include "base/context.h"
#include "base/ranges.h"

#include <stdatomic.h>
#include <string.h>

enum { TASKS = 5000 };

typedef struct tally {
    atomic_int runs[TASKS];
    atomic_bool bad_worker;
    size_t threads;
} tally;

static void count_run(void *argument, size_t index, size_t worker)
{
    tally *t = argument;

    atomic_fetch_add(&t->runs[index], 1);
    if (worker >= t->threads)
        atomic_store(&t->bad_worker, true);
}

static void check_run(gr_pool *pool, size_t tasks)
{
    static tally t;

    memset(&t, 0, sizeof t);
    t.threads = gr_pool_threads(pool);
    gr_pool_run(pool, tasks, count_run, &t);
    for (size_t i = 0; i < TASKS; i++)
        assert_int_equal(atomic_load(&t.runs[i]), i < tasks);
    assert_false(atomic_load(&t.bad_worker));
}

static void test_every_task_runs_once(void **state)
{
    static const size_t threads[] = { 1, 2, 3, 8 }, tasks[] = { 0, 1, 2, 7, 100, TASKS };

    (void)state;
    for (size_t c = 0; c < sizeof tasks / sizeof *tasks; c++)
        check_run(NULL, tasks[c]);
    for (size_t t = 0; t < 4; t++) {
        gr_pool *pool = gr_pool_new(threads[t], NULL);

        assert_non_null(pool);
        assert_int_equal(gr_pool_threads(pool), threads[t]);
        for (int again = 0; again < 5; again++)
            for (size_t c = 0; c < sizeof tasks / sizeof *tasks; c++)
                check_run(pool, tasks[c]);
        gr_pool_free(pool);
    }
}

typedef struct coverage {
    tally items; /* runs of each item */
    size_t count, size;
    atomic_size_t ranges;
} coverage;

static void count_items(void *argument, gr_range range)
{
    coverage *c = argument;
    const size_t left = c->count - range.first;

    if (range.worker >= c->items.threads || range.first != range.index * c->size ||
        range.end - range.first != (left < c->size ? left : c->size))
        atomic_store(&c->items.bad_worker, true);
    for (size_t i = range.first; i < range.end; i++)
        atomic_fetch_add(&c->items.runs[i], 1);
    atomic_fetch_add(&c->ranges, 1);
}

static void check_ranges(gr_pool *pool, size_t count, size_t size)
{
    static coverage c;

    memset(&c, 0, sizeof c);
    c.items.threads = gr_pool_threads(pool);
    c.count = count;
    c.size = size;
    gr_for_ranges(pool, count, size, count_items, &c);
    assert_int_equal(atomic_load(&c.ranges), gr_range_count(count, size));
    assert_int_equal(gr_try_ranges(pool, count, size, count_items, &c, NULL), GRADUS_OK);
    for (size_t i = 0; i < TASKS; i++)
        assert_int_equal(atomic_load(&c.items.runs[i]), i < count ? 2 : 0);
    assert_false(atomic_load(&c.items.bad_worker));
}

static void test_ranges_cover_every_item_once(void **state)
{
    static const size_t counts[] = { 0, 1, 99, 100, 101, TASKS }, sizes[] = { 1, 100, TASKS + 1 };
    gr_pool *pool = gr_pool_new(3, NULL);

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            check_ranges(NULL, counts[c], sizes[s]);
            check_ranges(pool, counts[c], sizes[s]);
        }
    gr_pool_free(pool);
    assert_int_equal(gr_range_count(0, 7), 0);
    assert_int_equal(gr_range_count(7, 7), 1);
    assert_int_equal(gr_range_count(8, 7), 2);
}

/* Rounds so short that helpers are still waking up when the next one begins. */
static void test_many_short_rounds(void **state)
{
    gr_pool *pool = gr_pool_new(4, NULL);

    (void)state;
    for (int round = 0; round < 300; round++)
        check_run(pool, 3);
    gr_pool_free(pool);
}

static void test_default_is_every_processor(void **state)
{
    gr_pool *pool = gr_pool_new(0, NULL);
    gradus_context *context = gradus_context_new(3, NULL);

    (void)state;
    assert_true(gr_pool_threads(pool) >= 1);
    gr_pool_free(pool);
    assert_int_equal(gr_pool_threads(NULL), 1);
    assert_int_equal(gradus_context_threads(context), 3);
    assert_int_equal(gradus_context_threads(NULL), 1);
    gradus_context_free(context);
    gradus_context_free(NULL);
    gr_pool_free(NULL);
}

typedef struct relay {
    size_t slots[GR_STREAM_SLOTS]; /* the item in each slot */
    size_t taken;
    size_t fail_make, fail_make_too, fail_take;
} relay;

static gradus_status make_item(void *argument, size_t index, size_t slot, gradus_error *err)
{
    relay *r = argument;

    r->slots[slot] = index;
    if (index == r->fail_make || index == r->fail_make_too)
        return gr_fail(err, GRADUS_BAD_FORMAT, "item %zu", index);
    return GRADUS_OK;
}

static gradus_status take_item(void *argument, size_t index, size_t slot, gradus_error *err)
{
    relay *r = argument;

    assert_int_equal(index, r->taken++);
    assert_int_equal(r->slots[slot], index);
    return index == r->fail_take ? gr_fail(err, GRADUS_CANCELLED, "take %zu", index) : GRADUS_OK;
}

static gradus_status run_stream(gr_pool *pool, size_t count, size_t slots, relay *r,
                                gradus_error *err)
{
    const gr_stream stream = {
        .make = make_item, .take = take_item, .argument = r, .slots = slots
    };

    return gr_pool_stream(pool, count, &stream, err);
}

static void test_streams_keep_their_order(void **state)
{
    static const size_t counts[] = { 0, 1, 5, 8, 9, 1000 };

    (void)state;
    for (size_t threads = 1; threads <= 4; threads++) {
        gr_pool *pool = gr_pool_new(threads, NULL);

        assert_int_equal(gr_stream_slots(pool), 4 * threads);
        for (size_t c = 0; c < 6; c++)
            for (size_t slots = 1; slots <= GR_STREAM_SLOTS; slots *= 2) {
                relay r = { { 0 }, 0, SIZE_MAX, SIZE_MAX, SIZE_MAX };

                assert_int_equal(run_stream(pool, counts[c], slots, &r, NULL), GRADUS_OK);
                assert_int_equal(r.taken, counts[c]);
            }
        gr_pool_free(pool);
    }
    assert_int_equal(gr_stream_slots(NULL), 4);
}

/* Of two failures in one wave the first in order is reported, whichever occurred first in time. */
static void test_the_first_error_of_a_stream_wins(void **state)
{
    gr_pool *pool = gr_pool_new(4, NULL);

    (void)state;
    for (int again = 0; again < 50; again++) {
        relay r = { { 0 }, 0, 22, 21, SIZE_MAX };
        gradus_error err = { GRADUS_OK, "" };

        assert_int_equal(run_stream(pool, 100, 8, &r, &err), GRADUS_BAD_FORMAT);
        assert_string_equal(err.message, "item 21");
        assert_int_equal(r.taken, 21);
        r = (relay){ { 0 }, 0, 22, SIZE_MAX, 20 };
        assert_int_equal(run_stream(pool, 100, 8, &r, &err), GRADUS_CANCELLED);
        assert_string_equal(err.message, "take 20");
        r = (relay){ { 0 }, 0, 0, SIZE_MAX, SIZE_MAX };
        assert_int_equal(run_stream(pool, 100, 8, &r, NULL), GRADUS_BAD_FORMAT);
        assert_int_equal(r.taken, 0);
    }
    gr_pool_free(pool);
}

static void keep_note(void *user, const char *note)
{
    strcpy(user, note);
}

static void test_notes_reach_the_listener(void **state)
{
    gradus_context *context = gradus_context_new(1, NULL);
    char heard[600] = "";

    (void)state;
    gr_note(NULL, "nobody hears %d", 1);
    gr_note(context, "nobody hears %d", 2);
    gradus_context_on_note(context, keep_note, heard);
    gr_note(context, "%d rows were regrouped", 12);
    assert_string_equal(heard, "12 rows were regrouped");
    gr_note(context, "%0700d", 1); /* truncated, not overrun */
    assert_int_equal(strlen(heard), 511);
    gradus_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_task_runs_once),
        cmocka_unit_test(test_ranges_cover_every_item_once),
        cmocka_unit_test(test_many_short_rounds),
        cmocka_unit_test(test_default_is_every_processor),
        cmocka_unit_test(test_streams_keep_their_order),
        cmocka_unit_test(test_the_first_error_of_a_stream_wins),
        cmocka_unit_test(test_notes_reach_the_listener),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
