/* SPDX-License-Identifier: Apache-2.0 */
/* Failure of every allocation in the foundation: data, files, metrics, statistics. */
#include "failing_alloc.h"

#include "base/context.h"
#include "base/names.h"
#include "base/param.h"
#include "base/sink.h"
#include "base/source.h"
#include "bins/bins.h"
#include "statistics/compare.h"
#include "statistics/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- inputs of the scenarios, created before anything fails ---- */

enum { QUERIES = 60, ROWS = 40 };

static char folder[] = "/tmp/gradus-memory-XXXXXX";
static char plain_path[64], gzip_path[64], zstd_path[64], csv_path[64], binary_path[64],
    output_path[64];
static double system_a[QUERIES], system_b[QUERIES];

static void write_text(const char *path, gr_packing packing, const char *text)
{
    gr_sink *sink = gr_sink_open(path, packing, NULL);

    assert_non_null(sink);
    for (int i = 0; i < ROWS; i++) {
        char row[120];

        snprintf(row, sizeof row, text, i % 3, i / 8, (i * 7 % 10) / 10.0, i);
        assert_int_equal(gr_sink_write(sink, row, strlen(row), NULL), GRADUS_OK);
    }
    assert_int_equal(gr_sink_close(sink, NULL), GRADUS_OK);
}

static void copy_as(const char *format, const char *path)
{
    gradus_dataset *data = gradus_dataset_read(NULL, plain_path, NULL, NULL);
    gradus_options *options = gradus_options_new("write", NULL);

    assert_non_null(data);
    assert_int_equal(gradus_options_set(options, "output-format", format, NULL), GRADUS_OK);
    assert_int_equal(gradus_dataset_write(NULL, data, path, options, NULL), GRADUS_OK);
    gradus_options_free(options);
    gradus_dataset_free(data);
}

static int set_up(void **state)
{
    const char *letor = "%d qid:%d 1:%g 3:2.5 # docid = D%d\n";

    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(plain_path, sizeof plain_path, "%s/plain", folder);
    snprintf(gzip_path, sizeof gzip_path, "%s/gzip", folder);
    snprintf(zstd_path, sizeof zstd_path, "%s/zstd", folder);
    snprintf(csv_path, sizeof csv_path, "%s/csv", folder);
    snprintf(binary_path, sizeof binary_path, "%s/binary", folder);
    snprintf(output_path, sizeof output_path, "%s/output", folder);
    write_text(plain_path, GR_PLAIN, letor);
    write_text(gzip_path, GR_GZIP, letor);
    write_text(zstd_path, GR_ZSTD, letor);
    copy_as("csv", csv_path);
    copy_as("binary", binary_path);
    for (int q = 0; q < QUERIES; q++) {
        system_a[q] = (q * 37 % 101) / 101.0;
        system_b[q] = (q * 53 % 97) / 97.0;
    }
    return 0;
}

static int tear_down(void **state)
{
    const char *paths[] = { plain_path, gzip_path, zstd_path, csv_path, binary_path, output_path };

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        unlink(paths[i]);
    return rmdir(folder);
}

/* ---- the scenarios: each does its work and frees everything, even on failure ---- */

static gradus_status use_options(gradus_error *err)
{
    gradus_options *options = gradus_options_new("read", err);
    gradus_status status;

    if (!options)
        return err->status;
    status = gradus_options_set(options, "label-column", "first", err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "label-column", "second", err);
    gradus_options_free(options);
    return status;
}

static gradus_status compare_by(const char *test, size_t threads, gradus_error *err)
{
    const double *values[] = { system_a, system_b, system_a };
    gradus_context *context = threads ? gradus_context_new(threads, err) : NULL;
    gradus_options *options = NULL;
    gradus_comparison *comparison = NULL;
    gradus_status status = GRADUS_OK;

    if (!threads || context)
        options = gradus_options_new("compare", err);
    if (options && gradus_options_set(options, "test", test, err) == GRADUS_OK &&
        gradus_options_set(options, "resamples", "200", err) == GRADUS_OK)
        comparison = gradus_compare(context, 3, QUERIES, values, options, err);
    if (!comparison)
        status = err->status;
    gradus_comparison_free(comparison);
    gradus_options_free(options);
    gradus_context_free(context);
    return status;
}

static gradus_status compare_t(gradus_error *err)
{
    return compare_by("t", 0, err);
}

static gradus_status compare_welch(gradus_error *err)
{
    return compare_by("welch", 0, err);
}

static gradus_status compare_wilcoxon(gradus_error *err)
{
    return compare_by("wilcoxon", 0, err);
}

static gradus_status compare_randomization(gradus_error *err)
{
    return compare_by("randomization", 3, err);
}

static gradus_status compare_bootstrap(gradus_error *err)
{
    return compare_by("bootstrap", 3, err);
}

static gradus_status adjust(gradus_error *err)
{
    double p[] = { 0.01, 0.2, 0.03 }, adjusted[3];

    return gradus_adjust_p(p, 3, adjusted, err);
}

static gradus_status read_all(const char *path, gradus_error *err)
{
    char *bytes;
    size_t size;
    const gradus_status status = gr_source_read_all(path, 1 << 30, &bytes, &size, err);

    free(bytes);
    return status;
}

static gradus_status read_plain(gradus_error *err)
{
    return read_all(plain_path, err);
}

static gradus_status read_gzip(gradus_error *err)
{
    return read_all(gzip_path, err);
}

static gradus_status read_zstd(gradus_error *err)
{
    return read_all(zstd_path, err);
}

static gradus_status write_packed(gr_packing packing, gradus_error *err)
{
    gr_sink *sink = gr_sink_open(output_path, packing, err);
    gradus_status status;

    if (!sink)
        return err->status;
    status = gr_sink_write(sink, system_a, sizeof system_a, err);
    if (status != GRADUS_OK) {
        gr_sink_abandon(sink);
        return status;
    }
    return gr_sink_close(sink, err);
}

static gradus_status write_plain(gradus_error *err)
{
    return write_packed(GR_PLAIN, err);
}

static gradus_status write_gzip(gradus_error *err)
{
    return write_packed(GR_GZIP, err);
}

static gradus_status write_zstd(gradus_error *err)
{
    return write_packed(GR_ZSTD, err);
}

static gradus_status number_names(gradus_error *err)
{
    gr_name_set set = { 0 };
    gradus_status status = GRADUS_OK;

    for (unsigned i = 0; i < 300 && status == GRADUS_OK; i++) {
        char name[40];
        const int length = snprintf(name, sizeof name, "%020u", i);

        if (gr_name_set_add(&set, name, (size_t)length) == SIZE_MAX)
            status = gr_fail_memory(err, "names");
    }
    gr_name_set_free(&set);
    return status;
}

static gradus_status grow_array(gradus_error *err)
{
    gr_array array = { NULL, 0, false };
    gradus_status status = GRADUS_OK;

    for (size_t bytes = 1000; bytes < (size_t)6 << 20 && status == GRADUS_OK; bytes *= 3)
        if (!gr_array_reserve(&array, bytes))
            status = gr_fail_memory(err, "an array");
        else
            ((char *)array.at)[bytes - 1] = 1;
    gr_array_free(&array);
    return status;
}

static gradus_status step(void *argument, size_t index, size_t slot, gradus_error *err)
{
    (void)argument;
    (void)index;
    (void)slot;
    (void)err;
    return GRADUS_OK;
}

static gradus_status stream_items(gradus_error *err)
{
    const gr_stream stream = { .make = step, .take = step, .slots = 4 };
    gr_pool *pool = gr_pool_new(3, err);
    gradus_status status;

    if (!pool)
        return err->status;
    status = gr_pool_stream(pool, 20, &stream, err);
    gr_pool_free(pool);
    return status;
}

/* Reads a dataset with two threads and returns it. */
static gradus_status with_data(const char *path,
                               gradus_status (*use)(gradus_context *context,
                                                    const gradus_dataset *data, gradus_error *err),
                               gradus_error *err)
{
    gradus_context *context = gradus_context_new(2, err);
    gradus_dataset *data = context ? gradus_dataset_read(context, path, NULL, err) : NULL;
    gradus_status status = data ? GRADUS_OK : err->status;

    if (data && use)
        status = use(context, data, err);
    gradus_dataset_free(data);
    gradus_context_free(context);
    return status;
}

static gradus_status read_letor(gradus_error *err)
{
    return with_data(plain_path, NULL, err);
}

static gradus_status read_files(gradus_error *err)
{
    const char *const paths[] = { plain_path, gzip_path };
    gradus_options *options = gradus_options_new("read", err);
    gradus_dataset *data = NULL;

    if (options && gradus_options_set(options, "join-queries", "true", err) == GRADUS_OK)
        data = gradus_dataset_read_files(NULL, paths, 2, options, err);
    gradus_options_free(options);
    gradus_dataset_free(data);
    return data ? GRADUS_OK : err->status;
}

static gradus_status read_packed_letor(gradus_error *err)
{
    return with_data(zstd_path, NULL, err);
}

static gradus_status read_csv(gradus_error *err)
{
    return with_data(csv_path, NULL, err);
}

static gradus_status take_arrays(gradus_context *context, const gradus_dataset *data,
                                 gradus_error *err)
{
    gradus_arrays arrays;

    return gradus_dataset_arrays(context, data, &arrays, err);
}

static gradus_status read_binary(gradus_error *err)
{
    return with_data(binary_path, take_arrays, err);
}

static gradus_status write_as(gradus_context *context, const gradus_dataset *data,
                              const char *format, gradus_error *err)
{
    gradus_options *options = gradus_options_new("write", err);
    gradus_status status =
        options ? gradus_options_set(options, "output-format", format, err) : err->status;

    if (status == GRADUS_OK)
        status = gradus_dataset_write(context, data, output_path, options, err);
    gradus_options_free(options);
    return status;
}

static gradus_status write_letor_data(gradus_context *context, const gradus_dataset *data,
                                      gradus_error *err)
{
    return write_as(context, data, "text", err);
}

static gradus_status write_csv_data(gradus_context *context, const gradus_dataset *data,
                                    gradus_error *err)
{
    return write_as(context, data, "csv", err);
}

static gradus_status write_binary_data(gradus_context *context, const gradus_dataset *data,
                                       gradus_error *err)
{
    return write_as(context, data, "binary", err);
}

static gradus_status write_letor(gradus_error *err)
{
    return with_data(plain_path, write_letor_data, err);
}

static gradus_status write_csv(gradus_error *err)
{
    return with_data(plain_path, write_csv_data, err);
}

static gradus_status write_binary(gradus_error *err)
{
    return with_data(plain_path, write_binary_data, err);
}

static gradus_status transform_data(gradus_context *context, const gradus_dataset *data,
                                    gradus_error *err)
{
    gradus_dataset *made = gradus_dataset_transform(context, data, NULL, err);
    const gradus_status status = made ? GRADUS_OK : err->status;

    gradus_dataset_free(made);
    return status;
}

static gradus_status transform(gradus_error *err)
{
    return with_data(plain_path, transform_data, err);
}

static gradus_status split_data(gradus_context *context, const gradus_dataset *data,
                                gradus_error *err)
{
    const size_t chosen[] = { 3, 1 };
    size_t parts, part_of_query[ROWS];
    gradus_dataset *made;

    GR_TRY(gradus_dataset_split(data, NULL, part_of_query, &parts, err));
    made = gradus_dataset_subset(context, data, chosen, 2, err);
    if (!made)
        return err->status;
    gradus_dataset_free(made);
    return GRADUS_OK;
}

static gradus_status split(gradus_error *err)
{
    return with_data(plain_path, split_data, err);
}

static gradus_status describe_data(gradus_context *context, const gradus_dataset *data,
                                   gradus_error *err)
{
    gradus_description *description = gradus_describe(context, data, err);
    gradus_overlap *overlap = NULL;
    gradus_status status = GRADUS_OK;

    if (description)
        overlap = gradus_overlap_find(context, data, data, err);
    if (!description || !overlap)
        status = err->status;
    gradus_overlap_free(overlap);
    gradus_description_free(description);
    return status;
}

static gradus_status describe(gradus_error *err)
{
    return with_data(plain_path, describe_data, err);
}

static gradus_status bin_data(gradus_context *context, const gradus_dataset *data,
                              gradus_error *err)
{
    const gr_bin_options options = { GR_BINS_QUANTILE, 3, ROWS - 1, 1 };
    gr_bins bins;

    GR_TRY(gr_bins_new(data, &options, context, &bins, err));
    gr_bins_free(&bins);
    return GRADUS_OK;
}

static gradus_status bin_dense(gradus_error *err)
{
    return with_data(csv_path, bin_data, err);
}

/* Rows that each list the first feature and one other. */
static gradus_status bin_sparse(gradus_error *err)
{
    enum { FEATURES = 5 };
    uint64_t starts[ROWS + 1];
    uint32_t columns[2 * ROWS];
    float entries[2 * ROWS], labels[ROWS] = { 0 };
    const gradus_arrays arrays = { .rows = ROWS,
                                   .features = FEATURES,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .entries = entries,
                                   .labels = labels };
    gradus_dataset *data;
    gradus_status status;

    for (size_t r = 0; r <= ROWS; r++)
        starts[r] = 2 * r;
    for (size_t e = 0; e < 2 * ROWS; e++) {
        columns[e] = e % 2 ? 1 + (uint32_t)(e / 2 % (FEATURES - 1)) : 0;
        entries[e] = (float)(e * 7 % 13);
    }
    data = gradus_dataset_borrow(&arrays, err);
    if (!data)
        return err->status;
    status = bin_data(NULL, data, err);
    gradus_dataset_free(data);
    return status;
}

static gradus_status evaluate_data(gradus_context *context, const gradus_dataset *data,
                                   gradus_error *err)
{
    double scores[ROWS];
    gradus_options *options;
    gradus_evaluation *evaluation = NULL;
    gradus_status status = GRADUS_OK;

    GR_TRY(gradus_scores(context, data, "feature:1", 1, scores, err));
    GR_TRY(gradus_scores(context, data, "random", 1, scores, err));
    GR_TRY(gradus_scores_write(data, scores, output_path, NULL, err));
    GR_TRY(gradus_scores(context, data, output_path, 1, scores, err));
    options = gradus_options_new("evaluate", err);
    if (options)
        evaluation = gradus_evaluate(context, data, scores, options, err);
    if (!evaluation)
        status = err->status;
    gradus_evaluation_free(evaluation);
    gradus_options_free(options);
    return status;
}

static gradus_status evaluate(gradus_error *err)
{
    return with_data(plain_path, evaluate_data, err);
}

/* The cheapest synthetic dataset: the others draw thousands of rows to calibrate their grades. */
static gradus_status synthesize_mixture(gradus_error *err)
{
    gradus_context *context = gradus_context_new(2, err);
    gradus_options *options = context ? gradus_options_new("synth mixture", err) : NULL;
    gradus_status status = options ? gradus_options_set(options, "queries", "3", err) : err->status;
    gradus_dataset *made = NULL;

    if (status == GRADUS_OK) {
        made = gradus_synth(context, options, err);
        status = made ? gradus_synth_write(context, options, output_path, NULL, err) : err->status;
    }
    gradus_dataset_free(made);
    gradus_options_free(options);
    gradus_context_free(context);
    return status;
}

static const struct {
    const char *name;
    scenario run;
} scenarios[] = {
    { "options", use_options },
    { "compare: t", compare_t },
    { "compare: welch", compare_welch },
    { "compare: wilcoxon", compare_wilcoxon },
    { "compare: randomization, three threads", compare_randomization },
    { "compare: bootstrap, three threads", compare_bootstrap },
    { "adjust p", adjust },
    { "read a plain file", read_plain },
    { "read gzip", read_gzip },
    { "read zstd", read_zstd },
    { "write a plain file", write_plain },
    { "write gzip", write_gzip },
    { "write zstd", write_zstd },
    { "names", number_names },
    { "an array that grows", grow_array },
    { "a stream of tasks", stream_items },
    { "read LETOR text", read_letor },
    { "read packed LETOR text", read_packed_letor },
    { "read several files", read_files },
    { "read CSV", read_csv },
    { "read binary data", read_binary },
    { "write LETOR text", write_letor },
    { "write CSV", write_csv },
    { "write binary data", write_binary },
    { "transform", transform },
    { "split and subset", split },
    { "describe and overlap", describe },
    { "bins of dense rows", bin_dense },
    { "bins of sparse rows", bin_sparse },
    { "scores and evaluate", evaluate },
    { "synth mixture", synthesize_mixture },
};

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++)
        assert_true(exhaust(scenarios[s].name, scenarios[s].run) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_allocation_may_fail) };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
