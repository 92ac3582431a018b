#include "shared.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The parts of one file to write: those whose bit is set in `parts`. */
static int write_parts(const arguments *given, const gradus_dataset *data, const size_t *part_of,
                       uint64_t parts, const char *folder, const char *name)
{
    const size_t queries = gradus_dataset_queries(data);
    size_t *chosen = must_have(queries, sizeof *chosen), count = 0;
    char path[4096];
    gradus_error err;
    int status = 0;

    for (size_t q = 0; q < queries; q++)
        if (parts >> part_of[q] & 1)
            chosen[count++] = q;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        status = fail_usage("the path of '%s' is too long", name);
    gradus_dataset *subset =
        status == 0 ? gradus_dataset_subset(given->context, data, chosen, count, &err) : NULL;
    if (status == 0 && (!subset || gradus_dataset_write(given->context, subset, path,
                                                        options_of(given, "write"), &err) != GRADUS_OK))
        status = fail(&err);
    if (status == 0 && !given->quiet && !given->json)
        printf("%s: %s queries, %s rows\n", path, with_commas(count),
               with_commas(gradus_dataset_rows(subset)));
    gradus_dataset_free(subset);
    free(chosen);
    return status;
}

static int make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    fprintf(stderr, "gradus: cannot make folder '%s': %s\n", path, strerror(errno));
    return 1;
}

/* Fold f (from 0) of k: train on the others but one, validate on one, test on one. The parts move
 * round as in LETOR: fold 1 of five trains on 1 2 3, validates on 4 and tests on 5. */
static int write_fold(const arguments *given, const gradus_dataset *data, const size_t *part_of,
                      size_t f, size_t k, const char *ending)
{
    const uint64_t all = k < 64 ? ((uint64_t)1 << k) - 1 : ~(uint64_t)0;
    const uint64_t valid = k > 2 ? (uint64_t)1 << (f + k - 2) % k : 0;
    const uint64_t test = (uint64_t)1 << (f + k - 1) % k;
    char folder[4096], name[64];
    int status;

    if ((size_t)snprintf(folder, sizeof folder, "%s/fold%zu", argument(given, "output"), f + 1) >=
        sizeof folder)
        return fail_usage("the path of the folder is too long");
    status = make_folder(folder);
    snprintf(name, sizeof name, "train%s", ending);
    if (status == 0)
        status = write_parts(given, data, part_of, all & ~valid & ~test, folder, name);
    snprintf(name, sizeof name, "valid%s", ending);
    if (status == 0 && valid)
        status = write_parts(given, data, part_of, valid, folder, name);
    snprintf(name, sizeof name, "test%s", ending);
    return status == 0 ? write_parts(given, data, part_of, test, folder, name) : status;
}

static int write_shares(const arguments *given, const gradus_dataset *data, const size_t *part_of,
                        size_t parts, const char *ending)
{
    static const char *const names[2][3] = { { "train", "test", "" }, { "train", "valid", "test" } };
    int status = 0;
    char name[64];

    for (size_t p = 0; p < parts && status == 0; p++) {
        if (parts == 2 || parts == 3)
            snprintf(name, sizeof name, "%s%s", names[parts - 2][p], ending);
        else
            snprintf(name, sizeof name, "part%zu%s", p + 1, ending);
        status = write_parts(given, data, part_of, (uint64_t)1 << p, argument(given, "output"), name);
    }
    return status;
}

static int split_data(const arguments *given, const gradus_dataset *data)
{
    size_t *part_of = must_have(gradus_dataset_queries(data), sizeof *part_of);
    const char *ending = argument(given, "ending") ? argument(given, "ending") : ".txt";
    size_t parts = 0;
    gradus_error err;
    int status = 0;

    if (gradus_dataset_split(data, options_of(given, "split"), part_of, &parts, &err) != GRADUS_OK)
        status = fail(&err);
    if (status == 0)
        status = make_folder(argument(given, "output"));
    if (status == 0 && strcmp(gradus_options_value(options_of(given, "split"), "folds"), "0") != 0)
        for (size_t f = 0; f < parts && status == 0; f++)
            status = write_fold(given, data, part_of, f, parts, ending);
    else if (status == 0)
        status = write_shares(given, data, part_of, parts, ending);
    free(part_of);
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
    { "output", 'o', "FOLDER", "where to write the parts; made if it is not there" },
    { "ending", 0, "TEXT", "ending of the file names, and so their form (.txt)" },
    { NULL, 0, NULL, NULL },
};

static const example split_examples[] = {
    { "gradus split all.txt --shares 60,20,20 -o parts", "parts/train.txt, valid.txt, test.txt" },
    { "gradus split all.txt --folds 5 -o folds --ending .gradus",
      "folds/fold1/train.gradus, ..., each part the test set once" },
    { NULL, NULL },
};

const command command_split = {
    .name = "split",
    .summary = "divide data by query: train/valid/test shares, or folds",
    .usage = "gradus split DATA -o FOLDER [--shares LIST | --folds K] [options]",
    .description = "Divides the queries of DATA, each with all its rows, at random by the seed. With "
                   "--folds K, K parts move round as in LETOR: fold i tests on one part, validates "
                   "on the one before it and trains on the rest.",
    .options = split_options,
    .operations = { "split", "read", "write" },
    .examples = split_examples,
    .run = split_run,
};
