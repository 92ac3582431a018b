/* SPDX-License-Identifier: Apache-2.0 */
/* Bins text and CSV while reading, so that the values are never in memory all at once. The file is
 * read three times: to count the rows; to parse the rows that thresholds are computed from, a sample
 * that depends on the number of rows; and to parse and bin all rows. Lines that are not needed are
 * skipped unparsed. If anything does not suit (rows are sparse, scattered or too few, the file
 * cannot be read again, or has an error), the file is read as usual, which reports errors. */
#include "pipeline/read_binned.h"

#include "base/crc32c.h"
#include "bins/attached.h"
#include "bins/bin_stream.h"
#include "bins/bins_file.h"
#include "data/read_files.h"
#include "data/read_parts.h"
#include "data/row_filter.h"
#include "data/row_windows.h"
#include "data/select.h"
#include "pipeline/train_recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* From this many times the sampled rows on, the sample takes less memory than it saves. */
enum { LEAST_SAMPLES = 2 };

/* Fractions of the time that the passes end at, for progress. */
#define COUNTED 0.1
#define SAMPLED 0.4

typedef struct binned_reading {
    gradus_context *context; /* of the caller */
    const char *path;
    gr_read_options options;
    gr_bin_options bin;
    double from, to; /* progress of the current pass */
    gr_array notes;  /* of the last pass: consecutive strings */
    size_t note_bytes;
    bool keeps_notes;
    gr_bin_stream *stream;
} binned_reading;

/* What is needed to read the values again. */
typedef struct value_file {
    char *path;
    gradus_options *options;
} value_file;

static void free_value_file(void *own)
{
    value_file *file = own;

    free(file->path);
    gr_options_free(file->options);
    free(file);
}

static value_file *new_value_file(const char *path, const gradus_options *read, gradus_error *err)
{
    value_file *file = calloc(1, sizeof *file);

    if (!file) {
        gr_fail_memory(err, "a dataset");
        return NULL;
    }
    file->path = strdup(path);
    file->options = read ? gr_options_copy(read, err) : NULL;
    if (!file->path || (read && !file->options)) {
        free_value_file(file);
        gr_fail_memory(err, "a dataset");
        return NULL;
    }
    return file;
}

/* Whether values have the checksums of the file as it was. */
static bool same_sums(const gr_binned *binned, const gradus_arrays *a)
{
    const unsigned char *bytes = (const unsigned char *)a->values;
    const size_t size = a->rows * a->features * sizeof *a->values;
    bool same = binned->sum_count == size / GR_SUM_BYTES + 1;

    for (size_t i = 0; i < binned->sum_count && same; i++) {
        const size_t left = size - i * GR_SUM_BYTES;

        same = gr_crc32c(0, bytes + i * GR_SUM_BYTES, left < GR_SUM_BYTES ? left : GR_SUM_BYTES) ==
               binned->sums[i];
    }
    return same;
}

static gradus_status load_values(void *state, gradus_dataset *data, gr_pool *pool,
                                 gradus_error *err)
{
    const value_file *file = gr_attached_own(state);
    gradus_context context = { .pool = pool };
    gr_read_options options = { 0 };
    gradus_error failure = { GRADUS_OK, "" };

    GR_TRY(gr_options_get(file->options, &gr_operation_read, &options, err));
    gradus_dataset *again = gr_read_rows(&context, file->path, &options, &failure);

    if (!again)
        return gr_fail(err, failure.status, "%s", failure.message);
    const gradus_arrays *a = &again->arrays;
    const bool same = a->values && a->rows == data->arrays.rows &&
                      a->features == data->arrays.features && same_sums(data->binned, a);

    if (same) {
        data->owned[GR_VALUES] = again->owned[GR_VALUES];
        again->owned[GR_VALUES] = (gr_array){ NULL, 0, false };
    }
    gradus_dataset_free(again);
    return same ? GRADUS_OK
                : gr_fail(err, GRADUS_BAD_FORMAT, "%.300s has changed since it was read",
                          file->path);
}

/* ---- One pass over the file ---- */

static bool pass_progress(void *user, const char *what, double done)
{
    const binned_reading *r = user;
    const double all = r->from + (r->to - r->from) * done;

    return !r->context || !r->context->progress ||
           r->context->progress(r->context->progress_user, what, all);
}

/* Notes of the last pass are shown if it succeeds: otherwise the file is read once more. */
static void pass_note(void *user, const char *text)
{
    binned_reading *r = user;
    const size_t size = strlen(text) + 1;

    if (!r->keeps_notes || !gr_array_reserve(&r->notes, r->note_bytes + size))
        return;
    memcpy((char *)r->notes.at + r->note_bytes, text, size);
    r->note_bytes += size;
}

static void show_notes(const binned_reading *r)
{
    for (size_t at = 0; at < r->note_bytes; at += strlen((char *)r->notes.at + at) + 1)
        gr_note(r->context, "%s", (char *)r->notes.at + at);
}

/* Reads the file up to a fraction `to` of the progress. */
static gradus_dataset *read_pass(binned_reading *r, double to, gr_row_filter *filter,
                                 gr_row_windows *windows, gradus_error *err)
{
    gradus_context context = { .pool = gr_pool_of(r->context),
                               .max_memory = r->context ? r->context->max_memory : 0,
                               .progress = pass_progress,
                               .progress_user = r,
                               .note = pass_note,
                               .note_user = r };
    gr_read_options options = r->options;

    r->from = r->to;
    r->to = to;
    options.filter = filter;
    options.windows = windows;
    return gr_read_rows(&context, r->path, &options, err);
}

/* ---- The passes; false: the file is to be read as usual, or reading was cancelled ---- */

/* Counts the rows by keeping none of them. */
static bool count_rows(binned_reading *r, gradus_error *err)
{
    gr_row_filter none = { .count = 0 };
    gradus_dataset *data = read_pass(r, COUNTED, &none, NULL, err);

    gradus_dataset_free(data); /* a binary file, which has no lines */
    if (data || err->status == GRADUS_CANCELLED || none.seen < LEAST_SAMPLES * r->bin.sample)
        return false;
    *err = (gradus_error){ GRADUS_OK, "" }; /* there are no rows */
    r->stream = gr_bin_stream_new(r->context, &r->bin, none.seen, err);
    return r->stream;
}

static bool find_thresholds(binned_reading *r, gr_window_use *use, gradus_error *err)
{
    gr_row_filter filter = { .count = 0 };

    filter.rows = gr_bin_stream_rows(r->stream, &filter.count);
    gradus_dataset *sample = read_pass(r, SAMPLED, &filter, NULL, err);
    const bool suits = sample && gr_dataset_is_dense(sample) && !sample->file_rows &&
                       sample->arrays.rows == filter.count;
    const bool good = suits && gr_bin_stream_prepare(r->stream, sample, err) == GRADUS_OK;

    if (good) {
        use->first_id = sample->first_id;
        use->features = sample->arrays.features;
    }
    gradus_dataset_free(sample);
    return good;
}

static void bin_window(void *state, size_t number, const float *values, size_t rows)
{
    (void)rows;
    gr_bin_stream_add(state, number, values);
}

/* Attaches the bins to the dataset. */
static bool attach(binned_reading *r, const gradus_options *read, gr_row_windows *windows,
                   gradus_dataset *data, gradus_error *err)
{
    value_file *file = new_value_file(r->path, read, err);
    gr_binned binned = { .array_count = 1,
                         .array_bytes = { data->arrays.rows * data->arrays.features *
                                          sizeof(float) },
                         .load = load_values,
                         .separates = gr_attached_separates,
                         .decode = gr_attached_decode,
                         .free = gr_attached_free };

    if (!file)
        return false;
    binned.state = gr_bin_stream_take(r->stream, file, free_value_file, err);
    if (!binned.state) {
        free_value_file(file);
        return false;
    }
    binned.sums = gr_row_windows_take_sums(windows, &binned.sum_count);
    if (!binned.sums) {
        gr_attached_free(binned.state);
        return false;
    }
    return gr_binned_attach(data, &binned, err) == GRADUS_OK;
}

static gradus_dataset *bin_rows(binned_reading *r, const gr_window_use *use,
                                const gradus_options *read, gradus_error *err)
{
    gr_row_windows *windows = gr_row_windows_new(use, err);
    bool fits = false;

    if (!windows)
        return NULL;
    r->keeps_notes = true;
    gradus_dataset *data = read_pass(r, 1.0, NULL, windows, err);
    const bool good = data && gr_row_windows_finish(windows, err) == GRADUS_OK &&
                      gr_bin_stream_finish(r->stream, data->arrays.rows, &fits, err) == GRADUS_OK &&
                      fits && attach(r, read, windows, data, err) &&
                      gr_read_finish(r->context, data, &r->options, err) == GRADUS_OK;

    gr_row_windows_free(windows);
    if (!good) {
        gradus_dataset_free(data);
        return NULL;
    }
    show_notes(r);
    return data;
}

static gradus_dataset *read_binned(binned_reading *r, const gradus_options *read, gradus_error *err)
{
    gr_window_use use = { .window = gr_bin_stream_chunk(),
                          .queued = gr_pool_threads(gr_pool_of(r->context)),
                          .process = bin_window };
    gradus_dataset *data = NULL;

    if (count_rows(r, err) && find_thresholds(r, &use, err)) {
        use.state = r->stream;
        data = bin_rows(r, &use, read, err);
    }
    gr_bin_stream_free(r->stream);
    gr_array_free(&r->notes);
    return data;
}

/* ---- Whether to try ---- */

/* How the learner bins the training rows; false if it needs more than bins. */
static bool chooses_bins(const gradus_options *train, gr_bin_options *bin)
{
    gradus_options *defaults = train ? NULL : gr_options_new(&gr_operation_train, NULL);
    gradus_error ignored;
    gr_recipe recipe;
    bool chosen = (train || defaults) &&
                  gr_recipe_of(train ? train : defaults, &recipe, &ignored) == GRADUS_OK &&
                  recipe.learner->bins &&
                  (recipe.options->transform.kind == GR_TRANSFORM_AUTO ||
                   !gr_transform_number((size_t)recipe.options->transform.kind));

    if (chosen)
        recipe.learner->bins(recipe.options, bin);
    gr_options_free(defaults);
    return chosen;
}

/* Whether it is an uncompressed regular file. Others cannot be read again, or not fast; opening a
 * pipe would take bytes from it. */
static bool reads_again(const char *path)
{
    struct stat about;
    const bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    gr_source *source = regular ? gr_source_open(path, NULL) : NULL;
    const bool again = source && gr_source_size(source) > 0;

    gr_source_close(source);
    return again;
}

static bool can_stream(const binned_reading *r, size_t count)
{
    const bool alone = !r->context || !r->context->collectives; /* others make bins together */

    return alone && count == 1 && strcmp(r->path, "-") != 0 && !gr_features_chosen(&r->options) &&
           !r->options.side_files && r->options.storage != GR_STORE_SPARSE && reads_again(r->path);
}

static gradus_dataset *with_bins(gradus_context *context, gradus_dataset *data, gradus_error *err)
{
    if (!data || gr_bins_file_attach(data, gr_pool_of(context), err) == GRADUS_OK)
        return data;
    gradus_dataset_free(data);
    return NULL;
}

gradus_dataset *gr_read_any(gradus_context *context, const char *const *paths, size_t count,
                            const gr_read_options *options, gradus_error *err)
{
    gradus_dataset *data = gr_read_files(context, paths, count, options, err);

    return with_bins(context, data, err);
}

gradus_dataset *gr_read_shared(gradus_context *context, const char *const *paths, size_t count,
                               const gr_read_options *options, gradus_error *err)
{
    const bool shared = context && context->collectives && context->collectives->size > 1;

    return with_bins(context,
                     shared ? gr_read_parts(context, paths, count, options, err)
                            : gr_read_files(context, paths, count, options, err),
                     err);
}

gradus_dataset *gr_read_bins(gradus_context *context, const char *const *paths, size_t count,
                             const gradus_options *read, const gr_bin_options *bin,
                             gradus_error *err)
{
    binned_reading r = { .context = context, .path = paths[0] };
    gradus_error failure = { GRADUS_OK, "" };

    if (gr_options_get(read, &gr_operation_read, &r.options, err) != GRADUS_OK)
        return NULL;
    if (bin)
        r.bin = *bin;
    if (bin && bin->sample > 0 && can_stream(&r, count)) {
        gradus_dataset *data = read_binned(&r, read, &failure);

        if (data)
            return data;
        if (failure.status == GRADUS_CANCELLED) {
            gr_fail(err, failure.status, "%s", failure.message);
            return NULL;
        }
    }
    return bin ? gr_read_shared(context, paths, count, &r.options, err)
               : gr_read_any(context, paths, count, &r.options, err);
}

gradus_dataset *gr_read_for_training(gradus_context *context, const char *const *paths,
                                     size_t count, const gradus_options *read,
                                     const gradus_options *train, gradus_error *err)
{
    gr_bin_options bin;

    return gr_read_bins(context, paths, count, read, chooses_bins(train, &bin) ? &bin : NULL, err);
}
