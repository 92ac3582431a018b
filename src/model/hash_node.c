/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models over hashed features: runs, writes and reads them. */
#include "model/hash_node.h"

#include "model/model_reader.h"
#include "model/model_write.h"

#include <math.h>
#include <string.h>

static size_t columns(const void *state)
{
    return ((const gr_hashed *)state)->linear.outputs;
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
    gr_hashed_free(state);
}

gradus_status gr_hash_node_new(gr_hashed *hashed, gr_node *node, gradus_error *err)
{
    return gr_node_new(&gr_node_hash, hashed, node, err);
}

static gradus_status check(const void *state, gradus_error *err)
{
    return gr_hashed_check(state, err);
}

static gradus_status write_hash(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_hashed *hashed = state;
    const gr_linear *linear = &hashed->linear;
    gr_json_writer *facts = gr_model_json(writer);

    gr_json_put_count(facts, "features", hashed->features);
    gr_json_put_count(facts, "bits", hashed->bits);
    gr_json_put_count(facts, "outputs", linear->outputs);
    GR_TRY(gr_model_add_section(writer, "bases", GR_F64, linear->bases,
                                linear->outputs * sizeof(double), err));
    return gr_model_add_section(writer, "coefficients", GR_F64, linear->coefficients,
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

static gradus_status read_hash(gr_model_reader *reader, size_t features, void *state,
                               gradus_error *err)
{
    uint64_t known, bits, outputs;
    gr_hashed *hashed = state;
    const void *bytes;

    GR_TRY(gr_model_read_count(reader, "features", &known, err));
    GR_TRY(gr_model_read_count(reader, "bits", &bits, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    if (known != features || bits < 1 || bits > GR_MAX_HASH_BITS || outputs > UINT16_MAX)
        return gr_model_damaged(reader, err, "its buckets do not fit the model");
    /* Check the section's size before allocating that much. */
    GR_TRY(gr_model_read_section(reader, "coefficients", outputs << bits, sizeof(double), &bytes,
                                 err));
    hashed->features = features;
    hashed->bits = (unsigned)bits;
    GR_TRY(gr_linear_new(&hashed->linear, (size_t)1 << bits, (size_t)outputs, err));
    return read_numbers(reader, &hashed->linear, err);
}

static size_t weights(const void *state)
{
    const gr_linear *linear = &((const gr_hashed *)state)->linear;

    return linear->outputs * linear->features;
}

static const gr_node_size sizes[] = {
    { "weights", "weight", "weights", NULL, weights },
    { NULL, NULL, NULL, NULL, NULL },
};

static bool fact_at(const void *state, size_t index, gradus_model_fact *fact)
{
    const gradus_model_fact all[] = { GR_LINE_FACT("size", "{weights} of hashed features") };

    (void)state;
    return GR_FACT_AT(all, index, fact);
}

const gr_node_kind gr_node_hash = {
    .about = { .name = "hash",
               .summary = "linear models over hashed features, one per output",
               .details = "" },
    .noun = "hashed linear model",
    .size = sizeof(gr_hashed),
    .columns = columns,
    .apply = apply,
    .takes_sparse = takes_sparse,
    .uses = list_uses,
    .write = write_hash,
    .read = read_hash,
    .check = check,
    .free = free_state,
    .sizes = sizes,
    .fact = fact_at,
};
