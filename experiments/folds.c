/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets of experiments, split into folds. */
#include "experiments/experiment.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LETOR_PARTS = 5, PATH_SIZE = 4096 };

static const char *const endings[] = { ".gradus", ".txt", ".txt.gz", ".txt.zst" };

void gr_folds_free(gr_folds *folds)
{
    for (size_t i = 0; i < folds->owned_count; i++)
        gradus_dataset_free(folds->owned[i]);
    free(folds->owned);
    free(folds->folds);
    free(folds->names);
    *folds = (gr_folds){ .count = 0 };
}

/* Finds the file run->data/name/part with any supported extension; false if not found. */
static bool find_file(const gr_run *run, const char *name, const char *part, char path[PATH_SIZE])
{
    for (size_t e = 0; *run->data && e < sizeof endings / sizeof endings[0]; e++) {
        const int length =
            snprintf(path, PATH_SIZE, "%s/%s/%s%s", run->data, name, part, endings[e]);

        if (length > 0 && length < PATH_SIZE && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* Prefixes of the file names of a dataset with a single fold. */
static const char *const single[] = { "", "set1.", "set2." };
enum { SINGLE = sizeof single / sizeof single[0] };

static bool find_single(const gr_run *run, const char *name, const char *beginning,
                        const char *part, char path[PATH_SIZE])
{
    char file[32];

    snprintf(file, sizeof file, "%s%s", beginning, part);
    return find_file(run, name, file, path);
}

bool gr_folds_are_there(const gr_run *run, const char *name)
{
    char path[PATH_SIZE];

    for (size_t i = 0; i < SINGLE; i++)
        if (find_single(run, name, single[i], "train", path))
            return true;
    return find_file(run, name, "Fold1/train", path) || find_file(run, name, "S1", path);
}

gradus_status gr_folds_begin(gr_folds *folds, const char *name, size_t count, size_t sets,
                             gradus_error *err)
{
    *folds = (gr_folds){ .count = count };
    gr_text_copy(folds->name, sizeof folds->name, name, "");
    folds->folds = gr_new_array(count, sizeof *folds->folds);
    folds->names = gr_new_array(count, sizeof *folds->names);
    folds->owned = gr_new_array(sets, sizeof *folds->owned);
    if (!folds->folds || !folds->names || !folds->owned)
        return gr_fail_memory(err, "folds");
    return GRADUS_OK;
}

/* The fold's name in journal keys. It includes the number of rows, so that different data of the
 * same name are not confused. */
static void name_folds(gr_folds *folds)
{
    for (size_t f = 0; f < folds->count; f++) {
        const gr_fold *fold = &folds->folds[f];

        snprintf(folds->names[f], sizeof folds->names[f], "%s fold %zu, %zu rows", folds->name,
                 f + 1, gradus_dataset_rows(fold->train));
        folds->folds[f].name = folds->names[f];
    }
}

gradus_status gr_folds_own(gr_folds *folds, gradus_dataset *set, const gradus_dataset **where,
                           const gradus_error *err)
{
    if (!set)
        return err->status;
    folds->owned[folds->owned_count++] = set;
    *where = set;
    return GRADUS_OK;
}

static gradus_status read_part(const gr_run *run, const char *name, const char *part,
                               gr_folds *folds, const gradus_dataset **set, gradus_error *err)
{
    char path[PATH_SIZE];

    if (!find_file(run, name, part, path))
        return gr_fail(err, GRADUS_NO_FILE, "no '%.200s/%s/%s.txt' (or .gradus, .txt.gz, .txt.zst)",
                       run->data, name, part);
    return gr_folds_own(folds, gradus_dataset_read(run->context, path, NULL, err), set, err);
}

static gradus_status read_folds(const gr_run *run, const char *name, gr_folds *folds,
                                gradus_error *err)
{
    for (size_t f = 0; f < LETOR_PARTS; f++) {
        const gradus_dataset **sets[] = { &folds->folds[f].train, &folds->folds[f].valid,
                                          &folds->folds[f].test };
        static const char *const parts[] = { "train", "vali", "test" };

        for (size_t p = 0; p < 3; p++) {
            char part[32];

            snprintf(part, sizeof part, "Fold%zu/%s", f + 1, parts[p]);
            GR_TRY(read_part(run, name, part, folds, sets[p], err));
        }
    }
    return GRADUS_OK;
}

/* Fold f trains on S_f, S_f+1 and S_f+2, validates on S_f+3 and tests on S_f+4. */
static gradus_status read_parts(const gr_run *run, const char *name, gr_folds *folds,
                                gradus_error *err)
{
    const gradus_dataset *parts[LETOR_PARTS];

    for (size_t p = 0; p < LETOR_PARTS; p++) {
        char part[8];

        snprintf(part, sizeof part, "S%zu", p + 1);
        GR_TRY(read_part(run, name, part, folds, &parts[p], err));
    }
    for (size_t f = 0; f < LETOR_PARTS; f++) {
        const gradus_dataset *const joined[] = { parts[f], parts[(f + 1) % LETOR_PARTS],
                                                 parts[(f + 2) % LETOR_PARTS] };

        GR_TRY(gr_folds_own(folds, gradus_dataset_join(run->context, joined, 3, err),
                            &folds->folds[f].train, err));
        folds->folds[f].valid = parts[(f + 3) % LETOR_PARTS];
        folds->folds[f].test = parts[(f + 4) % LETOR_PARTS];
    }
    return GRADUS_OK;
}

/* A dataset with a single fold. */
static gradus_status read_single(const gr_run *run, const char *name, const char *beginning,
                                 gr_folds *folds, gradus_error *err)
{
    char path[PATH_SIZE], part[32];
    const bool valid = find_single(run, name, beginning, "valid", path);

    folds->count = 1;
    snprintf(part, sizeof part, "%strain", beginning);
    GR_TRY(read_part(run, name, part, folds, &folds->folds[0].train, err));
    snprintf(part, sizeof part, "%s%s", beginning, valid ? "valid" : "vali");
    GR_TRY(read_part(run, name, part, folds, &folds->folds[0].valid, err));
    snprintf(part, sizeof part, "%stest", beginning);
    return read_part(run, name, part, folds, &folds->folds[0].test, err);
}

static gradus_status read_set(const gr_run *run, const char *name, gr_folds *folds,
                              gradus_error *err)
{
    char path[PATH_SIZE];

    if (find_file(run, name, "Fold1/train", path))
        return read_folds(run, name, folds, err);
    for (size_t i = 0; i < SINGLE; i++)
        if (find_single(run, name, single[i], "train", path))
            return read_single(run, name, single[i], folds, err);
    return read_parts(run, name, folds, err);
}

gradus_status gr_folds_read(const gr_run *run, const char *name, gr_folds *folds, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };

    *folds = (gr_folds){ .count = 0 };
    if (!*run->data)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "this experiment needs data: set 'data' to the folder that contains '%s'",
                       name);
    gradus_status status = gr_folds_begin(folds, name, LETOR_PARTS, 3 * LETOR_PARTS, &fault);

    if (status == GRADUS_OK)
        status = read_set(run, name, folds, &fault);
    if (status == GRADUS_OK) {
        name_folds(folds);
        return GRADUS_OK;
    }
    gr_folds_free(folds);
    return gr_fail(err, status, "%s", fault.message);
}

static gradus_status make_part(const gr_run *run, const char *operation, const char *options,
                               size_t first, size_t queries, gr_folds *folds,
                               const gradus_dataset **set, gradus_error *err)
{
    gradus_options *synth = gr_words_options(operation, options, err);
    gradus_dataset *made = NULL;
    char text[GRADUS_NUMBER_SIZE];
    gradus_status status = synth ? GRADUS_OK : err->status;

    if (status == GRADUS_OK) {
        gr_format_count(queries, text);
        status = gradus_options_set(synth, "queries", text, err);
    }
    if (status == GRADUS_OK) {
        gr_format_count(first, text);
        status = gradus_options_set(synth, "first-query", text, err);
    }
    if (status == GRADUS_OK)
        made = gradus_synth(run->context, synth, err);
    gradus_options_free(synth);
    return gr_folds_own(folds, made, set, err);
}

gradus_status gr_folds_synth(const gr_run *run, const char *operation, const char *options,
                             const size_t queries[3], gr_folds *folds, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    gradus_status status = gr_folds_begin(folds, operation, 1, 3, &fault);
    const gradus_dataset **sets[3];
    size_t first = 1;

    if (status == GRADUS_OK)
        for (size_t p = 0; p < 3; p++)
            sets[p] = p == 0   ? &folds->folds[0].train
                      : p == 1 ? &folds->folds[0].valid
                               : &folds->folds[0].test;
    for (size_t p = 0; status == GRADUS_OK && p < 3; p++) {
        if (queries[p] > 0)
            status = make_part(run, operation, options, first, queries[p], folds, sets[p], &fault);
        first += queries[p];
    }
    if (status == GRADUS_OK) {
        name_folds(folds);
        return GRADUS_OK;
    }
    gr_folds_free(folds);
    return gr_fail(err, status, "%s", fault.message);
}
