/* SPDX-License-Identifier: Apache-2.0 */
/* Small folds and cross-validations for the tests of experiments/. */
#ifndef GR_TESTS_TRIALS_H
#define GR_TESTS_TRIALS_H

#include "synths.h"

#include "experiments/crossval.h"

/* Queries of McRank's artificial data with five features, from a given first one on. */
static inline gradus_dataset *queries_from(const char *first, const char *count)
{
    return make_with(1, "mcrank",
                     PAIRS("queries", count, "documents", "8", "features", "5", "grade-fractions",
                           "60,30,10", "first-query", first));
}

/* A path unique to this process; valid until the next call. */
static inline const char *temporary_path(const char *ending)
{
    static char path[96];

    snprintf(path, sizeof path, "/tmp/test_experiments_%d%s", (int)getpid(), ending);
    return path;
}

static inline void write_whole(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static inline char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    assert_non_null(file);
    assert_non_null(text);
    fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

/* Stores {"x": number} under a key. */
static inline gradus_status add_number(gr_journal *journal, const char *key, double number,
                                       gradus_error *err)
{
    gr_json_writer value = { 0 };

    gr_json_open(&value, NULL, '{');
    gr_json_put_number(&value, "x", number);
    gr_json_close(&value, '}');
    const gradus_status status = gr_journal_add(journal, key, &value, err);

    gr_json_writer_free(&value);
    return status;
}

#endif
