/* SPDX-License-Identifier: Apache-2.0 */
/* Bins rows that come in chunks. */
#include "bins/bin_stream.h"

#include "bins/attached.h"
#include "bins/bins_work.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* Scratch memory of a thread that bins a chunk. */
typedef struct stream_scratch {
    struct stream_scratch *next;
    gr_array arrays[2];
} stream_scratch;

struct gr_bin_stream {
    gr_bin_options options;
    gr_bins bins;
    gr_binning work;
    uint32_t *rows; /* of the first pass */
    size_t count;
    uint32_t *constant; /* features without bins, whose values are checked */
    size_t constants;
    atomic_bool differs;  /* a constant feature is not */
    pthread_mutex_t lock; /* protects `unused` */
    stream_scratch *unused;
};

/* Merges the sampled and the examined rows, and replaces both by positions in the merged list. */
static gradus_status merge_rows(gr_bin_stream *stream, gradus_error *err)
{
    gr_binning *work = &stream->work;
    const size_t sampled = work->sampled, rows = stream->bins.rows;
    size_t s = 0, w = 0;

    stream->rows = gr_new_array(sampled + GR_WATCHED, sizeof *stream->rows);
    work->watch_rows = gr_new_array(GR_WATCHED, sizeof *work->watch_rows);
    if (!stream->rows || !work->watch_rows)
        return gr_fail_memory(err, "sampled rows");
    while (s < sampled || w < GR_WATCHED) {
        const size_t watched = w < GR_WATCHED ? w * rows / GR_WATCHED : SIZE_MAX;
        const size_t next = s < sampled ? work->sample_rows[s] : SIZE_MAX;
        const size_t row = next < watched ? next : watched;

        while (s < sampled && work->sample_rows[s] == row)
            work->sample_rows[s++] = (uint32_t)stream->count;
        while (w < GR_WATCHED && w * rows / GR_WATCHED == row)
            work->watch_rows[w++] = (uint32_t)stream->count;
        stream->rows[stream->count++] = (uint32_t)row;
    }
    return GRADUS_OK;
}

gr_bin_stream *gr_bin_stream_new(const gradus_context *context, const gr_bin_options *options,
                                 size_t rows, gradus_error *err)
{
    gr_bin_stream *stream = calloc(1, sizeof *stream);

    if (!stream) {
        gr_fail_memory(err, "bins");
        return NULL;
    }
    pthread_mutex_init(&stream->lock, NULL);
    stream->options = *options;
    stream->bins.rows = rows;
    stream->work = (gr_binning){
        .streamed = true, .options = &stream->options, .context = context, .bins = &stream->bins
    };
    if (gr_binning_check(rows, 0, options, err) != GRADUS_OK ||
        gr_binning_sample(&stream->work, err) != GRADUS_OK ||
        (stream->work.sample_rows && merge_rows(stream, err) != GRADUS_OK)) {
        gr_bin_stream_free(stream);
        return NULL;
    }
    return stream;
}

void gr_bin_stream_free(gr_bin_stream *stream)
{
    if (!stream)
        return;
    while (stream->unused) {
        stream_scratch *next = stream->unused->next;

        gr_array_free(&stream->unused->arrays[0]);
        gr_array_free(&stream->unused->arrays[1]);
        free(stream->unused);
        stream->unused = next;
    }
    pthread_mutex_destroy(&stream->lock);
    gr_binning_free(&stream->work);
    gr_bins_free(&stream->bins);
    free(stream->rows);
    free(stream->constant);
    free(stream);
}

const uint32_t *gr_bin_stream_rows(const gr_bin_stream *stream, size_t *count)
{
    *count = stream->count;
    return stream->rows;
}

static gradus_status list_constants(gr_bin_stream *stream, gradus_error *err)
{
    const gr_bins *bins = &stream->bins;

    stream->constant = gr_new_array(bins->features, sizeof *stream->constant);
    if (!stream->constant)
        return gr_fail_memory(err, "bins");
    for (size_t f = 0; f < bins->features; f++)
        if (bins->place[f] == GR_NO_PLACE)
            stream->constant[stream->constants++] = (uint32_t)f;
    return GRADUS_OK;
}

gradus_status gr_bin_stream_prepare(gr_bin_stream *stream, const gradus_dataset *sample,
                                    gradus_error *err)
{
    gr_binning *work = &stream->work;
    const size_t features = sample->arrays.features;

    stream->bins.features = features;
    GR_TRY(gr_binning_check(stream->bins.rows, features, work->options, err));
    work->data = sample;
    GR_TRY(gr_binning_prepare(work, err));
    work->data = NULL;
    GR_TRY(gr_binning_assign_begin(work, err));
    return list_constants(stream, err);
}

size_t gr_bin_stream_chunk(void)
{
    return GR_BIN_CHUNK;
}

static stream_scratch *take_scratch(gr_bin_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream_scratch *scratch = stream->unused;

    if (scratch)
        stream->unused = scratch->next;
    pthread_mutex_unlock(&stream->lock);
    return scratch ? scratch : calloc(1, sizeof *scratch);
}

static void give_scratch(gr_bin_stream *stream, stream_scratch *scratch)
{
    pthread_mutex_lock(&stream->lock);
    scratch->next = stream->unused;
    stream->unused = scratch;
    pthread_mutex_unlock(&stream->lock);
}

/* Whether the missing values of constant features are as in the first pass: all or none. */
static bool are_constant(const gr_bin_stream *stream, const float *values, size_t rows)
{
    const size_t features = stream->bins.features;
    bool same = true;

    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < stream->constants; i++) {
            const size_t f = stream->constant[i];

            same &= (isnan(values[r * features + f]) != 0) == stream->bins.cuts.missing[f];
        }
    return same;
}

void gr_bin_stream_add(gr_bin_stream *stream, size_t number, const float *values)
{
    const size_t start = number * GR_BIN_CHUNK, rows = stream->bins.rows;

    if (start >= rows)
        return; /* more rows than expected */
    const size_t count = rows - start < GR_BIN_CHUNK ? rows - start : GR_BIN_CHUNK;
    stream_scratch *scratch = take_scratch(stream);

    if (!scratch) {
        atomic_store(&stream->work.failed, GRADUS_NO_MEMORY);
        return;
    }
    gr_assign_dense(&stream->work, number, values, stream->bins.features, scratch->arrays);
    if (!are_constant(stream, values, count))
        atomic_store(&stream->differs, true);
    give_scratch(stream, scratch);
}

gradus_status gr_bin_stream_finish(gr_bin_stream *stream, size_t rows, bool *fits,
                                   gradus_error *err)
{
    *fits = !atomic_load(&stream->differs) && rows == stream->bins.rows;
    if (atomic_load(&stream->work.failed))
        return gr_fail_memory(err, "sparse bins");
    return *fits ? gr_binning_complete(&stream->work, err) : GRADUS_OK;
}

void *gr_bin_stream_take(gr_bin_stream *stream, void *own, void (*free_own)(void *),
                         gradus_error *err)
{
    void *state = gr_attached_new(&stream->bins, &stream->options, own, free_own, err);

    if (state)
        stream->bins = (gr_bins){ 0 };
    return state;
}
