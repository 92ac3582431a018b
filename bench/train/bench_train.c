/* SPDX-License-Identifier: Apache-2.0 */
/* Trains once and prints one line of JSON: the seconds of binning and of the rounds, without
 * loading; processor seconds of the rounds, which other work on the machine disturbs less; the peak
 * anonymous memory; and, with test data, the quality of the model.
 *
 * Anonymous memory is the maximum RssAnon of /proc/self/status: sampled by a thread every two
 * milliseconds if requested (`sample`), otherwise read after binning and after each round. It does
 * not include a mapped data file.
 *
 * With --device PLUGIN (libgradus-cuda.so) it trains on a GPU. fit_seconds is everything but binning:
 * for a GPU also what is copied to it and back.
 *
 * scanned_rows is the average number of rows that a tree must scan: all rows for its root, and the
 * smaller side of each split but the last, the other side being obtained by subtraction. Multiplied
 * by the number of features it is the number of additions to histograms, the measure of work for
 * the seconds. */
#include "gradus.h"
#include "cpu_limit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { SAMPLE_NANOSECONDS = 2000000 };

typedef struct times {
    double wall, processor;
} times;

typedef struct sampler {
    pthread_t thread;
    atomic_bool ended;
    double most;
} sampler;

static void fail(const char *why)
{
    fprintf(stderr, "bench_train: %s\n", why);
    exit(1);
}

static times now(void)
{
    struct timespec t;
    struct rusage use;

    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &use);
    return (times){ (double)t.tv_sec + 1e-9 * (double)t.tv_nsec,
                    (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                        1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) };
}

static double anonymous_bytes(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kilobytes = 0.0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %lf", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return 1024.0 * kilobytes;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void *sample(void *given)
{
    sampler *s = given;
    const struct timespec pause = { 0, SAMPLE_NANOSECONDS };

    while (!atomic_load(&s->ended)) {
        s->most = larger(s->most, anonymous_bytes());
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static gradus_dataset *load(gradus_context *context, const char *path)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays arrays;
    gradus_dataset *data = gradus_dataset_read(context, path, NULL, &err);

    /* reading the arrays verifies a binary file and loads it into memory */
    if (!data || gradus_dataset_arrays(context, data, &arrays, &err) != GRADUS_OK)
        fail(err.message);
    return data;
}

static gradus_options *read_options(char **words, int count)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);

    if (!options)
        fail(err.message);
    for (int i = 0; i < count; i++) {
        char *equals = strchr(words[i], '=');

        if (!equals)
            fail("options are name=value");
        *equals = '\0';
        if (gradus_options_set(options, words[i], equals + 1, &err) != GRADUS_OK)
            fail(err.message);
    }
    return options;
}

static void print_quality(gradus_context *context, const gradus_model *model, const char *path)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *test = load(context, path);
    double *scores = calloc(gradus_dataset_rows(test), sizeof *scores);
    double ndcg = 0.0, rmse = 0.0;

    if (!scores || gradus_model_score(context, model, test, scores, &err) != GRADUS_OK ||
        gradus_evaluate_metric(test, scores, "ndcg@10", &ndcg, &err) != GRADUS_OK ||
        gradus_evaluate_metric(test, scores, "rmse", &rmse, &err) != GRADUS_OK)
        fail(err.message);
    printf(", \"ndcg@10\": %.9g, \"rmse\": %.9g", ndcg, rmse);
    free(scores);
    gradus_dataset_free(test);
}

/* The number of rows scanned for the histograms of a tree, averaged over trees. */
static double scanned_rows(const gradus_model *model)
{
    double sum = 0.0;
    size_t trees = 0;
    gradus_tree_node node, left, right;

    for (; gradus_model_tree_at(model, trees, 0, &node); trees++) {
        double smaller = 0.0;

        sum += (double)node.rows;
        for (size_t i = 0; gradus_model_tree_at(model, trees, i, &node); i++) {
            if (node.is_leaf || !gradus_model_tree_at(model, trees, node.left, &left) ||
                !gradus_model_tree_at(model, trees, node.right, &right))
                continue;
            smaller = (double)(left.rows < right.rows ? left.rows : right.rows);
            sum += smaller;
        }
        sum -= smaller;
    }
    return trees ? sum / (double)trees : 0.0;
}

/* Trains and prints everything except the quality. */
static gradus_model *train(gradus_context *context, const gradus_dataset *data,
                           const gradus_options *options)
{
    gradus_error err = { GRADUS_OK, "" };
    const gradus_training_input input = { .train = data };
    const double before = anonymous_bytes();
    double most = before;
    const times start = now();
    gradus_training *training = gradus_training_new(context, &input, options, &err);
    const times binned = now();
    gradus_training_state state;
    gradus_model *model;
    bool done = false;
    times end;

    if (!training)
        fail(err.message);
    while (!done) {
        most = larger(most, anonymous_bytes());
        if (gradus_training_step(training, &done, &err) != GRADUS_OK)
            fail(err.message);
    }
    end = now();
    most = larger(most, anonymous_bytes());
    gradus_training_get_state(training, &state);
    model = gradus_training_finish(training, &err);
    if (!model)
        fail(err.message);
    const double finished = now().wall;

    gradus_training_free(training);
    printf("\"rows\": %zu, \"features\": %zu, \"rounds\": %zu, \"bin_seconds\": %.6f, "
           "\"train_seconds\": %.6f, \"total_seconds\": %.6f, \"round_seconds\": %.6f, "
           "\"bin_processor_seconds\": %.6f, \"train_processor_seconds\": %.6f, "
           "\"bytes_before\": %.0f, \"anonymous_bytes\": %.0f, \"scanned_rows\": %.0f, "
           "\"fit_seconds\": %.6f",
           gradus_dataset_rows(data), gradus_dataset_features(data), state.round,
           binned.wall - start.wall, end.wall - binned.wall, end.wall - start.wall,
           (end.wall - binned.wall) / (double)(state.round ? state.round : 1),
           binned.processor - start.processor, end.processor - binned.processor, before, most,
           scanned_rows(model), finished - start.wall - state.bin_seconds);
    return model;
}

/* The device of --device PLUGIN, which is taken off the words; NULL: none. */
static gradus_device *take_device(int *count, char ***words)
{
    gradus_error err = { GRADUS_OK, "" };

    if (*count < 3 || strcmp((*words)[1], "--device") != 0)
        return NULL;
    gradus_device *device = gradus_device_open((*words)[2], &err);

    if (!device)
        fail(err.message);
    *count -= 2;
    *words += 2;
    return device;
}

int main(int count, char **words)
{
    limit_cpu_by_option(&count, &words);

    gradus_device *device = take_device(&count, &words);
    gradus_error err = { GRADUS_OK, "" };
    sampler watch = { .most = 0.0 };
    const bool watched = count > 4 && strcmp(words[4], "sample") == 0;
    const int first = watched ? 5 : 4;

    if (count < 4) {
        fprintf(
            stderr,
            "usage: bench_train [--kernels LEVEL] [--device PLUGIN] TRAIN TEST|- THREADS [sample] "
            "[NAME=VALUE ...]\n");
        return 2;
    }
    gradus_context *context = gradus_context_new((size_t)atoi(words[3]), &err);
    gradus_options *options = read_options(words + first, count - first);
    gradus_dataset *data = load(context, words[1]);

    if (watched && pthread_create(&watch.thread, NULL, sample, &watch) != 0)
        fail("no thread to sample");
    gradus_context_set_device(context, device);
    printf("{");
    gradus_model *model = train(context, data, options);

    if (watched) {
        atomic_store(&watch.ended, true);
        pthread_join(watch.thread, NULL);
        printf(", \"sampled_bytes\": %.0f", watch.most);
    }
    if (strcmp(words[2], "-") != 0)
        print_quality(context, model, words[2]);
    printf("}\n");
    gradus_model_free(model);
    gradus_dataset_free(data);
    gradus_options_free(options);
    gradus_context_free(context);
    gradus_device_free(device);
    return 0;
}
