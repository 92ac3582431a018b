/* SPDX-License-Identifier: Apache-2.0 */
/* Bins that belong to a dataset, and values that represent them: trees that split between bins, as
 * those trained on them do, cannot tell these from the values of the file. */
#include "bins/attached.h"

#include "base/bisect.h"
#include "bins/bins_file.h"
#include "bins/bins_work.h"
#include "data/binary.h"

#include <math.h>
#include <stdlib.h>

typedef struct attached {
    gr_bins bins;
    gr_bin_options options;
    float *values;    /* a value of each bin */
    uint64_t *starts; /* per feature: its first bin in values */
    float *defaults;  /* per feature: a value of the default bin of sparse features, else 0 */
    void *own;
    void (*free_own)(void *);
} attached;

/* A value of a bin: the threshold below it, which is its smallest value; for the first bin the
 * float below the first threshold. */
static float value_of(const float *thresholds, size_t count, size_t bin)
{
    if (count == 0 || bin > count)
        return bin > 0 ? NAN : 0.0f;
    return bin > 0 ? thresholds[bin - 1] : gr_key_float(gr_float_key(thresholds[0]) - 1);
}

static bool fill_values(attached *a)
{
    const gr_bins *bins = &a->bins;

    a->starts = gr_new_array(bins->features + 1, sizeof *a->starts);
    a->defaults = gr_new_array(bins->features, sizeof *a->defaults);
    for (size_t f = 0; a->starts && f < bins->features; f++)
        a->starts[f + 1] = a->starts[f] + gr_cuts_bins(&bins->cuts, f);
    a->values = a->starts ? gr_new_array((size_t)a->starts[bins->features], sizeof(float)) : NULL;
    if (!a->values || !a->defaults)
        return false;
    for (size_t f = 0; f < bins->features; f++) {
        size_t count;
        const float *thresholds = gr_feature_thresholds(&bins->cuts, f, &count);

        for (size_t b = 0; b < a->starts[f + 1] - a->starts[f]; b++)
            a->values[a->starts[f] + b] = value_of(thresholds, count, b);
    }
    for (size_t i = 0; i < bins->sparses; i++) {
        const gr_sparse_feature *sparse = &bins->sparse[i];

        a->defaults[sparse->feature] = a->values[a->starts[sparse->feature] + sparse->default_bin];
    }
    return true;
}

void *gr_attached_new(const gr_bins *bins, const gr_bin_options *options, void *own,
                      void (*free_own)(void *), gradus_error *err)
{
    attached *a = calloc(1, sizeof *a);

    if (a) {
        *a = (attached){ .bins = *bins, .options = *options, .own = own, .free_own = free_own };
        if (fill_values(a))
            return a;
        free(a->values);
        free(a->starts);
        free(a->defaults);
        free(a);
    }
    gr_fail_memory(err, "bins");
    return NULL;
}

void *gr_attached_own(void *state)
{
    return ((attached *)state)->own;
}

void gr_attached_free(void *state)
{
    attached *a = state;

    gr_bins_free(&a->bins);
    free(a->values);
    free(a->starts);
    free(a->defaults);
    if (a->free_own)
        a->free_own(a->own);
    free(a);
}

bool gr_attached_separates(const void *state, size_t feature, float threshold)
{
    const attached *a = state;
    size_t count;
    const float *thresholds = gr_feature_thresholds(&a->bins.cuts, feature, &count);
    const size_t at = GR_BISECT(0, count, i, thresholds[i] < threshold);

    return at < count && thresholds[at] == threshold;
}

/* Bins of a mapped file may be any numbers: these are read without having been checked. */
static float value_at(const attached *a, size_t feature, uint64_t bin)
{
    const uint64_t count = a->starts[feature + 1] - a->starts[feature];

    return a->values[a->starts[feature] + (bin < count ? bin : count - 1)];
}

static uint64_t end_of(const gr_bins *bins, const gr_bundle *bundle, size_t r)
{
    const uint64_t end = bundle->row_starts[r + 1], all = bundle->row_starts[bins->rows];

    return end < all ? end : all;
}

static void decode_dense(const attached *a, size_t first, size_t end, float *values)
{
    const gr_bins *bins = &a->bins;
    const size_t each = gr_bins_in_word(bins);
    const uint64_t mask = (1u << bins->width) - 1u;

    for (size_t b = 0; b < bins->blocks; b++) {
        const uint64_t *words = gr_block_words(bins, b);
        const size_t stride = gr_block_stride(bins, b);
        const size_t left = bins->dense - b * each, columns = left < each ? left : each;

        for (size_t r = first; r < end; r++) {
            float *row = values + (r - first) * bins->features;
            uint64_t word = words[r * stride];

            for (size_t c = 0; c < columns; c++, word >>= bins->width) {
                const uint32_t f = bins->columns[b * each + c];

                row[f] = value_at(a, f, word & mask);
            }
        }
    }
}

/* The sparse feature, a position in gr_bins.sparse, that a code of the bundle belongs to. */
static size_t feature_of(const gr_bins *bins, const gr_bundle *bundle, uint32_t code)
{
    return GR_BISECT(bundle->first, bundle->end, i, bins->sparse[i].code <= code) - 1;
}

static void decode_bundle(const attached *a, const gr_bundle *bundle, size_t first, size_t end,
                          float *values)
{
    const gr_bins *bins = &a->bins;

    for (size_t r = first; r < end; r++)
        for (uint64_t e = bundle->row_starts[r]; e < end_of(bins, bundle, r); e++) {
            const gr_sparse_feature *sparse =
                &bins->sparse[feature_of(bins, bundle, bundle->entries[e])];
            const uint32_t bin = bundle->entries[e] - sparse->code;

            values[(r - first) * bins->features + sparse->feature] =
                value_at(a, sparse->feature, bin);
        }
}

void gr_attached_decode(const void *state, size_t first, size_t end, float *values)
{
    const attached *a = state;
    const size_t features = a->bins.features;

    for (size_t r = first; r < end; r++)
        for (size_t f = 0; f < features; f++)
            values[(r - first) * features + f] = a->defaults[f];
    decode_dense(a, first, end, values);
    for (size_t s = 0; s < a->bins.bundles; s++)
        decode_bundle(a, &a->bins.bundle[s], first, end, values);
}

const gr_bin_options *gr_attached_options(const void *state)
{
    return &((const attached *)state)->options;
}

const gr_bins *gr_attached_bins(const void *state)
{
    return &((const attached *)state)->bins;
}

/* Rows are sampled by the seed only if there are more than the sample. */
static bool has_options(const attached *a, const gr_bin_options *options)
{
    return a->options.scheme == options->scheme && a->options.bins == options->bins &&
           a->options.sample == options->sample &&
           (a->options.seed == options->seed || options->sample == 0 ||
            a->bins.rows <= options->sample);
}

gradus_status gr_bins_attached(const gradus_dataset *data, const gr_bin_options *options,
                               gr_pool *pool, gr_bins *bins, bool *found, gradus_error *err)
{
    const gradus_dataset *whole = data->whole ? data->whole : data;
    const attached *a =
        whole->binned && whole->binned->free == gr_attached_free ? whole->binned->state : NULL;

    *found = a && (a->bins.mapped || whole == data) && has_options(a, options);
    if (!*found)
        return GRADUS_OK;
    if (a->bins.mapped) {
        GR_TRY(gr_bins_view(&a->bins, gr_share_first_row(data->share), data->arrays.rows,
                            gr_binary_name(whole->binary), pool, bins, err));
        bins->share = data->share;
        return GRADUS_OK;
    }
    *bins = a->bins;
    bins->attached = true;
    return GRADUS_OK;
}
