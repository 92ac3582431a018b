/* SPDX-License-Identifier: Apache-2.0 */
/* gradus ensemble: combines models into one, and reports how good it is. */
#include "distil_report.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_models(const arguments *given, gradus_model **models, int *status)
{
    gradus_error err;

    for (size_t i = 0; i < given->count; i++) {
        models[i] = gradus_model_read(given->words[i], &err);
        if (!models[i]) {
            *status = fail(&err);
            return false;
        }
    }
    return true;
}

/* Whether all facts of two models are the same. */
static bool same_facts(const gradus_model *a, const gradus_model *b)
{
    gradus_model_fact of_a, of_b;
    bool same = true;

    for (size_t i = 0; same && gradus_model_fact_at(a, i, &of_a); i++)
        same = gradus_model_fact_at(b, i, &of_b) && strcmp(of_a.name, of_b.name) == 0 &&
               of_a.number == of_b.number && strcmp(of_a.text, of_b.text) == 0;
    return same;
}

/* Whether two models look the same, judged by their facts and feature importance. */
static bool same_parts(const gradus_model *a, const gradus_model *b)
{
    const size_t most_a = gradus_model_max_uses(a), most_b = gradus_model_max_uses(b);
    gradus_feature_use *of_a = must_have(most_a, sizeof *of_a);
    gradus_feature_use *of_b = must_have(most_b, sizeof *of_b);
    size_t count_a = 0, count_b = 0;
    gradus_model_info facts_a, facts_b;
    bool same;

    gradus_model_describe(a, &facts_a);
    gradus_model_describe(b, &facts_b);
    same = facts_a.outputs == facts_b.outputs && same_facts(a, b) &&
           gradus_model_uses(a, of_a, &count_a, NULL) == GRADUS_OK &&
           gradus_model_uses(b, of_b, &count_b, NULL) == GRADUS_OK && count_a == count_b;
    for (size_t i = 0; same && i < count_a; i++)
        same = of_a[i].feature == of_b[i].feature && of_a[i].gain == of_b[i].gain &&
               of_a[i].splits == of_b[i].splits;
    free(of_a);
    free(of_b);
    return same;
}

/* The weight of each given model. The ensemble has them in order, without those of weight 0. */
static double *member_weights(const measuring *m, const gradus_model *made)
{
    double *weights = must_have(m->count, sizeof *weights);
    gradus_model_info facts;
    size_t member = 0;

    gradus_model_describe(made, &facts);
    for (size_t i = 0; i < m->count && member < facts.members; i++) {
        double weight;
        gradus_model *part = gradus_model_member(made, member, &weight, NULL);

        if (part && (facts.members - member == m->count - i || same_parts(part, m->models[i]))) {
            weights[i] = weight;
            member++;
        }
        gradus_model_free(part);
    }
    return weights;
}

/* Reports on the members, then the ensemble, then the forest. */
static int report_distilled(measuring *m, const gradus_model *made, const gradus_dataset *data)
{
    const size_t count = m->count;
    const char **paths = must_have(count + 1, sizeof *paths);
    gradus_model **models = must_have(count + 1, sizeof *models);
    double *weights = must_have(count + 1, sizeof *weights);
    int status;

    for (size_t i = 0; i < count; i++) {
        paths[i] = m->paths[i];
        models[i] = m->models[i];
        weights[i] = m->weights[i];
    }
    paths[count] = "the ensemble";
    models[count] = (gradus_model *)(uintptr_t)made;
    weights[count] = (double)NAN;
    m->paths = paths;
    m->models = models;
    m->weights = weights;
    m->count = count + 1;
    status = time_distilled(m, data);
    if (status == 0)
        status = report_measured(m);
    free(paths);
    free(models);
    free(weights);
    return status;
}

static gradus_model *distil(const measuring *m, const gradus_model *made,
                            const gradus_dataset *data, gradus_error *err)
{
    gradus_options *options = gradus_options_new("train", err);
    gradus_model *forest = NULL;

    if (options &&
        gradus_options_set(options, "rounds", argument(m->given, "distil"), err) == GRADUS_OK)
        forest = gradus_distil(m->given->context, made, data, options, err);
    gradus_options_free(options);
    return forest;
}

/* Few rows, or equal scores, leave nothing to split before all trees are grown. */
static void note_few_trees(const arguments *given, size_t trees, size_t rows)
{
    uint64_t asked = 0;

    if (!given->quiet && parse_count(argument(given, "distil"), UINT64_MAX, &asked) &&
        trees < asked)
        say("note: the forest has %s instead of %llu: no further split of the scores of %s\n",
            counted(trees, "tree", "trees"), (unsigned long long)asked,
            counted(rows, "row", "rows"));
}

/* Trains a forest on the scores of the ensemble, and writes it instead. */
static int make_distilled(measuring *m, const gradus_model *made, double started)
{
    const char *path = argument(m->given, "distil-data");
    const measured_set *fit = &m->sets[MEASURED_FIT];
    gradus_dataset *own = NULL;
    gradus_model *forest = NULL;
    gradus_model_info facts;
    gradus_error err;
    int status = 0;

    if (path)
        own = read_data(m->given, path, &status);
    const gradus_dataset *data = path ? own : fit->data;

    if (data) {
        forest = distil(m, made, data, &err);
        m->fit_seconds = seconds_now() - started;
        if (!forest || gradus_model_write(forest, argument(m->given, "output"), &err) != GRADUS_OK)
            status = fail(&err);
    }
    if (status == 0) {
        gradus_model_describe(forest, &facts);
        note_few_trees(m->given, facts.rounds, gradus_dataset_rows(data));
        m->made = forest;
        m->distilled = (distillation){ .teacher = made,
                                       .trees = facts.rounds,
                                       .rows = gradus_dataset_rows(data),
                                       .path = path ? path : fit->path };
        status = report_distilled(m, made, data);
    }
    gradus_model_free(forest);
    gradus_dataset_free(own);
    return status;
}

/* Whether the way of combining needs no data: nothing is fitted to --valid then. */
static bool fits_nothing(const arguments *given, const gradus_model *made)
{
    static const char *const ways[] = { "standardized", "weights", "borda", "reciprocal-rank" };
    const char *way = gradus_options_value(options_of(given, "ensemble"), "way");
    gradus_model_info facts;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(way, ways[i]) == 0)
            return true;
    gradus_model_describe(made, &facts);
    return strcmp(way, "mean") == 0 && facts.probabilities; /* scores are scaled by their range */
}

static int make(measuring *m)
{
    const arguments *given = m->given;
    const double started = seconds_now();
    gradus_error err;
    gradus_model *made =
        gradus_ensemble(given->context, (const gradus_model *const *)m->models, given->count,
                        m->sets[MEASURED_FIT].data, options_of(given, "ensemble"), &err);
    int status = 0;
    double *weights;

    m->fit_seconds = seconds_now() - started;
    if (!made)
        return fail(&err);
    m->nothing_fitted = fits_nothing(given, made);
    weights = member_weights(m, made);
    m->weights = weights;
    if (argument(given, "distil")) {
        status = make_distilled(m, made, started);
    } else if (gradus_model_write(made, argument(given, "output"), &err) != GRADUS_OK) {
        status = fail(&err);
    } else {
        m->made = made;
        status = report_measured(m);
    }
    free(weights);
    gradus_model_free(made);
    return status;
}

/* The options of distillation must make sense before the members are read. */
static int check_distillation(const arguments *given)
{
    const char *trees = argument(given, "distil"), *data = argument(given, "distil-data");
    gradus_options *options;
    gradus_error err;
    int status = 0;

    if (!trees)
        return data ? fail_usage("--distil-data needs --distil TREES") : 0;
    if (!data && !argument(given, "valid"))
        return fail_usage("--distil needs data to train on: --distil-data FILE or --valid FILE");
    options = gradus_options_new("train", &err);
    if (!options || gradus_options_set(options, "rounds", trees, &err) != GRADUS_OK)
        status = fail_usage("--distil takes a number of trees, not '%.40s'", trees);
    gradus_options_free(options);
    return status;
}

static int ensemble(const arguments *given, gradus_model **models)
{
    gradus_options *options = options_of(given, "ensemble");
    char *metric = must_copy(gradus_options_value(options, "metric"));
    char *convention = must_copy(gradus_options_value(options, "convention"));
    measuring m = { .given = given,
                    .paths = (const char *const *)given->words,
                    .models = models,
                    .count = given->count,
                    .metrics = metric,
                    .convention = convention };
    int status = check_metrics(&m);

    if (status == 0)
        status = measuring_read(&m, argument(given, "valid"));
    if (status == 0)
        status = make(&m);
    measuring_free(&m);
    free(metric);
    free(convention);
    return status;
}

static int ensemble_run(arguments *given)
{
    gradus_model **models;
    int status = 0;

    if (given->count == 0 || !argument(given, "output"))
        return fail_usage("gradus ensemble needs models and an output file: gradus ensemble "
                          "MODEL... --valid FILE -o MODEL");
    status = check_distillation(given);
    if (status != 0)
        return status;
    models = must_have(given->count, sizeof *models);
    if (read_models(given, models, &status))
        status = ensemble(given, models);
    for (size_t i = 0; i < given->count; i++)
        gradus_model_free(models[i]);
    free(models);
    return status;
}

static const option ensemble_options[] = {
    { "valid", 0, "FILE", "data to fit the weights of the members on", GRADUS_PATH_READ },
    { "test", 0, "FILE", "held-out data, to evaluate the members and the ensemble",
      GRADUS_PATH_READ, true },
    { "distil", 0, "TREES", "write a forest of this many trees, trained on the ensemble's scores",
      GRADUS_PATH_NONE },
    { "distil-data", 0, "FILE", "rows to train it on, labels are not used (default: --valid)",
      GRADUS_PATH_READ },
    { "output", 'o', "FILE", "file to write the ensemble to", GRADUS_PATH_WRITTEN },
    { NULL, 0, NULL, NULL },
};

static const example ensemble_examples[] = {
    { "gradus ensemble a.model b.model c.model --valid vali.txt -o all.model",
      "weights e^(rate * NDCG@10), with the best rate of a list" },
    { "gradus ensemble a.model b.model --way reciprocal-rank -o all.model",
      "combine by rank, regardless of the scale of the scores" },
    { "gradus ensemble a.model b.model c.model --way selection --valid vali.txt -o all.model",
      "greedy selection of members" },
    { "gradus ensemble a.model b.model --way weights --weights 2,1 -o all.model",
      "given weights of standardised scores" },
    { "gradus ensemble a.model b.model --valid vali.txt --distil 500 --distil-data train.txt -o "
      "small.model",
      "one forest that imitates the ensemble" },
    { NULL, NULL },
};

const command command_ensemble = {
    .name = "ensemble",
    .summary = "combine models into one",
    .usage = "gradus ensemble MODEL... --valid FILE -o MODEL [--way NAME] [options]",
    .description =
        "Writes one model that is the weighted sum of several models trained on the same "
        "features. If all of them give probabilities of the same grades, the probabilities are "
        "averaged, and the ensemble gives probabilities too; otherwise scores are averaged after "
        "scaling them to [0, 1] by their range on --valid. Weights are e^(rate * metric) of each "
        "member on --valid (exponential; rate 0: equal weights; the smallest rate that is within "
        "one standard error of the best), equal (mean), or the "
        "least-squares fit of the gain 2^grade - 1 (stacking), without negative weights for "
        "stacking-nonnegative; both stacking rules combine scores. selection adds members one by "
        "one, each time the one that improves the metric on --valid most, on bootstrap samples of "
        "the queries; weights takes them from --weights, and standardized gives all the same "
        "weight. These three sum scores standardised within each query; selection averages "
        "probabilities if all members have them, weights with --probabilities. borda and "
        "reciprocal-rank combine rankings: the score of a row is the mean fraction of the other "
        "rows of its query that a member ranks below it, or the mean of 1 / (K + rank). "
        "standardized, weights, borda and reciprocal-rank need no --valid. Models that combine "
        "ranks or standardised scores need whole queries: a row that is scored alone is a query by "
        "itself and always gets the same score.\n\n"
        "--distil trains one forest on the ensemble's scores for the rows of --distil-data or "
        "--valid (method regression, all defaults) and writes it instead: it ranks nearly like the "
        "ensemble, in less time and space, scores rows one by one and can be exported. Prints the "
        "difference of the metric with its standard error, the time per row on one thread, and "
        "the size.\n\n"
        "Prints the weight of each member, and the metric, log loss and expected calibration "
        "error of the members and the ensemble on --valid and --test data.",
    .options = ensemble_options,
    .operations = { "ensemble", "read" },
    .examples = ensemble_examples,
    .run = ensemble_run,
};
