/* SPDX-License-Identifier: Apache-2.0 */
/* gradus split: divides the queries of a data set into parts or folds. */
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The division of one data set. */
typedef struct division {
    const arguments *given;
    const gradus_dataset *data;
    size_t *part_of; /* of each query */
    size_t parts;
    const char *folder, *ending;
    bool rehearses; /* only checks that no part would overwrite the data */
    text report;    /* lines, or the items of a JSON array */
    json items;
} division;

static void report(division *d, const char *path, size_t queries, size_t rows)
{
    if (!d->given->json) {
        text_format(&d->report, "%s: %s, %s\n", path, counted(queries, "query", "queries"),
                    counted(rows, "row", "rows"));
        return;
    }
    json_open(&d->items, NULL, '{');
    json_string(&d->items, "file", path);
    json_count(&d->items, "queries", queries);
    json_count(&d->items, "rows", rows);
    json_close(&d->items, '}');
}

static int write_chosen(division *d, const size_t *chosen, size_t count, const char *path)
{
    gradus_error err;
    gradus_dataset *subset = gradus_dataset_subset(d->given->context, d->data, chosen, count, &err);
    int status = 0;

    if (!subset || gradus_dataset_write(d->given->context, subset, path,
                                        options_of(d->given, "write"), &err) != GRADUS_OK)
        status = fail(&err);
    else
        report(d, path, count, gradus_dataset_rows(subset));
    gradus_dataset_free(subset);
    return status;
}

/* Writes the queries of the marked parts to folder/name. */
static int write_parts(division *d, const bool *wanted, const char *folder, const char *name)
{
    const size_t queries = gradus_dataset_queries(d->data);
    size_t *chosen = must_have(queries, sizeof *chosen), count = 0;
    text path = { NULL, 0, 0 };
    int status;

    for (size_t q = 0; q < queries; q++)
        if (wanted[d->part_of[q]])
            chosen[count++] = q;
    text_add(&path, folder);
    text_add(&path, "/");
    text_add(&path, name);
    text_add(&path, d->ending);
    if (count == 0)
        status = fail_usage("no query is left for '%s'", text_string(&path));
    else if (d->rehearses)
        status = check_output(d->given, "", text_string(&path));
    else
        status = write_chosen(d, chosen, count, text_string(&path));
    text_free(&path);
    free(chosen);
    return status;
}

static int make_folder(const division *d, const char *path)
{
    if (d->rehearses || mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    say("gradus: cannot create folder '%s': %s\n", path, strerror(errno));
    return 1;
}

/* Writes one part as a file. */
static int write_part(division *d, size_t part, const char *name)
{
    bool *wanted = must_have(d->parts, sizeof *wanted);

    wanted[part] = true;
    const int status = write_parts(d, wanted, d->folder, name);

    free(wanted);
    return status;
}

/* Fold f (from 0) tests on one part, validates on the one before it and trains on the rest; the
 * parts rotate as in LETOR, where fold 1 trains on 1 2 3, validates on 4 and tests on 5. */
static int write_fold(division *d, size_t f, bool letor)
{
    const size_t k = d->parts, test = (f + k - 1) % k, valid = k > 2 ? (f + k - 2) % k : k;
    const char *names[3] = { "train", letor ? "vali" : "valid", "test" };
    bool *wanted = must_have(k, sizeof *wanted);
    text folder = { NULL, 0, 0 };
    int status;

    text_add(&folder, d->folder);
    text_format(&folder, letor ? "/Fold%zu" : "/fold%zu", f + 1);
    status = make_folder(d, text_string(&folder));
    for (size_t role = 0; role < 3 && status == 0; role++) {
        if (role == 1 && valid == k)
            continue;
        for (size_t p = 0; p < k; p++)
            wanted[p] = role == 0 ? p != test && p != valid : p == (role == 1 ? valid : test);
        status = write_parts(d, wanted, text_string(&folder), names[role]);
    }
    text_free(&folder);
    free(wanted);
    return status;
}

static int write_folds(division *d, bool letor)
{
    char name[32];
    int status = 0;

    for (size_t p = 0; letor && p < d->parts && status == 0; p++) {
        snprintf(name, sizeof name, "S%zu", p + 1);
        status = write_part(d, p, name);
    }
    for (size_t f = 0; f < d->parts && status == 0; f++)
        status = write_fold(d, f, letor);
    return status;
}

static int write_shares(division *d)
{
    static const char *const names[2][3] = { { "train", "test", "" },
                                             { "train", "valid", "test" } };
    char name[32];
    int status = 0;

    for (size_t p = 0; p < d->parts && status == 0; p++) {
        if (d->parts == 2 || d->parts == 3)
            snprintf(name, sizeof name, "%s", names[d->parts - 2][p]);
        else
            snprintf(name, sizeof name, "part%zu", p + 1);
        status = write_part(d, p, name);
    }
    return status;
}

static int write_all(division *d, bool letor, bool folds)
{
    return letor || folds ? write_folds(d, letor) : write_shares(d);
}

static int divide(division *d)
{
    gradus_options *options = options_of(d->given, "split");
    const bool letor = strcmp(gradus_options_value(options, "letor"), "true") == 0;
    const bool folds = strcmp(gradus_options_value(options, "folds"), "0") != 0;
    gradus_error err;
    int status;

    if (gradus_dataset_split(d->data, options, d->part_of, &d->parts, &err) != GRADUS_OK)
        return fail(&err);
    d->rehearses = true;
    if ((status = write_all(d, letor, folds)) != 0)
        return status;
    d->rehearses = false;
    if ((status = make_folder(d, d->folder)) != 0)
        return status;
    if (d->given->json)
        json_open(&d->items, NULL, '[');
    status = write_all(d, letor, folds);
    if (d->given->json) {
        json_close(&d->items, ']');
        text_add(&d->report, "\n");
    }
    return status;
}

static int split_data(const arguments *given, const gradus_dataset *data)
{
    division d = { .given = given, .data = data, .folder = argument(given, "output") };
    int status;

    d.part_of = must_have(gradus_dataset_queries(data), sizeof *d.part_of);
    d.ending = argument(given, "ending") ? argument(given, "ending") : ".txt";
    d.items = (json)JSON_TO(&d.report);
    status = divide(&d);
    if (status == 0 && (given->json || !given->quiet))
        status = write_text(&d.report, "-");
    text_free(&d.report);
    free(d.part_of);
    return status;
}

static int split_run(arguments *given)
{
    int status = 0;

    if (given->count != 1 || !argument(given, "output"))
        return fail_usage("gradus split needs data and a folder: gradus split DATA -o FOLDER");
    gradus_dataset *data = read_data(given, given->words[0], &status);

    if (data)
        status = split_data(given, data);
    gradus_dataset_free(data);
    return status;
}

static const option split_options[] = {
    { "output", 'o', "FOLDER", "folder to write the parts to; created if it does not exist" },
    { "ending", 0, "TEXT", "extension of the files, which sets their format (default .txt)" },
    { NULL, 0, NULL, NULL },
};

static const example split_examples[] = {
    { "gradus split all.txt --fractions 60,20,20 -o parts",
      "parts/train.txt, valid.txt, test.txt" },
    { "gradus split all.txt --folds 5 -o folds --ending .gradus",
      "folds/fold1/train.gradus, ...; each part is the test set once" },
    { "gradus split all.txt --letor -o letor",
      "letor/S1.txt to S5.txt, and letor/Fold1/train.txt, vali.txt, test.txt ..." },
    { NULL, NULL },
};

const command command_split = {
    .name = "split",
    .summary = "split data by query into train/valid/test sets or folds",
    .usage = "gradus split DATA -o FOLDER [--fractions LIST | --folds K | --letor] [options]",
    .description =
        "Divides the queries of DATA at random; the rows of a query stay together. With --folds K "
        "there are K parts that rotate as in LETOR: fold i tests on one part, validates on the "
        "one before it and trains on the rest.",
    .options = split_options,
    .operations = { "split", "read", "write" },
    .examples = split_examples,
    .run = split_run,
};
