/* SPDX-License-Identifier: Apache-2.0 */
/* Graded rows in queries, and models trained on them, for the tests of ranking methods. */
#include "query_sets.h"

#include "model/model.h"
#include "model/model_read.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

query_set make_query_set(size_t queries, uint64_t seed, bool missing)
{
    gr_rng rng = gr_rng_for(seed, "set", queries);
    query_set s = { .queries = queries,
                    .values = calloc(queries * 20 * SET_FEATURES, sizeof(float)),
                    .labels = calloc(queries * 20, sizeof(float)),
                    .starts = calloc(queries + 1, sizeof(uint64_t)) };

    for (size_t q = 0; q < queries; q++) {
        const size_t count = q < 2 ? q + 1 : 5 + gr_rng_below(&rng, 16);

        for (size_t i = 0; i < count; i++, s.rows++) {
            float *row = s.values + s.rows * SET_FEATURES;
            double sum;

            for (size_t f = 0; f < SET_FEATURES; f++)
                row[f] = (float)gr_rng_normal(&rng);
            sum = (double)(row[0] * row[1] + 1.5f * row[2]) + 0.3 * gr_rng_normal(&rng);
            s.labels[s.rows] = q == 2 ? 1.0f : sum > 2.0 ? 2.0f : sum > 0.5 ? 1.0f : 0.0f;
            if (missing && gr_rng_below(&rng, 11) == 0)
                row[4] = NAN;
        }
        s.starts[q + 1] = s.rows;
    }
    const gradus_arrays arrays = { .rows = s.rows,
                                   .features = SET_FEATURES,
                                   .values = s.values,
                                   .stride = SET_FEATURES,
                                   .labels = s.labels,
                                   .queries = queries,
                                   .query_starts = s.starts };
    s.data = gradus_dataset_borrow(&arrays, NULL);
    assert_non_null(s.data);
    return s;
}

void end_query_set(query_set *s)
{
    gradus_dataset_free(s->data);
    free(s->values);
    free(s->labels);
    free(s->starts);
}

gradus_options *training_options(const char *method, const char *more)
{
    gradus_options *options = gradus_options_new("train", NULL);
    char words[200], *place = words, *name;

    assert_int_equal(gradus_options_set(options, "method", method, NULL), GRADUS_OK);
    snprintf(words, sizeof words, "%s", more);
    while ((name = strsep(&place, " ")) && *name) {
        char *value = strchr(name, '=');

        *value++ = '\0';
        assert_int_equal(gradus_options_set(options, name, value, NULL), GRADUS_OK);
    }
    return options;
}

gradus_model *train_on(size_t threads, const query_set *train, const query_set *valid,
                       const char *method, const char *more, gradus_error *err)
{
    gradus_options *options = training_options(method, more);
    gradus_context *context = gradus_context_new(threads, NULL);
    gradus_model *model =
        gradus_train(context, train->data, valid ? valid->data : NULL, options, err);

    gradus_options_free(options);
    gradus_context_free(context);
    return model;
}

void check_thread_counts(const query_set *train, const query_set *valid, const char *method,
                         const char *more)
{
    static const size_t threads[] = { 2, 3, 8 };
    gradus_model *model = train_on(1, train, valid, method, more, NULL);
    size_t size, other_size;
    char *bytes = model_bytes(model, &size);

    gradus_model_free(model);
    for (size_t t = 0; t < 3; t++) {
        gradus_model *other = train_on(threads[t], train, valid, method, more, NULL);
        char *other_bytes = model_bytes(other, &other_size);

        assert_int_equal(size, other_size);
        assert_memory_equal(bytes, other_bytes, size);
        free(other_bytes);
        gradus_model_free(other);
    }
    free(bytes);
}

double fraction_in_order(const query_set *s, const gradus_model *model)
{
    double *scores = calloc(s->rows, sizeof *scores), pairs = 0.0, right = 0.0;

    assert_int_equal(gradus_model_score(NULL, model, s->data, scores, NULL), GRADUS_OK);
    for (size_t q = 0; q < s->queries; q++)
        for (uint64_t i = s->starts[q]; i < s->starts[q + 1]; i++)
            for (uint64_t j = s->starts[q]; j < s->starts[q + 1]; j++)
                if (s->labels[i] > s->labels[j]) {
                    pairs += 1.0;
                    right += scores[i] > scores[j];
                }
    free(scores);
    return right / pairs;
}

void check_resumed(const query_set *train, const query_set *valid, size_t rounds,
                   const char *method, const char *more)
{
    gradus_options *options = training_options(method, more);
    gradus_training_input input = { .train = train->data, .valid = valid->data };
    gradus_training *training = gradus_training_new(NULL, &input, options, NULL);
    gradus_model *half, *model = train_on(1, train, valid, method, more, NULL);
    size_t size, whole, half_size;
    char *wanted = model_bytes(model, &whole), *half_bytes, *bytes;
    bool done = false;

    for (size_t round = 0; round < rounds; round++)
        assert_int_equal(gradus_training_step(training, &done, NULL), GRADUS_OK);
    half = gradus_training_checkpoint(training, NULL);
    half_bytes = model_bytes(half, &half_size);
    gradus_training_free(training);
    gradus_model_free(half);
    gradus_model_free(model);
    half = gr_model_parse(half_bytes, half_size, "it", NULL);
    assert_non_null(half);
    input.start = half;
    input.resume = true;
    training = gradus_training_new(NULL, &input, options, NULL);
    assert_non_null(training);
    for (done = false; !done;)
        assert_int_equal(gradus_training_step(training, &done, NULL), GRADUS_OK);
    model = gradus_training_finish(training, NULL);
    bytes = model_bytes(model, &size);
    assert_int_equal(size, whole);
    assert_memory_equal(bytes, wanted, size);
    gradus_training_free(training);
    gradus_model_free(model);
    gradus_model_free(half);
    gradus_options_free(options);
    free(bytes);
    free(half_bytes);
    free(wanted);
}
