/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and sets of names, growing arrays, checked sizes, suggestions, checksums, messages. */
#include "checks.h"

#include "base/crc32c.h"
#include "base/names.h"
#include "base/rng.h"
#include "base/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void test_sizes_cannot_wrap(void **state)
{
    size_t out = 0;

    (void)state;
    assert_true(gr_size_times(3, 5, &out));
    assert_int_equal(out, 15);
    assert_true(gr_size_times(SIZE_MAX, 1, &out));
    assert_false(gr_size_times(SIZE_MAX / 2 + 1, 2, &out));
    assert_true(gr_size_plus(SIZE_MAX - 1, 1, &out));
    assert_false(gr_size_plus(SIZE_MAX, 1, &out));
    assert_null(gr_new_array(SIZE_MAX / 4, 8));
    void *none = gr_new_array(0, 8);
    assert_non_null(none);
    free(none);
}

static void test_arenas_zero_align_and_report_failure(void **state)
{
    gr_arena arena = { 0 };

    (void)state;
    for (size_t i = 0; i < 50; i++) {
        unsigned char *bytes = gr_arena_array(&arena, i, 3);

        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
        for (size_t b = 0; b < 3 * i; b++) {
            assert_int_equal(bytes[b], 0);
            bytes[b] = 1;
        }
    }
    assert_false(arena.failed);
    assert_null(gr_arena_array(&arena, SIZE_MAX / 4, 8));
    assert_null(gr_arena_array(&arena, SIZE_MAX - 1, 1));
    assert_true(arena.failed);
    assert_non_null(gr_arena_array(&arena, 1, 1));
    assert_true(arena.failed); /* until the arena is freed */
    gr_arena_free(&arena);
    assert_false(arena.failed);
    gr_arena_free(&arena);
}

/* Contents survive the move from the heap to mapped pages, and every later growth. */
static void test_arrays_grow_and_keep_their_content(void **state)
{
    gr_array array = { NULL, 0, false };
    size_t used = 0;

    (void)state;
    assert_true(gr_array_reserve(&array, 0));
    assert_non_null(array.at);
    for (size_t bytes = 1; bytes < (size_t)24 << 20; bytes = bytes * 5 / 3 + 8) {
        assert_true(gr_array_reserve(&array, bytes));
        assert_true(array.capacity >= bytes);
        unsigned char *at = array.at;
        for (size_t i = 0; i < used; i += 61)
            assert_int_equal(at[i], (unsigned char)(i * 7));
        for (used = 0; used < bytes; used++)
            at[used] = (unsigned char)(used * 7);
    }
    assert_true(array.mapped);
    assert_true(gr_array_reserve(&array, 10)); /* never shrinks */
    assert_true(array.capacity >= used);
    assert_false(gr_array_reserve(&array, SIZE_MAX));
    assert_false(gr_array_reserve(&array, SIZE_MAX - 100));
    assert_int_equal(((unsigned char *)array.at)[7], 49); /* unchanged by a failure */
    gr_array_free(&array);
    assert_null(array.at);
    assert_int_equal(array.capacity, 0);
    gr_array_free(&array);
}

static void test_names_are_kept_in_order(void **state)
{
    gr_name_list list = { 0 };
    gr_names names;
    char name[300];

    (void)state;
    memset(name, 'x', sizeof name);
    for (size_t i = 0; i < 3000; i++)
        assert_true(gr_name_list_add(&list, name, i % 250));
    assert_true(gr_name_list_add(&list, "query 7", 5)); /* exactly as much as requested */
    names = gr_name_list_names(&list);
    assert_int_equal(names.count, 3001);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(strlen(gr_name_at(&names, i)), i % 250);
    assert_string_equal(gr_name_at(&names, 3000), "query");
    assert_string_equal(gr_name_at(&names, 3001), "");
    gr_name_list_free(&list);
}

static void test_sets_number_names_as_they_appear(void **state)
{
    enum { NAMES = 20000 };
    gr_name_set set = { 0 };
    char name[32];

    (void)state;
    assert_true(gr_name_set_find(&set, "a", 1) == SIZE_MAX);
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < NAMES; i++) {
            const size_t length = (size_t)snprintf(name, sizeof name, "%zu", i * 7919);

            assert_int_equal(gr_name_set_add(&set, name, length), i);
        }
    assert_int_equal(set.list.count, NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        const size_t length = (size_t)snprintf(name, sizeof name, "%zu", i * 7919);

        assert_int_equal(gr_name_set_find(&set, name, length), i);
    }
    assert_true(gr_name_set_find(&set, "x1", 2) == SIZE_MAX);
    assert_true(gr_name_set_find(&set, "7919", 3) == SIZE_MAX); /* "791" */
    assert_int_equal(gr_name_set_add(&set, "", 0), NAMES);
    assert_int_equal(gr_name_set_find(&set, "", 0), NAMES);
    gr_name_set_free(&set);
}

static void test_hash_depends_on_every_byte(void **state)
{
    unsigned char bytes[40] = { 0 };
    gr_rng rng = gr_rng_for(1, "hash", 0);

    (void)state;
    for (size_t size = 1; size <= sizeof bytes; size++) {
        const uint64_t plain = gr_hash(bytes, size);

        assert_true(gr_hash(bytes, size - 1) != plain);
        for (size_t i = 0; i < size; i++) {
            bytes[i] ^= (unsigned char)(1 + gr_rng_below(&rng, 255));
            assert_true(gr_hash(bytes, size) != plain);
            bytes[i] = 0;
        }
    }
}

static void test_crc32c_gives_the_known_answers(void **state)
{
    unsigned char bytes[1000];
    gr_rng rng = gr_rng_for(1, "crc", 0);

    (void)state;
    assert_true(gr_crc32c(0, "123456789", 9) == 0xe3069283);
    assert_true(gr_crc32c_reference(0, "123456789", 9) == 0xe3069283);
    memset(bytes, 0, 32); /* RFC 3720, B.4 */
    assert_true(gr_crc32c(0, bytes, 32) == 0x8a9136aa);
    memset(bytes, 0xff, 32);
    assert_true(gr_crc32c(0, bytes, 32) == 0x62a8ab43);
    assert_true(gr_crc32c(0, bytes, 0) == 0);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)gr_rng_word(&rng);
    for (size_t size = 0; size < 200; size++)
        for (size_t start = 0; start < 16; start++)
            assert_true(gr_crc32c(7, bytes + start, size) ==
                        gr_crc32c_reference(7, bytes + start, size));
    for (size_t cut = 0; cut <= sizeof bytes; cut += 37) /* the same in two parts as in one */
        assert_true(gr_crc32c(gr_crc32c(0, bytes, cut), bytes + cut, sizeof bytes - cut) ==
                    gr_crc32c_reference(0, bytes, sizeof bytes));
}

/* Many bytes are summed in several lanes. */
static void test_crc32c_of_many_bytes(void **state)
{
    enum { MOST = 300000 };
    static const size_t sizes[] = { 65535, 65536, 65543, 98304, 98305, 200001, MOST };
    unsigned char *bytes = gr_new_array(MOST + 3, 1);
    gr_rng rng = gr_rng_for(2, "crc", 0);

    (void)state;
    for (size_t i = 0; i < MOST + 3; i++)
        bytes[i] = (unsigned char)gr_rng_word(&rng);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t start = 0; start < 4; start++) {
            const uint32_t sum = gr_crc32c_reference(9, bytes + start, sizes[i]);

            assert_true(gr_crc32c(9, bytes + start, sizes[i]) == sum);
        }
    for (size_t cut = 0; cut <= MOST; cut += cut < 20 ? 1 : 41 * cut) {
        const uint32_t first = gr_crc32c(5, bytes, cut),
                       rest = gr_crc32c(0, bytes + cut, MOST - cut);

        assert_true(gr_crc32c_combine(first, rest, MOST - cut) == gr_crc32c(5, bytes, MOST));
    }
    free(bytes);
}

static void test_the_nearest_name_is_suggested(void **state)
{
    static const char *const names[] = { "ndcg", "dcg", "err", "map", "wilcoxon", "welch", "t" };
    char long_word[200];

    (void)state;
    assert_string_equal(gr_nearest("ngcd", names, 7), "ndcg"); /* the same letters */
    assert_string_equal(gr_nearest("wilc", names, 7), "wilcoxon");
    assert_string_equal(gr_nearest("er", names, 7), "err");
    assert_string_equal(gr_nearest("wilkoxon", names, 7), "wilcoxon");
    assert_string_equal(gr_nearest("wlech", names, 7), "welch"); /* a transposition counts one */
    assert_string_equal(gr_nearest("wech", names, 7), "welch");
    assert_null(gr_nearest("completely", names, 7));
    /* a different letter makes a different word, and two edits of a short word are too many */
    assert_null(gr_nearest("welsh", names, 7));
    assert_null(gr_nearest("trees", (const char *const[]){ "tries" }, 1));
    assert_null(gr_nearest("nap", names, 7));
    assert_null(gr_nearest("wlehc", names, 5));
    assert_null(gr_nearest("wlxoxn", names, 7));
    assert_null(gr_nearest("ndcg", NULL, 0));
    memset(long_word, 'w', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    assert_null(gr_nearest(long_word, names, 7));
    assert_ptr_equal(gradus_suggest("mpa", names, 7), names[3]);
}

static void test_unknown_names_are_answered(void **state)
{
    static const char *const names[] = { "ndcg", "err" };
    gradus_error err;

    (void)state;
    assert_int_equal(gr_fail_unknown(&err, "metric", "ngcd", names, 2), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "unknown metric 'ngcd'; did you mean 'ndcg'?");
    gr_fail_unknown(&err, "metric", "recall", names, 2);
    assert_string_equal(err.message, "unknown metric 'recall'; available: ndcg, err");
    gr_fail_unknown(&err, "metric", "recall", names, 1);
    assert_string_equal(err.message, "unknown metric 'recall'; available: ndcg");
}

static void test_messages_are_filled_once_and_cut_to_fit(void **state)
{
    gradus_error err;
    char path[600];

    (void)state;
    assert_int_equal(gr_fail(NULL, GRADUS_BAD_FORMAT, "x"), GRADUS_BAD_FORMAT);
    assert_int_equal(gr_fail_memory(&err, "scores"), GRADUS_NO_MEMORY);
    assert_string_equal(err.message, "not enough memory for scores");
    assert_int_equal(err.status, GRADUS_NO_MEMORY);
    gr_fail_errno(&err, "open", "a.txt", ENOENT);
    assert_string_equal(err.message, "cannot open 'a.txt': no such file or directory");
    assert_int_equal(err.status, GRADUS_NO_FILE);
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    gr_fail_errno(&err, "open", path, EACCES);
    assert_non_null(strstr(err.message, "permission denied")); /* truncation does not affect the
                                                                  reason */
    gr_fail(&err, GRADUS_BAD_FORMAT, "%s", path);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_cannot_wrap),
        cmocka_unit_test(test_arenas_zero_align_and_report_failure),
        cmocka_unit_test(test_arrays_grow_and_keep_their_content),
        cmocka_unit_test(test_names_are_kept_in_order),
        cmocka_unit_test(test_sets_number_names_as_they_appear),
        cmocka_unit_test(test_hash_depends_on_every_byte),
        cmocka_unit_test(test_crc32c_gives_the_known_answers),
        cmocka_unit_test(test_crc32c_of_many_bytes),
        cmocka_unit_test(test_the_nearest_name_is_suggested),
        cmocka_unit_test(test_unknown_names_are_answered),
        cmocka_unit_test(test_messages_are_filled_once_and_cut_to_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
