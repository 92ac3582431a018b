/* SPDX-License-Identifier: Apache-2.0 */
/* The data of tuning: the folds that settings are evaluated on, and the data for the final model.
 */
#include "experiments/tuning.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FOLDS = 1000 };

void gr_tune_data_free(gr_tune_data *data)
{
    gr_folds_free(&data->folds);
    gradus_dataset_free(data->joined);
    *data = (gr_tune_data){ .joined = NULL };
}

static void name_folds(gr_folds *folds)
{
    for (size_t f = 0; f < folds->count; f++) {
        snprintf(folds->names[f], sizeof folds->names[f], "fold %zu", f + 1);
        folds->folds[f].name = folds->names[f];
    }
}

/* A single fold from the caller's datasets. */
static gradus_status take_sets(const gradus_tuning_input *input, gr_folds *folds, gradus_error *err)
{
    GR_TRY(gr_folds_begin(folds, "", 1, 0, err));
    folds->folds[0].train = input->train;
    folds->folds[0].valid = input->valid;
    folds->folds[0].test = input->test;
    name_folds(folds);
    return GRADUS_OK;
}

/* Copies the queries of the selected parts to a dataset owned by the folds. */
static gradus_status cut(gradus_context *context, const gradus_dataset *data, const size_t *part_of,
                         const bool *wanted, gr_folds *folds, const gradus_dataset **set,
                         gradus_error *err)
{
    const size_t queries = gradus_dataset_queries(data);
    size_t *chosen = gr_new_array(queries, sizeof *chosen), count = 0;

    if (!chosen)
        return gr_fail_memory(err, "folds");
    for (size_t q = 0; q < queries; q++)
        if (wanted[part_of[q]])
            chosen[count++] = q;
    const gradus_status status =
        gr_folds_own(folds, gradus_dataset_subset(context, data, chosen, count, err), set, err);

    free(chosen);
    return status;
}

/* Builds fold f of k: as `gradus split` does if folds have test parts; otherwise one part validates
 * and the others train. */
static gradus_status cut_fold(gradus_context *context, const gradus_tuning_input *input,
                              const size_t *part_of, size_t k, size_t f, gr_folds *folds,
                              gradus_error *err)
{
    const size_t test = input->test ? k : (f + k - 1) % k;
    const size_t valid = input->test ? f : (f + k - 2) % k;
    const gradus_dataset **const sets[] = { &folds->folds[f].train, &folds->folds[f].valid,
                                            &folds->folds[f].test };
    bool wanted[MAX_FOLDS];

    for (size_t role = 0; role < (input->test ? 2 : 3); role++) {
        for (size_t p = 0; p < k; p++)
            wanted[p] = role == 0 ? p != test && p != valid : p == (role == 1 ? valid : test);
        GR_TRY(cut(context, input->train, part_of, wanted, folds, sets[role], err));
    }
    return GRADUS_OK;
}

/* Assigns each query to one of k parts. */
static gradus_status part_queries(const gradus_dataset *data, size_t k, uint64_t seed,
                                  size_t *part_of, gradus_error *err)
{
    gradus_options *options = gradus_options_new("split", err);
    char folds[GRADUS_NUMBER_SIZE], text[GRADUS_NUMBER_SIZE];
    size_t parts = 0;
    gradus_status status = options ? GRADUS_OK : GRADUS_NO_MEMORY;

    gr_format_count(k, folds);
    gr_format_count(seed, text);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "folds", folds, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "seed", text, err);
    if (status == GRADUS_OK)
        status = gradus_dataset_split(data, options, part_of, &parts, err);
    gradus_options_free(options);
    return status;
}

static gradus_status cut_folds(gradus_context *context, const gradus_tuning_input *input,
                               const gr_tune_options *options, gr_folds *folds, gradus_error *err)
{
    const size_t queries = gradus_dataset_queries(input->train), k = (size_t)options->folds;
    const size_t least = input->test ? 2 : 3;
    size_t *part_of;

    if (k < least || k > queries || k > MAX_FOLDS)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'folds' must be at least %zu (%s) and at most the number of queries, "
                       "%zu; found %zu",
                       least,
                       input->test ? "for training and validation"
                                   : "for training, validation "
                                     "and testing",
                       queries, k);
    GR_TRY(gr_folds_begin(folds, "", k, 3 * k, err));
    name_folds(folds);
    part_of = gr_new_array(queries, sizeof *part_of);
    if (!part_of)
        return gr_fail_memory(err, "folds");
    gradus_status status = part_queries(input->train, k, options->seed, part_of, err);

    for (size_t f = 0; status == GRADUS_OK && f < k; f++)
        status = cut_fold(context, input, part_of, k, f, folds, err);
    free(part_of);
    return status;
}

/* Appends the folds in a folder. */
static gradus_status read_folder(gradus_context *context, const char *path, gr_folds *all,
                                 gradus_error *err)
{
    const gr_run run = { .context = context, .data = path };
    gr_folds more, joined;

    if (!gr_folds_are_there(&run, "."))
        return gr_fail(err, GRADUS_NO_FILE,
                       "no folds in '%.200s': expected train.txt, vali.txt and test.txt, or "
                       "Fold1/train.txt and so on, or S1.txt to S5.txt (or .gradus, .txt.gz, "
                       ".txt.zst)",
                       path);
    GR_TRY(gr_folds_read(&run, ".", &more, err));
    gradus_status status = gr_folds_begin(&joined, "", all->count + more.count,
                                          all->owned_count + more.owned_count, err);

    if (status == GRADUS_OK) {
        memcpy(joined.folds, all->folds, all->count * sizeof *joined.folds);
        memcpy(joined.folds + all->count, more.folds, more.count * sizeof *joined.folds);
        memcpy(joined.owned, all->owned, all->owned_count * sizeof(gradus_dataset *));
        memcpy(joined.owned + all->owned_count, more.owned,
               more.owned_count * sizeof(gradus_dataset *));
        joined.owned_count = all->owned_count + more.owned_count;
        all->owned_count = more.owned_count = 0;
        gr_folds_free(all);
        *all = joined;
        name_folds(all);
    } else {
        gr_folds_free(&joined);
    }
    gr_folds_free(&more);
    return status;
}

static gradus_status read_folders(gradus_context *context, const char *list, gr_folds *folds,
                                  gradus_error *err)
{
    GR_TRY(gr_folds_begin(folds, "", 0, 0, err));
    while (*list) {
        const size_t length = strcspn(list, ",");
        char *path = strndup(list, length);

        if (!path)
            return gr_fail_memory(err, "a path");
        const gradus_status status =
            *path ? read_folder(context, path, folds, err)
                  : gr_fail(err, GRADUS_BAD_ARGUMENT, "'fold-dirs': empty name");

        free(path);
        GR_TRY(status);
        list += length + (list[length] == ',');
    }
    return GRADUS_OK;
}

static gradus_status check(const gradus_tuning_input *input, const gr_tune_options *options,
                           gradus_error *err)
{
    const bool folders = *options->fold_dirs;

    if (folders && (input->train || input->valid || input->test || options->folds))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'fold-dirs' provides all data: remove the other data options and 'folds'");
    if (!folders && !input->train)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "tuning needs training data, or folders of data in 'fold-dirs'");
    if (!folders && !input->valid && !options->folds)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "tuning needs data to select by: validation data, or 'folds'");
    if (input->valid && options->folds)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'folds' splits the training data: remove the validation data");
    return GRADUS_OK;
}

/* Joins the folds so that every row occurs once: each row is in most folds, as training, validation
 * or test row. */
static gradus_dataset *join_folds(gradus_context *context, const gr_folds *folds, gradus_error *err)
{
    enum { EACH = 3 };
    const gradus_dataset **sets = gr_new_array(folds->count, EACH * sizeof *sets);
    gradus_dataset *joined;

    if (!sets) {
        gr_fail_memory(err, "folds");
        return NULL;
    }
    for (size_t f = 0; f < folds->count; f++) {
        sets[EACH * f] = folds->folds[f].train;
        sets[EACH * f + 1] = folds->folds[f].valid;
        sets[EACH * f + 2] = folds->folds[f].test;
    }
    joined = gradus_dataset_join_folds(context, sets, folds->count, EACH, err);
    free(sets);
    return joined;
}

/* Selects the data for the final model. Several folds: all data, because no validation part is
 * separate from all of them. One fold: its training part with validation, or both parts. */
static gradus_status configure_refit(gradus_context *context, const gradus_tuning_input *input,
                                     const gr_tune_options *options, gr_tune_data *data,
                                     gradus_error *err)
{
    const gr_fold *first = &data->folds.folds[0];
    const gradus_dataset *sets[] = { first->train, first->valid };
    const bool several = data->folds.count > 1;

    data->refit = (gr_fold){ .name = "again", .train = input->train, .test = data->test };
    if (options->folds) /* the folds are parts of input->train */
        return GRADUS_OK;
    if (options->refit == GR_REFIT_NONE || (options->refit == GR_REFIT_TRAIN && !several)) {
        data->refit.train = first->train;
        data->refit.valid = first->valid;
        return GRADUS_OK;
    }
    data->joined = several ? join_folds(context, &data->folds, err)
                           : gradus_dataset_join(context, sets, 2, err);
    data->refit.train = data->joined;
    return data->joined ? GRADUS_OK : err->status;
}

static gradus_status take_fingerprint(gradus_context *context, gr_tune_data *data,
                                      gradus_error *err)
{
    uint64_t found[3] = { 0 };

    for (size_t f = 0; f < data->folds.count; f++) {
        const gr_fold *fold = &data->folds.folds[f];
        const gradus_dataset *sets[3] = { fold->train, fold->valid, fold->test };

        for (size_t s = 0; s < 3; s++) {
            found[s] = 0;
            if (!sets[s])
                continue;
            GR_TRY(gradus_dataset_fingerprint(context, sets[s], &found[s], err));
        }
        data->fingerprint = data->fingerprint * 3 + gr_hash(found, sizeof found);
    }
    if (data->test && data->folds.count > 1) {
        GR_TRY(gradus_dataset_fingerprint(context, data->test, &found[0], err));
        data->fingerprint = data->fingerprint * 3 + found[0];
    }
    return GRADUS_OK;
}

gradus_status gr_tune_data_take(gradus_context *context, const gradus_tuning_input *input,
                                const gr_tune_options *options, gr_tune_data *data,
                                gradus_error *err)
{
    *data = (gr_tune_data){ .joined = NULL };
    GR_TRY(check(input, options, err));
    gradus_status status = *options->fold_dirs
                               ? read_folders(context, options->fold_dirs, &data->folds, err)
                           : options->folds ? cut_folds(context, input, options, &data->folds, err)
                                            : take_sets(input, &data->folds, err);

    data->test = options->folds ? input->test : NULL;
    if (status == GRADUS_OK)
        status = configure_refit(context, input, options, data, err);
    if (status == GRADUS_OK)
        status = take_fingerprint(context, data, err);
    if (status != GRADUS_OK)
        gr_tune_data_free(data);
    return status;
}
