/* SPDX-License-Identifier: Apache-2.0 */
/* POST /v2/models/NAME/infer: scores and probabilities of the rows of a tensor. */
#include "infer.h"

#include "rank_documents.h"
#include "shadow.h"

#include <string.h>

static size_t columns_of(const request *r, size_t output)
{
    return output == OUTPUT_PROBABILITIES ? r->model->info.grades : 1;
}

static const double *values_of(const request *r, size_t output)
{
    return output == OUTPUT_PROBABILITIES ? r->probabilities.at : r->scores.at;
}

static gradus_status choose_outputs(request *r, inference *i)
{
    const bool probabilities = r->model->info.probabilities;

    if (i->chosen[OUTPUT_PROBABILITIES] && !probabilities)
        return request_refuse(r, ERROR_CONTENT, "model '%s' has no output 'probabilities'",
                              r->model->name);
    i->shown[OUTPUT_SCORES] = i->chosen[OUTPUT_SCORES] || !i->any_chosen;
    i->shown[OUTPUT_PROBABILITIES] =
        i->chosen[OUTPUT_PROBABILITIES] || (!i->any_chosen && probabilities);
    for (size_t o = 0; o < OUTPUTS; o++)
        i->binary[o] = i->shown[o] && (i->binary[o] || i->all_binary);
    return GRADUS_OK;
}

static gradus_status score(request *r, const inference *i)
{
    const size_t features = r->model->info.features;
    const bool probabilities = i->shown[OUTPUT_PROBABILITIES];

    GR_TRY(request_reserve(r, &r->scores, r->rows + 1, sizeof(double)));
    GR_TRY(request_reserve(r, &r->probabilities,
                           probabilities ? r->rows * r->model->info.grades + 1 : 1,
                           sizeof(double)));
    GR_TRY(gradus_model_score_rows(r->model->model, r->values.at, r->rows, features, features,
                                   r->scores.at, probabilities ? r->probabilities.at : NULL,
                                   &r->err));
    count_rows(r->model->statistics, r->scores.at, r->rows);
    return GRADUS_OK;
}

static void put_output(request *r, const inference *i, size_t output)
{
    const size_t columns = columns_of(r, output), count = r->rows * columns;

    gr_json_open(&r->out, NULL, '{');
    gr_json_put_text(&r->out, "name", output_names[output]);
    gr_json_put_text(&r->out, "datatype", "FP64");
    gr_json_open(&r->out, "shape", '[');
    gr_json_put_count(&r->out, NULL, r->rows);
    if (output == OUTPUT_PROBABILITIES)
        gr_json_put_count(&r->out, NULL, columns);
    gr_json_close(&r->out, ']');
    if (i->binary[output]) {
        gr_json_open(&r->out, "parameters", '{');
        gr_json_put_count(&r->out, "binary_data_size", count * sizeof(double));
        gr_json_close(&r->out, '}');
    } else {
        gr_json_open(&r->out, "data", '[');
        for (size_t n = 0; n < count; n++)
            gr_json_put_number(&r->out, NULL, values_of(r, output)[n]);
        gr_json_close(&r->out, ']');
    }
    gr_json_close(&r->out, '}');
}

static void put_answer(request *r, const inference *i)
{
    bool binary = false;

    gr_json_open(&r->out, NULL, '{');
    gr_json_put_text(&r->out, "model_name", r->model->name);
    gr_json_put_text(&r->out, "model_version", r->model->version);
    if (i->has_id)
        gr_json_put_text(&r->out, "id", i->id);
    gr_json_open(&r->out, "outputs", '[');
    for (size_t o = 0; o < OUTPUTS; o++)
        if (i->shown[o])
            put_output(r, i, o);
    gr_json_close(&r->out, ']');
    gr_json_close(&r->out, '}');
    const size_t header = r->out.used;

    for (size_t o = 0; o < OUTPUTS; o++) {
        if (!i->binary[o])
            continue;
        gr_json_append(&r->out, (const char *)values_of(r, o),
                       r->rows * columns_of(r, o) * sizeof(double));
        binary = true;
    }
    r->header_size = binary ? header : 0;
    request_answer(r, 200, binary ? "application/octet-stream" : "application/json");
}

gradus_status handle_infer(request *r)
{
    inference i = { 0 };

    GR_TRY(request_take_model(r, r->name, r->version));
    GR_TRY(infer_read(r, &i));
    GR_TRY(infer_read_values(r, &i));
    GR_TRY(choose_outputs(r, &i));
    GR_TRY(score(r, &i));
    if (r->rows && shadow_of(r->server)) {
        GR_TRY(rank_scores(r, r->scores.at, r->rows, &r->order));
        shadow_score(r);
    }
    put_answer(r, &i);
    return gr_json_done(&r->out, &r->err);
}
