/* SPDX-License-Identifier: Apache-2.0 */
/* Text topics against the rest (see crr_topics.h). */
#include "experiments/papers/crr_topics.h"

#include "base/rng.h"
#include "base/text.h"
#include "experiments/jobs.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = GR_CRR_GROUPS, PARTS_OF_REST = 3, TRAIN_TEXTS = 11000, TEST_TEXTS = 7000 };

/* Fractions of positives; 0: unchanged. */
typedef struct share {
    double positives;
    const char *name;
} share;

static const share topic_shares[] = { { 0.0, "5 %" }, { 0.005, ".5 %" }, { 0.0005, ".05 %" } };
static const share subject_shares[] = {
    { 0.0, "all" }, { 0.05, "5 %" }, { 0.005, ".5 %" }, { 0.0005, ".05 %" }
};
enum {
    TOPIC_SHARES = sizeof topic_shares / sizeof topic_shares[0],
    SUBJECT_SHARES = sizeof subject_shares / sizeof subject_shares[0]
};

#define ALPHAS_SHARE 0.01
const double gr_topic_alphas[GR_TOPIC_ALPHAS] = { 0, .05, .1, .25, .5, .75, .9, .95, 1 };

/* Subjects of 20 newsgroups, whose topics are in alphabetical order. */
static const struct subject {
    const char *name;
    size_t first, last;
} subjects[] = { { "comp", 2, 6 }, { "rec", 8, 11 }, { "sci", 12, 15 }, { "talk", 17, 20 } };
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static gradus_dataset *read_texts(const gr_run *run, const char *part, gradus_error *err)
{
    char path[512];

    gr_text_copy(path, sizeof path, run->data, "/20news/20news.");
    gr_text_append(path, sizeof path, part);
    gr_text_append(path, sizeof path, ".gz");
    return gradus_dataset_read(run->context, path, NULL, err);
}

static bool are_there(const gr_run *run)
{
    char path[512];
    FILE *file;

    gr_text_copy(path, sizeof path, run->data, "/20news/20news.train.gz");
    file = *run->data ? fopen(path, "r") : NULL;
    if (file)
        fclose(file);
    return file;
}

gradus_status gr_topics_open(gr_topics *t, gradus_error *err)
{
    const bool real = are_there(t->run);

    t->name = real ? "20 newsgroups" : "made-up texts";
    t->train = real ? read_texts(t->run, "train", err)
                    : gr_crr_make_texts(t->run, "texts to train",
                                        gr_scaled(t->run, TRAIN_TEXTS, 30 * GROUPS), err);
    if (!t->train)
        return err->status;
    t->test = real ? read_texts(t->run, "test", err)
                   : gr_crr_make_texts(t->run, "texts to test",
                                       gr_scaled(t->run, TEST_TEXTS, 15 * GROUPS), err);
    if (!t->test)
        return err->status;
    gr_results_note(t->run->results,
                    !real ? "DIR/20news is missing: generated texts of 20 topics substitute for "
                            "20 newsgroups, which substitutes for RCV1."
                    : t->kind == GR_TOPICS_SUBJECTS
                        ? "20 newsgroups substitutes for RCV1, which is unavailable: four subjects "
                          "of four or five topics, whose positives are sampled at random; those of "
                          "the test part are weighted to be equally rare."
                        : "20 newsgroups substitutes for RCV1, which is unavailable: 20 tasks "
                          "per fraction of positives, sampled at random; positives of the test "
                          "part are weighted to be equally rare.");
    return GRADUS_OK;
}

void gr_topics_end(gr_topics *t)
{
    gradus_dataset_free(t->train);
    gradus_dataset_free(t->test);
}

/* One topic or subject against the rest: its rows in random order, positives first. */
typedef struct topic {
    size_t low, high; /* labels of its rows */
    size_t *rows, positives, negatives;
    gradus_dataset *most, *rest, *all, *test;
} topic;

static void end_topic(topic *t)
{
    gradus_dataset_free(t->most);
    gradus_dataset_free(t->rest);
    gradus_dataset_free(t->all);
    gradus_dataset_free(t->test);
    free(t->rows);
}

static bool is_positive(const topic *one, float label)
{
    return (double)label >= (double)one->low && (double)label <= (double)one->high;
}

static gradus_status draw_rows(const gr_topics *t, double positives, size_t seed, topic *one,
                               gradus_error *err)
{
    const gradus_arrays train = gr_arrays_of(t->train);
    gr_rng rng =
        gr_rng_for(t->run->seed + seed, t->kind == GR_TOPICS_SUBJECTS ? "subject" : "topic",
                   (uint64_t)one->low * 10000 + (uint64_t)(positives * 1e5));
    size_t keep;

    one->rows = gr_new_array(train.rows, sizeof *one->rows);
    if (!one->rows)
        return gr_fail_memory(err, "rows");
    for (size_t r = 0; r < train.rows; r++)
        if (is_positive(one, train.labels[r]))
            one->rows[one->positives++] = r;
    for (size_t r = 0; r < train.rows; r++)
        if (!is_positive(one, train.labels[r]))
            one->rows[one->positives + one->negatives++] = r;
    gr_shuffle(&rng, one->rows, one->positives);
    gr_shuffle(&rng, one->rows + one->positives, one->negatives);
    keep = positives > 0.0 ? (size_t)(positives / (1.0 - positives) * (double)one->negatives + 0.5)
                           : one->positives;
    keep = keep < PARTS_OF_REST ? PARTS_OF_REST : keep;
    if (keep < one->positives) {
        memmove(one->rows + keep, one->rows + one->positives, one->negatives * sizeof *one->rows);
        one->positives = keep;
    }
    return GRADUS_OK;
}

/* Every third positive and every third negative row is held out for selecting lambda. */
static gradus_status cut_topic(const gr_topics *t, topic *one, gradus_error *err)
{
    const size_t count = one->positives + one->negatives;
    size_t *parts = gr_new_array(count, sizeof *parts), first = 0, last = count;
    const size_t test_rows = gradus_dataset_rows(t->test);
    size_t *tests = gr_new_array(test_rows, sizeof *tests);

    if (!parts || !tests) {
        free(parts);
        free(tests);
        return gr_fail_memory(err, "rows");
    }
    for (size_t i = 0; i < count; i++) {
        const size_t place = i < one->positives ? i : i - one->positives;

        if (place % PARTS_OF_REST)
            parts[first++] = one->rows[i];
        else
            parts[--last] = one->rows[i];
    }
    for (size_t r = 0; r < test_rows; r++)
        tests[r] = r;
    one->most = gr_crr_rows(t->train, parts, first, one->low, one->high, err);
    one->rest = one->most
                    ? gr_crr_rows(t->train, parts + first, count - first, one->low, one->high, err)
                    : NULL;
    one->all = one->rest ? gr_crr_rows(t->train, one->rows, count, one->low, one->high, err) : NULL;
    one->test = one->all ? gr_crr_rows(t->test, tests, test_rows, one->low, one->high, err) : NULL;
    free(parts);
    free(tests);
    return one->test ? GRADUS_OK : err->status;
}

/* Positives of the test part are weighted to be as rare as in training. */
static double weight_of(const topic *one)
{
    const gradus_arrays test = gr_arrays_of(one->test);
    double positives = 0.0;

    for (size_t r = 0; r < test.rows; r++)
        positives += (double)test.labels[r];
    return positives > 0.0 ? (double)one->positives / (double)one->negatives *
                                 ((double)test.rows - positives) / positives
                           : 1.0;
}

size_t gr_topics_shares(const gr_topics *t)
{
    return t->kind == GR_TOPICS_ALPHAS     ? 1
           : t->kind == GR_TOPICS_SUBJECTS ? (size_t)SUBJECT_SHARES
                                           : (size_t)TOPIC_SHARES;
}

static const share *share_of(const gr_topics *t, size_t index)
{
    static const share of_alphas = { ALPHAS_SHARE, "1 %" };

    return t->kind == GR_TOPICS_ALPHAS     ? &of_alphas
           : t->kind == GR_TOPICS_SUBJECTS ? &subject_shares[index]
                                           : &topic_shares[index];
}

const char *gr_topics_share_name(const gr_topics *t, size_t index)
{
    return share_of(t, index)->name;
}

size_t gr_topics_tasks(const gr_topics *t)
{
    return t->groups * gr_topics_shares(t);
}

const char *gr_topics_subject(size_t group)
{
    return subjects[group % SUBJECTS].name;
}

/* The labels of a task's positives. The stride of 7 gives consecutive tasks topics of different
 * subjects. */
static topic topic_of(const gr_topics *t, size_t task)
{
    const size_t group = task % t->groups, label = 7 * group % GROUPS + 1;

    return t->kind == GR_TOPICS_SUBJECTS
               ? (topic){ .low = subjects[group].first, .high = subjects[group].last }
               : (topic){ .low = label, .high = label };
}

static double positives_of(const gr_topics *t, size_t task)
{
    return share_of(t, task / t->groups)->positives;
}

enum { KEY = 240 };

static void key_of(const gr_topics *t, size_t task, size_t seed, char key[KEY])
{
    const topic one = topic_of(t, task);
    char labels[32];

    if (one.low == one.high)
        snprintf(labels, sizeof labels, "topic %zu", one.low);
    else
        snprintf(labels, sizeof labels, "topics %zu to %zu", one.low, one.high);
    snprintf(key, KEY, "%s, %zu rows | %s | share %g | %s | %zu steps | seed %zu%s%s", t->name,
             gradus_dataset_rows(t->train), labels, positives_of(t, task),
             t->kind == GR_TOPICS_ALPHAS ? "alphas" : "methods", t->steps, seed,
             *t->rule ? " | " : "", t->rule);
}

static gradus_status try_topic(const gr_topics *t, const topic *one, size_t seed,
                               gradus_context *context, gr_json_writer *value, gradus_error *err)
{
    const bool alphas = t->kind == GR_TOPICS_ALPHAS;
    const size_t count = alphas ? (size_t)GR_TOPIC_ALPHAS : (size_t)GR_CRR_METHODS;
    const gr_crr_task task = { .most = one->most,
                               .rest = one->rest,
                               .all = one->all,
                               .test = one->test,
                               .weight = weight_of(one),
                               .steps = t->steps,
                               .seed = t->run->seed + seed,
                               .rule = t->rule,
                               .table = "crr_table1" };

    for (size_t a = 0; a < count; a++) {
        const double alpha = alphas ? gr_topic_alphas[a] : gr_crr_alphas[a];
        char name[16];

        snprintf(name, sizeof name, "%g", alpha);
        GR_TRY(gr_crr_try(context, &task, alpha, name, value, err));
        GR_TRY(gr_send_progress(context, "training", (double)(a + 1) / (double)count, err));
    }
    return GRADUS_OK;
}

static gradus_status run_task(void *argument, size_t index, gradus_context *context,
                              gradus_error *err)
{
    const gr_topics *t = argument;
    const size_t task = index % gr_topics_tasks(t), seed = index / gr_topics_tasks(t);
    topic one = topic_of(t, task);
    gr_json_writer value = { 0 };
    char key[KEY];

    key_of(t, task, seed, key);
    if (gr_journal_find(t->run->journal, key))
        return GRADUS_OK;
    gradus_status status = draw_rows(t, positives_of(t, task), seed, &one, err);

    if (status == GRADUS_OK)
        status = cut_topic(t, &one, err);
    gr_json_open(&value, NULL, '{');
    if (status == GRADUS_OK)
        status = try_topic(t, &one, seed, context, &value, err);
    gr_json_close(&value, '}');
    if (status == GRADUS_OK)
        status = gr_journal_add(t->run->journal, key, &value, err);
    gr_json_writer_free(&value);
    end_topic(&one);
    return status;
}

gradus_status gr_topics_run(gr_topics *t, gradus_error *err)
{
    return gr_jobs_run(t->run->context, "topics", gr_topics_tasks(t) * t->seeds, run_task, t, err);
}

size_t gr_topics_steps(const gr_topics *t, double passes)
{
    const double steps = passes * (double)gradus_dataset_rows(t->train);

    return gr_scaled(t->run, (size_t)(steps + 0.5), 100);
}

bool gr_topics_figures(const gr_topics *t, size_t task, double alpha, int way,
                       gr_crr_values *values)
{
    const double each = 1.0 / (double)t->seeds;
    char key[KEY], name[16];

    *values = (gr_crr_values){ .mse = 0.0 };
    snprintf(name, sizeof name, "%g", alpha);
    for (size_t seed = t->first; seed < t->first + t->seeds; seed++) {
        gr_crr_values one;

        key_of(t, task, seed, key);
        if (gr_crr_pick(gr_json_find(gr_journal_find(t->run->journal, key), name), way, &one) ==
            SIZE_MAX)
            return false;
        values->auc_loss += each * one.auc_loss;
        values->mse += each * one.mse;
        values->accuracy += each * one.accuracy;
    }
    return true;
}
