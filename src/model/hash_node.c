/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models over hashed features: runs, writes and reads them. */
#include "model/model_file.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t columns(const void *state)
{
    return ((const gr_hashed *)state)->linear.outputs;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)state;
    (void)rows;
    return 0;
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    const gr_hashed *hashed = state;

    for (size_t r = 0; r < batch->rows; r++)
        if (batch->sparse)
            gr_hashed_row(hashed, gr_batch_entries(batch, r), gr_batch_columns(batch, r),
                          gr_batch_count(batch, r), out + r, batch->rows);
        else
            gr_hashed_row(hashed, batch->values + r * batch->stride, NULL, hashed->features,
                          out + r, batch->rows);
}

/* Features in the same bucket share its weight. Feature spreads are not stored, so the weights are
 * not scaled. */
static gradus_feature_use use_of(const gr_hashed *hashed, size_t f)
{
    const gr_linear *linear = &hashed->linear;
    gradus_feature_use use = { f, 0.0, 0 };
    float sign;
    const size_t bucket = gr_hash_bucket(f, hashed->bits, &sign);

    for (size_t k = 0; k < linear->outputs; k++) {
        use.gain += fabs(linear->coefficients[k * linear->features + bucket]);
        use.splits += linear->coefficients[k * linear->features + bucket] != 0.0;
    }
    return use;
}

static void importance(const void *state, double *sizes, uint64_t *equations)
{
    const gr_hashed *hashed = state;

    for (size_t f = 0; f < hashed->features; f++) {
        const gradus_feature_use use = use_of(hashed, f);

        if (sizes)
            sizes[f] = use.gain;
        if (equations)
            equations[f] = use.splits;
    }
}

enum { MAX_OF_BUCKET = 64 };

/* Lists nothing if there are far more features than weights: the list would be meaningless, and the
 * number of features is whatever the file claims. */
static size_t list_uses(const void *state, gradus_feature_use *uses)
{
    const gr_hashed *hashed = state;
    const size_t features =
        hashed->features / MAX_OF_BUCKET <= hashed->linear.features ? hashed->features : 0;

    for (size_t f = 0; uses && f < features; f++)
        uses[f] = use_of(hashed, f);
    return features;
}

static bool takes_sparse(const void *state)
{
    (void)state;
    return true;
}

static void free_state(void *state)
{
    if (state)
        gr_hashed_free(state);
    free(state);
}

gradus_status gr_hash_node_new(gr_hashed *hashed, gr_node *node, gradus_error *err)
{
    gr_hashed *state = malloc(sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a model");
    *state = *hashed;
    *hashed = (gr_hashed){ .bits = 0 };
    *node = (gr_node){ .kind = &gr_node_hash, .state = state };
    return GRADUS_OK;
}

static gradus_status write_hash(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_hashed *hashed = state;
    const gr_linear *linear = &hashed->linear;
    gr_json_writer *facts = gr_model_facts(writer);
    gradus_error found = { GRADUS_OK, "" };

    if (gr_hashed_check(hashed, &found) != GRADUS_OK)
        return gr_fail(err, GRADUS_BAD_NUMBER, "the model cannot be written: %.400s",
                       found.message);
    gr_json_put_count(facts, "features", hashed->features);
    gr_json_put_count(facts, "bits", hashed->bits);
    gr_json_put_count(facts, "outputs", linear->outputs);
    GR_TRY(gr_model_add_section(writer, "bases", linear->bases, linear->outputs * sizeof(double),
                                err));
    return gr_model_add_section(writer, "coefficients", linear->coefficients,
                                linear->outputs * linear->features * sizeof(double), err);
}

static gradus_status read_numbers(gr_model_reader *reader, gr_linear *linear, gradus_error *err)
{
    const void *bytes;

    GR_TRY(gr_model_read_section(reader, "bases", linear->outputs, sizeof(double), &bytes, err));
    memcpy(linear->own + (linear->outputs + 2) * linear->features, bytes,
           linear->outputs * sizeof(double));
    GR_TRY(gr_model_read_section(reader, "coefficients", linear->outputs * linear->features,
                                 sizeof(double), &bytes, err));
    memcpy(linear->own + 2 * linear->features, bytes,
           linear->outputs * linear->features * sizeof(double));
    return GRADUS_OK;
}

static gradus_status read_hash(gr_model_reader *reader, size_t features, void **state,
                               gradus_error *err)
{
    uint64_t known, bits, outputs;
    gr_hashed hashed = { .features = features };
    gradus_error found = { GRADUS_OK, "" };
    gradus_status status;
    gr_node node;

    GR_TRY(gr_model_read_count(reader, "features", &known, err));
    GR_TRY(gr_model_read_count(reader, "bits", &bits, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    if (known != features || bits < 1 || bits > GR_MAX_HASH_BITS || outputs > UINT16_MAX)
        return gr_model_damaged(reader, err, "its buckets do not fit the model");
    /* Check the section's size before allocating that much. */
    const void *bytes;

    GR_TRY(gr_model_read_section(reader, "coefficients", outputs << bits, sizeof(double), &bytes,
                                 err));
    hashed.bits = (unsigned)bits;
    GR_TRY(gr_linear_new(&hashed.linear, (size_t)1 << bits, (size_t)outputs, err));
    status = read_numbers(reader, &hashed.linear, err);
    if (status == GRADUS_OK && gr_hashed_check(&hashed, &found) != GRADUS_OK)
        status = gr_model_damaged(reader, err, "%.200s", found.message);
    if (status == GRADUS_OK)
        status = gr_hash_node_new(&hashed, &node, err);
    gr_hashed_free(&hashed);
    if (status == GRADUS_OK)
        *state = node.state;
    return status;
}

const gr_node_kind gr_node_hash = {
    .about = { .name = "hash",
               .summary = "linear models over hashed features, one per output",
               .details = "" },
    .noun = "hashed linear model",
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .takes_sparse = takes_sparse,
    .importance = importance,
    .uses = list_uses,
    .write = write_hash,
    .read = read_hash,
    .free = free_state,
};
