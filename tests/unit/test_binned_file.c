/* SPDX-License-Identifier: Apache-2.0 */
/* Binned files: the models, scores and fingerprints of the files that they were made from; what they
 * refuse; damaged, truncated and hostile ones. */
#include "random_sets.h"
#include "seal.h"
#include "synthetic_sets.h"
#include "train_model.h"

#include "bins/attached.h"
#include "bins/bins_file.h"
#include "data/binary.h"

#include <math.h>

static char plain_path[128], binned_path[128];

static const set_kind kinds[] = {
    { 700, 23, 60, .first_id = 1, .query_names = true },
    { 700, 40, 60, .first_id = 0, .query_names = true, .documents = true, .feature_names = true,
      .row_weights = true, .query_weights = true, .scattered = true },
    { 700, 60, 50, .first_id = 1, .sparse = true, .query_names = true },
    { 700, 60, 50, .first_id = 1, .sparse = true, .row_weights = true },
    { 40, 1, 4, .first_id = 1 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static gradus_options *bin_options(const char *const *pairs)
{
    gradus_options *options = gradus_options_new("bin", NULL);

    for (size_t i = 0; pairs && pairs[i]; i += 2)
        assert_int_equal(gradus_options_set(options, pairs[i], pairs[i + 1], NULL), GRADUS_OK);
    return options;
}

/* A tree that separates missing values sends infinite ones with them when it scores values, but not
 * when it is trained: they are left out. */
static gradus_dataset *finite_set(const set_kind *kind, uint64_t seed)
{
    gradus_dataset *set = random_set(kind, seed);
    const gr_part part = kind->sparse ? GR_ENTRIES : GR_VALUES;
    float *values = set->owned[part].at;

    for (uint64_t i = 0; i < gr_part_count(set, part); i++)
        values[i] = isinf(values[i]) ? 1e30f : values[i];
    return set;
}

/* Writes a set as it is and binned, and reads both again. */
static void make_both(const set_kind *kind, uint64_t seed, const char *const *pairs,
                      gradus_dataset **plain, gradus_dataset **binned)
{
    gradus_options *options = bin_options(pairs);
    gradus_dataset *set = finite_set(kind, seed);
    const char *const paths[] = { in_folder(plain_path, test_folder, "plain.bin") };
    gradus_error err;

    in_folder(binned_path, test_folder, "binned.bin");
    assert_int_equal(gradus_dataset_write(NULL, set, plain_path, NULL, &err), GRADUS_OK);
    assert_int_equal(gradus_bin_files(NULL, paths, 1, NULL, options, binned_path, &err), GRADUS_OK);
    *plain = gradus_dataset_read(NULL, plain_path, NULL, &err);
    *binned = gradus_dataset_read(NULL, binned_path, NULL, &err);
    assert_non_null(*plain);
    assert_non_null(*binned);
    assert_true(gr_dataset_lacks_values(*binned));
    gradus_dataset_free(set);
    gradus_options_free(options);
}

static void end_both(gradus_dataset *plain, gradus_dataset *binned)
{
    gradus_dataset_free(plain);
    gradus_dataset_free(binned);
    assert_int_equal(unlink(plain_path), 0);
    assert_int_equal(unlink(binned_path), 0);
}

static void check_same(const gradus_dataset *plain, const gradus_dataset *binned,
                       const char *const *with, const char *const *without)
{
    const size_t rows = gradus_dataset_rows(plain);
    double *first = calloc(rows, sizeof *first), *second = calloc(rows, sizeof *second);
    gradus_model *expected = train_model(1, plain, NULL, with);
    gradus_error err;

    for (size_t threads = 1; threads <= 3; threads += 2) {
        gradus_model *model = train_model(threads, binned, NULL, without);

        check_same_model(model, expected);
        gradus_model_free(model);
    }
    assert_int_equal(gradus_model_score(NULL, expected, plain, first, &err), GRADUS_OK);
    assert_int_equal(gradus_model_score(NULL, expected, binned, second, &err), GRADUS_OK);
    assert_memory_equal(first, second, rows * sizeof *first);
    gradus_model_free(expected);
    free(first);
    free(second);
}

/* The binning options that the file was made with need not be given again. */
static void test_same_models(void **state)
{
    static const char *const sizes[] = { "60", "255", "300" };

    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t b = 0; b < 3; b++) {
            const char *const sample = b ? "200000" : "300", *scheme = b ? "quantile" : "adaptive";
            uint64_t first = 0, second = 1;
            gradus_dataset *plain, *binned;
            gradus_error err;

            make_both(&kinds[k], k,
                      PAIRS("bins", sizes[b], "bin-sample", sample, "binning", scheme), &plain,
                      &binned);
            gradus_dataset_fingerprint(NULL, plain, &first, &err);
            gradus_dataset_fingerprint(NULL, binned, &second, &err);
            assert_int_equal(first, second);
            check_same(plain, binned,
                       PAIRS("method", "regression", "rounds", "4", "min-rows", "3", "bins",
                             sizes[b], "bin-sample", sample, "binning", scheme),
                       PAIRS("method", "regression", "rounds", "4", "min-rows", "3"));
            end_both(plain, binned);
        }
}

static void check_refused(const gradus_dataset *data, const char *const *pairs, const char *why)
{
    gradus_options *options = train_options(pairs);
    const gradus_training_input input = { .train = data };
    gradus_error err = { GRADUS_OK, "" };

    assert_null(gradus_training_new(NULL, &input, options, &err));
    if (!strstr(err.message, why))
        fail_msg("'%s' does not contain '%s'", err.message, why);
    gradus_options_free(options);
}

static void test_refused_uses(void **state)
{
    gradus_dataset *plain, *binned;
    gradus_arrays arrays;
    gradus_error err;
    const char *const paths[] = { binned_path };

    (void)state;
    make_both(&kinds[0], 3, PAIRS("bin-sample", "300"), &plain, &binned);
    check_refused(binned, PAIRS("method", "ranksvm"), "needs values");
    check_refused(binned, PAIRS("method", "regression", "learner", "linear"), "needs values");
    check_refused(binned, PAIRS("method", "regression", "bins", "63"), "'bins 255', not 63");
    check_refused(binned, PAIRS("method", "regression", "binning", "adaptive"),
                  "'binning quantile'");
    check_refused(binned, PAIRS("method", "regression", "bin-sample", "0"),
                  "'bin-sample 300', not 0");
    check_refused(binned, PAIRS("method", "regression", "seed", "2"), "'seed 1', not 2");
    assert_int_equal(gradus_dataset_arrays(NULL, binned, &arrays, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "has bins instead of values"));
    assert_int_equal(gradus_bin_files(NULL, paths, 1, NULL, NULL, plain_path, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "is binned already"));
    end_both(plain, binned);
    make_both(&kinds[0], 3, NULL, &plain, &binned); /* all rows: any seed samples the same */
    check_same(plain, binned, PAIRS("method", "regression", "seed", "2", "rounds", "2"),
               PAIRS("method", "regression", "seed", "2", "rounds", "2"));
    end_both(plain, binned);
}

/* A model that splits between other values than the bins. */
static void test_other_thresholds(void **state)
{
    gradus_dataset *plain, *binned;
    gradus_error err;

    (void)state;
    make_both(&kinds[0], 5, PAIRS("bins", "10"), &plain, &binned);
    gradus_model *other = train_model(1, plain, NULL, PAIRS("method", "regression", "rounds", "3"));
    double *scores = calloc(gradus_dataset_rows(plain), sizeof *scores);
    gradus_options *options = train_options(PAIRS("method", "regression"));
    const gradus_training_input input = { .train = binned, .start = other };

    assert_int_equal(gradus_model_score(NULL, other, binned, scores, &err), GRADUS_BAD_ARGUMENT);
    assert_null(gradus_training_new(NULL, &input, options, &err));
    assert_non_null(strstr(err.message, "splits between other values"));
    gradus_options_free(options);
    free(scores);
    gradus_model_free(other);
    end_both(plain, binned);
}

/* ---- Damage ---- */

/* Opens bytes as a file and uses whatever it accepts; whether it accepts everything. */
static bool accepted(const char *bytes, size_t size)
{
    gr_array array = { malloc(size ? size : 1), size, false };
    gradus_error err = { GRADUS_OK, "" };
    gr_bins bins;
    bool good;

    memcpy(array.at, bytes, size);
    gradus_dataset *data = gr_binary_from_memory(&array, size, "x.bin", &err);

    good = data && gr_bins_file_attach(data, NULL, &err) == GRADUS_OK &&
           gr_dataset_lacks_values(data) &&
           gr_dataset_need(data, GR_NEED_ALL & ~(unsigned)GR_NEED_VALUES, NULL, &err) == GRADUS_OK;
    if (good) {
        const gr_bin_options options = *gr_attached_options(data->binned->state);
        float *row = calloc(data->arrays.features, sizeof *row);

        for (size_t r = 0; r < data->arrays.rows; r++)
            data->binned->decode(data->binned->state, r, r + 1, row);
        free(row);
        good = gr_bins_new(data, &options, NULL, &bins, &err) == GRADUS_OK;
        if (good)
            gr_bins_free(&bins);
    }
    assert_true(good || err.message[0]);
    gradus_dataset_free(data);
    return good;
}

static char *made_bytes(const set_kind *kind, size_t *size)
{
    gradus_dataset *plain, *binned;

    make_both(kind, 9, PAIRS("bins", "12"), &plain, &binned);
    char *bytes = file_bytes(binned_path, size);

    end_both(plain, binned);
    return bytes;
}

static const set_kind small[] = {
    { 60, 9, 6, .first_id = 1, .query_names = true },
    { 60, 20, 6, .first_id = 1, .sparse = true },
};

static void test_damage_is_found(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        size_t size;
        char *bytes = made_bytes(&small[k], &size);
        size_t missed = 0;

        assert_true(accepted(bytes, size));
        for (size_t cut = 0; cut < size; cut += 1 + size / 300)
            assert_false(accepted(bytes, cut));
        for (size_t at = 0; at < size; at++) {
            bytes[at] ^= 16;
            missed += accepted(bytes, size); /* in the gaps between sections */
            bytes[at] ^= 16;
        }
        assert_in_range(missed, 0, 64 * 18);
        bytes[12] = 3; /* a newer version, which this one cannot know */
        seal_file(bytes, size);
        assert_false(accepted(bytes, size));
        bytes[12] = 1; /* the old version has no bins */
        seal_file(bytes, size);
        assert_false(accepted(bytes, size));
        free(bytes);
    }
}

/* Any content with correct checksums is refused or can be used. */
static void test_hostile_content_is_harmless(void **state)
{
    gr_rng rng = gr_rng_for(4, "hostile", 0);
    size_t refused = 0;

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        size_t size;
        char *bytes = made_bytes(&small[k], &size), *copy = malloc(size);

        for (size_t i = 0; i < 3000; i++) {
            memcpy(copy, bytes, size);
            for (size_t n = 1 + gr_rng_below(&rng, 3); n > 0; n--) {
                const size_t at = 512 + gr_rng_below(&rng, size - 512);

                copy[at] = (char)gr_rng_below(&rng, 3) ? (char)(copy[at] + 1) : (char)0xff;
            }
            seal_file(copy, size);
            refused += !accepted(copy, size);
        }
        free(copy);
        free(bytes);
    }
    assert_in_range(refused, 100, 5999); /* neither all nor none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_models),
        cmocka_unit_test(test_refused_uses),
        cmocka_unit_test(test_other_thresholds),
        cmocka_unit_test(test_damage_is_found),
        cmocka_unit_test(test_hostile_content_is_harmless),
    };

    return cmocka_run_group_tests(tests, set_up_folder, tear_down_folder);
}
