/* SPDX-License-Identifier: Apache-2.0 */
/* gradus describe: statistics of a data set, and what two sets have in common. */
#include "common.h"
#include "distributed.h"
#include "print_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 40, SHOWN = 8 };

static void add_bar(text *t, size_t count, size_t most)
{
    const double eighths = most ? ceil((double)count * BAR * 8 / (double)most) : 0.0;

    text_fine_bar(t, eighths / (BAR * 8), BAR);
    text_add(t, "\n");
}

static void histogram(text *t, const gradus_description *d)
{
    size_t most = 0;

    for (size_t b = 0; b < d->histogram_bins; b++)
        if (d->histogram[b] > most)
            most = d->histogram[b];
    text_add(t, "\ndocuments per query\n");
    for (size_t b = 0; b < d->histogram_bins; b++) {
        char range[64];
        const size_t low = d->histogram_edges[b], high = d->histogram_edges[b + 1] - 1;

        snprintf(range, sizeof range, high > low ? "%zu-%zu" : "%zu", low, high);
        text_format(t, "%13s  %8s  ", range, with_commas(d->histogram[b]));
        add_bar(t, d->histogram[b], most);
    }
}

static void labels(text *t, const gradus_description *d)
{
    size_t most = 0;

    if (!d->label_values)
        return;
    for (size_t i = 0; i < d->labels; i++)
        if (d->label_rows[i] > most)
            most = d->label_rows[i];
    text_format(t, "\n%s\n", d->graded ? "grade              rows" : "label              rows");
    for (size_t i = 0; i < d->labels && i < 24; i++) {
        char number[GRADUS_NUMBER_SIZE];

        gradus_label_format(d->label_values[i], number);
        text_format(t, "%13s  %8s  %5.1f%%  ", number, with_commas(d->label_rows[i]),
                    100.0 * (double)d->label_rows[i] / (double)d->rows);
        add_bar(t, d->label_rows[i], most);
    }
    if (d->labels > 24)
        text_format(t, "%13s  and %s more\n", "...", with_commas(d->labels - 24));
}

/* The user's name for a feature: its name, or its id in the file. */
static void add_feature(text *t, const gradus_dataset *data, const gradus_description *d, size_t f)
{
    const char *name = gradus_dataset_feature_name(data, f);

    if (name[0])
        text_add_shown(t, name);
    else
        text_format(t, "%zu", f + d->first_id);
}

static void feature_list(text *t, const gradus_dataset *data, const gradus_description *d,
                         const size_t *features, size_t count)
{
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        text_add(t, i ? ", " : " ");
        add_feature(t, data, d, features[i]);
    }
    text_add(t, count > SHOWN ? ", ...\n" : "\n");
}

static void features(text *t, const gradus_dataset *data, const gradus_description *d)
{
    text_format(t, "features     %s (ids from %zu), stored %s; %.2f%% of values are nonzero",
                with_commas(d->features), d->first_id, d->sparse ? "sparse" : "dense",
                100.0 * d->density);
    if (d->missing)
        text_format(t, ", %s are missing", with_commas(d->missing));
    text_add(t, "\n");
    if (d->constants) {
        text_format(t, "constant     %s %s:", with_commas(d->constants),
                    plural(d->constants, "feature", "features"));
        feature_list(t, data, d, d->constant_features, d->constants);
    }
    if (d->duplicates) {
        text_format(t, "duplicate    %s:", with_commas(d->duplicates));
        for (size_t i = 0; i < d->duplicates && i < SHOWN; i++) {
            text_add(t, i ? ", " : " ");
            add_feature(t, data, d, d->duplicate_features[i]);
            text_add(t, " = ");
            add_feature(t, data, d, d->duplicate_of[i]);
        }
        text_add(t, d->duplicates > SHOWN ? ", ...\n" : "\n");
    }
}

static void describe(text *t, const char *name, const gradus_dataset *data,
                     const gradus_description *d)
{
    text_format(t, "%s\n", name);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): shown only if it was read */
    text_format(t, "rows         %s\n", with_commas(d->rows));
    if (d->has_queries)
        text_format(t, "queries      %s, with %s to %s each (median %g)\n", with_commas(d->queries),
                    with_commas(d->documents_min),
                    counted(d->documents_max, "document", "documents"), d->documents_median);
    else
        text_add(t, "queries      no query ids: all rows form one list\n");
    features(t, data, d);
    if (d->has_queries && d->queries_without_relevant)
        text_format(t, "no relevant  %s without a label above 0\n",
                    counted(d->queries_without_relevant, "query", "queries"));
    if (d->has_queries && d->queries_with_one_label)
        text_format(t, "one label    %s whose documents all have the same label\n",
                    counted(d->queries_with_one_label, "query", "queries"));
    if (!d->label_values)
        text_format(t, "labels       %s\n",
                    counted(d->labels, "distinct value", "distinct values"));
    labels(t, d);
    if (d->has_queries)
        histogram(t, d);
}

static void json_list(json *j, const char *name, const size_t *items, size_t count, size_t add)
{
    json_open(j, name, '[');
    for (size_t i = 0; i < count; i++)
        json_count(j, NULL, items[i] + add);
    json_close(j, ']');
}

static void describe_json(json *j, const char *name, const gradus_description *d)
{
    json_open(j, NULL, '{');
    json_string(j, "data", name);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): shown only if it was read */
    json_count(j, "rows", d->rows);
    json_count(j, "features", d->features);
    json_count(j, "queries", d->queries);
    json_bool(j, "sparse", d->sparse);
    json_count(j, "first_id", d->first_id);
    json_count(j, "documents_min", d->documents_min);
    json_number(j, "documents_median", d->documents_median);
    json_count(j, "documents_max", d->documents_max);
    json_open(j, "labels", '{');
    for (size_t i = 0; d->label_values && i < d->labels; i++) {
        char label[GRADUS_NUMBER_SIZE];

        gradus_label_format(d->label_values[i], label);
        json_count(j, label, d->label_rows[i]);
    }
    json_close(j, '}');
    json_count(j, "distinct_labels", d->labels);
    json_bool(j, "graded", d->graded);
    json_number(j, "density", d->density);
    json_count(j, "missing", d->missing);
    json_list(j, "constant_features", d->constant_features, d->constants, d->first_id);
    json_list(j, "duplicate_features", d->duplicate_features, d->duplicates, d->first_id);
    json_list(j, "duplicate_of", d->duplicate_of, d->duplicates, d->first_id);
    json_count(j, "queries_without_relevant", d->queries_without_relevant);
    json_count(j, "queries_with_one_label", d->queries_with_one_label);
    json_close(j, '}');
}

static void overlap_text(text *t, char **names, gradus_dataset **data, gradus_description **d,
                         const gradus_overlap *o)
{
    text_format(t, "\n%s compared with %s\n", names[0], names[1]);
    text_format(t, "shared queries  %s", with_commas(o->queries));
    for (size_t i = 0; i < o->queries && i < SHOWN; i++) {
        text_add(t, i ? ", " : ": ");
        text_add_shown(t, gradus_dataset_query_name(data[0], o->query_first[i]));
    }
    text_format(t, "%s\nshared rows     %s of %s %s also in %s, %s with the same label\n",
                o->queries > SHOWN ? ", ..." : "", counted(o->rows, "row", "rows"), names[1],
                plural(o->rows, "is", "are"), names[0], with_commas(o->labelled_rows));
    if (o->only_first) {
        text_format(t, "only in %s:", names[0]);
        feature_list(t, data[0], d[0], o->only_first_features, o->only_first);
    }
    if (o->only_second) {
        text_format(t, "only in %s:", names[1]);
        feature_list(t, data[1], d[1], o->only_second_features, o->only_second);
    }
    if (!o->queries && !o->rows)
        text_add(t, "no leakage: the sets share no queries and no rows\n");
}

static void overlap_json(json *j, const gradus_description *first, const gradus_overlap *o)
{
    json_open(j, NULL, '{');
    json_count(j, "shared_queries", o->queries);
    json_count(j, "shared_rows", o->rows);
    json_count(j, "shared_labelled_rows", o->labelled_rows);
    json_list(j, "only_first", o->only_first_features, o->only_first, first->first_id);
    json_list(j, "only_second", o->only_second_features, o->only_second, first->first_id);
    json_close(j, '}');
}

typedef struct sets {
    gradus_dataset *data[2];
    gradus_description *about[2];
    gradus_overlap *overlap;
} sets;

static int look(const arguments *given, sets *s)
{
    gradus_error err;
    int status = 0;

    for (size_t i = 0; i < given->count; i++) {
        s->data[i] = read_data(given, given->words[i], &status);
        if (!s->data[i])
            return status;
        s->about[i] = gradus_describe(given->context, s->data[i], &err);
        if (!s->about[i])
            return fail(&err);
    }
    if (given->count == 2) {
        s->overlap = gradus_overlap_find(given->context, s->data[0], s->data[1], &err);
        if (!s->overlap)
            return fail(&err);
    }
    return 0;
}

static void show(const arguments *given, sets *s, text *t)
{
    json j = JSON_TO(t);

    if (!given->json) {
        for (size_t i = 0; i < given->count; i++) {
            text_add(t, i ? "\n" : "");
            describe(t, given->words[i], s->data[i], s->about[i]);
        }
        if (s->overlap)
            overlap_text(t, given->words, s->data, s->about, s->overlap);
        return;
    }
    if (given->count == 2)
        json_open(&j, NULL, '[');
    for (size_t i = 0; i < given->count; i++)
        describe_json(&j, given->words[i], s->about[i]);
    if (s->overlap) {
        overlap_json(&j, s->about[0], s->overlap);
        json_close(&j, ']');
    }
    text_add(t, "\n");
}

static int describe_sets(const arguments *given)
{
    sets s = { { NULL, NULL }, { NULL, NULL }, NULL };
    text t = { NULL, 0, 0 };
    int status;

    status = look(given, &s);
    if (status == 0) {
        show(given, &s, &t);
        status = print_text(&t);
    }
    gradus_overlap_free(s.overlap);
    for (size_t i = 0; i < 2; i++) {
        gradus_description_free(s.about[i]);
        gradus_dataset_free(s.data[i]);
    }
    return status;
}

static int describe_run(arguments *given)
{
    ranks all;
    int status = given->count < 1 || given->count > 2
                     ? fail_usage("gradus describe needs one or two data files")
                     : ranks_begin(&all, given);

    if (status >= 0)
        return status;
    status = describe_sets(given);
    ranks_end(&all, status == 0, status);
    return status;
}

static const option describe_options[] = {
    DISTRIBUTED_OPTION("read and count", "describe"),
    { NULL, 0, NULL, NULL },
};

static const example describe_examples[] = {
    { "gradus describe train.txt", "statistics of a file" },
    { "gradus describe train.txt test.txt", "also check for leakage between the two" },
    { "mpirun -n 4 gradus describe --distributed mpi train.gradus", "on four processes" },
    { NULL, NULL },
};

const command command_describe = {
    .name = "describe",
    .summary = "describe a data set, or check two for leakage",
    .usage = "gradus describe DATA [DATA2] [options]",
    .description =
        "Shows rows, queries, documents per query, grades, density, constant and duplicate "
        "features, and queries without relevant documents. With two files it also shows what they "
        "share: queries and identical rows that are in both (leakage), and features that only one "
        "of them has.",
    .options = describe_options,
    .operations = { "read" },
    .examples = describe_examples,
    .run = describe_run,
};
