/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a model file. The header lists every section with its size and checksum, so all sections
 * are collected first, without copying their bytes. The file holds nothing about the machine, the
 * time or the path: the same model always gives the same bytes. */
#include "model/model_write.h"

#include "base/crc32c.h"
#include "base/sink.h"
#include "model/model_check.h"
#include "model/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CURVE "round u64, train f64, valid f64" /* gr_point */

const unsigned char gr_model_magic[GR_MODEL_MAGIC] = { 0x89, 'G', 'R', 'M', 'O', 'D', 'L', '\n' };
const char *const gr_meaning_names[] = { "score", "above",         "classes", "below",
                                         "odds",  "thresholds",    "each",    "each-odds",
                                         "votes", "probabilities", NULL };

typedef struct section {
    size_t node;
    const char *name, *layout;
    const void *bytes;
    size_t size;
} section;

struct gr_model_writer {
    uint64_t version; /* the oldest format version that has all that the model needs */
    gr_json_writer json;
    bool readable; /* the header holds the contents of the sections, and there is no file */
    section *sections;
    size_t section_count;
    size_t node;      /* the node being written */
    gr_point *points; /* the curve in stored form */
};

uint32_t gr_model_checksum(const unsigned char *front, const char *header, size_t header_size)
{
    const unsigned char zeros[4] = { 0, 0, 0, 0 };
    uint32_t crc = gr_crc32c(0, front, GR_MODEL_AT_CHECKSUM);

    crc = gr_crc32c(crc, zeros, sizeof zeros);
    crc = gr_crc32c(crc, front + GR_MODEL_AT_HEADER, GR_MODEL_FRONT - GR_MODEL_AT_HEADER);
    return gr_crc32c(crc, header, header_size);
}

gr_json_writer *gr_model_json(gr_model_writer *writer)
{
    return &writer->json;
}

gradus_status gr_model_add_section(gr_model_writer *writer, const char *name, const char *layout,
                                   const void *bytes, size_t size, gradus_error *err)
{
    section *more = realloc(writer->sections, (writer->section_count + 1) * sizeof *more);

    if (!more)
        return gr_fail_memory(err, "a model file");
    writer->sections = more;
    more[writer->section_count++] = (section){ writer->node, name, layout, bytes, size };
    return GRADUS_OK;
}

static void put_hex(gr_json_writer *json, const char *key, uint64_t number, int digits)
{
    char text[17];

    for (int i = 0; i < digits; i++)
        text[i] = "0123456789abcdef"[number >> 4 * (digits - 1 - i) & 15];
    text[digits] = '\0';
    gr_json_put_text(json, key, text);
}

static void put_recipe(gr_json_writer *json, const gradus_model *model)
{
    gr_json_put_text(json, "gradus", GRADUS_VERSION);
    gr_json_put_text(json, "method", model->method);
    gr_json_open(json, "recipe", '{');
    for (size_t i = 0; i < model->setting_count; i++)
        gr_json_put_text(json, model->settings[i].name, model->settings[i].value);
    gr_json_close(json, '}');
}

static void put_results(gr_json_writer *json, const gradus_model *model)
{
    if (model->result_count == 0)
        return;
    gr_json_open(json, "results", '{');
    for (size_t i = 0; i < model->result_count; i++)
        gr_json_put_number(json, model->results[i].name, model->results[i].value);
    gr_json_close(json, '}');
}

static gradus_status put_features(gr_model_writer *writer, const gradus_model *model,
                                  gradus_error *err)
{
    const gr_names *names = &model->feature_names;

    gr_json_open(&writer->json, "features", '{');
    gr_json_put_count(&writer->json, "count", model->features);
    gr_json_put_count(&writer->json, "first_id", model->first_id);
    gr_json_put_flag(&writer->json, "named", names->count > 0);
    gr_json_close(&writer->json, '}');
    if (names->count == 0)
        return GRADUS_OK;
    GR_TRY(gr_model_add_section(writer, "name_starts", NULL, names->starts,
                                (names->count + 1) * sizeof *names->starts, err));
    return gr_model_add_section(writer, "names", GR_TEXTS, names->bytes,
                                (size_t)names->starts[names->count], err);
}

/* Sections are named after the transform's owner, so that they do not collide with a node's own. */
static gradus_status put_transform(gr_model_writer *writer, const gr_fitted_transform *fitted,
                                   const char *shift, const char *unit, gradus_error *err)
{
    if (!fitted->transform) {
        gr_json_put_null(&writer->json, "transform");
        return GRADUS_OK;
    }
    gr_json_open(&writer->json, "transform", '{');
    gr_json_put_text(&writer->json, "name", fitted->transform->about.name);
    gr_json_put_flag(&writer->json, "keep_zeros", fitted->keep_zeros);
    gr_json_close(&writer->json, '}');
    if (fitted->transform->by_query)
        return GRADUS_OK;
    GR_TRY(gr_model_add_section(writer, shift, GR_F64, fitted->shift,
                                fitted->features * sizeof *fitted->shift, err));
    return gr_model_add_section(writer, unit, GR_F64, fitted->unit,
                                fitted->features * sizeof *fitted->unit, err);
}

static void put_numbers(gr_json_writer *json, const char *key, const double *numbers, size_t count)
{
    gr_json_open(json, key, '[');
    for (size_t i = 0; numbers && i < count; i++)
        gr_json_put_number(json, NULL, numbers[i]);
    gr_json_close(json, ']');
}

gradus_status gr_scorer_put(const gr_scorer *scorer, gr_model_writer *writer, gradus_error *err)
{
    gr_json_writer *json = &writer->json;

    gr_json_open(json, "scoring", '{');
    gr_json_put_text(json, "meaning", gr_meaning_names[scorer->meaning]);
    gr_json_put_text(json, "rule", gr_score_rules[scorer->rule]);
    gr_json_put_count(json, "outputs", scorer->outputs);
    put_numbers(json, "grades", scorer->level_labels, scorer->levels);
    put_numbers(json, "shares", scorer->shares, scorer->levels);
    put_numbers(json, "values", scorer->values, scorer->levels);
    put_numbers(json, "divisors", scorer->divisors, scorer->levels);
    put_numbers(json, "factors", scorer->factors, scorer->levels);
    gr_json_put_text(json, "repair", gr_repairs[scorer->repair]);
    gr_json_put_flag(json, "weighted", scorer->weights != NULL);
    if (scorer->thresholds)
        gr_json_put_count(json, "threshold_sets", scorer->threshold_sets);
    gr_json_close(json, '}');
    if (scorer->thresholds)
        GR_TRY(gr_model_add_section(
            writer, "thresholds", GR_F64, scorer->thresholds,
            scorer->threshold_sets * (scorer->levels - 1) * sizeof *scorer->thresholds, err));
    if (!scorer->weights)
        return GRADUS_OK;
    return gr_model_add_section(writer, "weights", GR_F64, scorer->weights,
                                scorer->outputs * scorer->levels * sizeof *scorer->weights, err);
}

static gradus_status put_fit(gr_model_writer *writer, const gradus_model *model, gradus_error *err)
{
    const size_t errors = gr_model_error_count(model);

    if (isnan(model->log_likelihood))
        return GRADUS_OK;
    gr_json_open(&writer->json, "fit", '{');
    gr_json_put_number(&writer->json, "log_likelihood", model->log_likelihood);
    gr_json_put_flag(&writer->json, "errors", model->errors != NULL);
    gr_json_close(&writer->json, '}');
    if (!model->errors)
        return GRADUS_OK;
    return gr_model_add_section(writer, "errors", GR_F64, model->errors,
                                errors * sizeof *model->errors, err);
}

/* The contents of the sections of a node. */
static void put_arrays(gr_model_writer *writer, size_t node)
{
    gr_json_open(&writer->json, "arrays", '{');
    for (size_t i = 0; i < writer->section_count; i++) {
        const section *s = &writer->sections[i];

        if (s->node == node && s->layout)
            gr_layout_put(&writer->json, s->name, s->layout, s->bytes, s->size);
    }
    gr_json_close(&writer->json, '}');
}

static gradus_status check_state(const gr_node *node, gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };

    if (!node->kind->check || node->kind->check(node->state, &found) == GRADUS_OK)
        return GRADUS_OK;
    return gr_fail(err, found.status == GRADUS_NO_MEMORY ? GRADUS_NO_MEMORY : GRADUS_BAD_NUMBER,
                   "the model cannot be written: %.400s", found.message);
}

static gradus_status put_node(gr_model_writer *writer, const gr_node *node, gradus_error *err)
{
    GR_TRY(check_state(node, err));
    gr_json_open(&writer->json, NULL, '{');
    gr_json_put_text(&writer->json, "kind", node->kind->about.name);
    gr_json_open(&writer->json, "inputs", '[');
    for (size_t i = 0; i < node->input_count; i++)
        gr_json_put_count(&writer->json, NULL, node->inputs[i]);
    gr_json_close(&writer->json, ']');
    if (node->columns) {
        writer->version = GR_MODEL_VERSION;
        gr_json_put_count(&writer->json, "columns", node->column_count);
        GR_TRY(gr_model_add_section(writer, "node_columns", GR_U32, node->columns,
                                    node->column_count * sizeof *node->columns, err));
    }
    if (node->transform) {
        if (writer->version < GR_MODEL_TRANSFORMS_VERSION)
            writer->version = GR_MODEL_TRANSFORMS_VERSION;
        GR_TRY(put_transform(writer, node->transform, "transform_shift", "transform_unit", err));
    }
    gr_json_open(&writer->json, "facts", '{');
    GR_TRY(node->kind->write(node->state, writer, err));
    gr_json_close(&writer->json, '}');
    if (writer->readable)
        put_arrays(writer, writer->node);
    gr_json_close(&writer->json, '}');
    return GRADUS_OK;
}

static gradus_status put_nodes(gr_model_writer *writer, const gradus_model *model,
                               gradus_error *err)
{
    gr_json_open(&writer->json, "nodes", '[');
    for (size_t n = 0; n < model->node_count; n++) {
        writer->node = n;
        GR_TRY(put_node(writer, &model->nodes[n], err));
    }
    writer->node = GR_MODEL_ITSELF;
    gr_json_close(&writer->json, ']');
    return GRADUS_OK;
}

/* A single bit pattern for "not measured": NaNs may differ in sign and payload. */
static double curve_value(double value)
{
    return isnan(value) ? (double)NAN : value;
}

static gradus_status put_curve(gr_model_writer *writer, const gradus_model *model,
                               gradus_error *err)
{
    gr_point *points = gr_new_array(model->point_count, sizeof *points);

    if (!points)
        return gr_fail_memory(err, "a model file");
    writer->points = points;
    for (size_t i = 0; i < model->point_count; i++)
        points[i] = (gr_point){ model->points[i].round, curve_value(model->points[i].train),
                                curve_value(model->points[i].valid) };
    return gr_model_add_section(writer, "curve", CURVE, points, model->point_count * sizeof *points,
                                err);
}

static gradus_status put_training(gr_model_writer *writer, const gradus_model *model,
                                  gradus_error *err)
{
    gr_json_writer *json = &writer->json;

    gr_json_open(json, "training", '{');
    gr_json_put_count(json, "rows", model->rows);
    gr_json_put_count(json, "queries", model->queries);
    put_hex(json, "fingerprint", model->fingerprint, 16);
    put_hex(json, "valid_fingerprint", model->valid_fingerprint, 16);
    gr_json_put_text(json, "metric", model->metric);
    gr_json_put_text(json, "convention", model->convention);
    gr_json_put_flag(json, "lower_is_better", model->lower_is_better);
    gr_json_put_count(json, "points", model->point_count);
    gr_json_put_count(json, "start_rounds", model->start_rounds);
    gr_json_put_count(json, "rounds_done", model->rounds_done);
    gr_json_put_count(json, "best_round", model->best_round);
    gr_json_put_flag(json, "finished", model->finished);
    if (model->distilled)
        gr_json_put_flag(json, "distilled", true);
    gr_json_close(json, '}');
    return put_curve(writer, model, err);
}

/* Offsets are relative to the start of the sections, because that depends on the header's size. */
static uint64_t put_sections(gr_model_writer *writer)
{
    gr_json_writer *json = &writer->json;
    uint64_t end = 0;

    gr_json_open(json, "sections", '[');
    for (size_t i = 0; i < writer->section_count; i++) {
        const section *s = &writer->sections[i];
        const uint64_t offset = gr_model_align(end);

        gr_json_open(json, NULL, '{');
        gr_json_put_count(json, "id", i);
        if (s->node == GR_MODEL_ITSELF)
            gr_json_put_null(json, "node");
        else
            gr_json_put_count(json, "node", s->node);
        gr_json_put_text(json, "name", s->name);
        gr_json_put_count(json, "offset", offset);
        gr_json_put_count(json, "size", s->size);
        put_hex(json, "crc", gr_crc32c(0, s->bytes, s->size), 8);
        gr_json_close(json, '}');
        end = offset + s->size;
    }
    gr_json_close(json, ']');
    return end;
}

static gradus_status put_members(gr_model_writer *writer, const gradus_model *model,
                                 gradus_error *err)
{
    writer->node = GR_MODEL_ITSELF;
    put_recipe(&writer->json, model);
    GR_TRY(put_features(writer, model, err));
    GR_TRY(put_transform(writer, &model->transform, "shift", "unit", err));
    GR_TRY(gr_scorer_put(&model->scorer, writer, err));
    GR_TRY(put_fit(writer, model, err));
    GR_TRY(put_nodes(writer, model, err));
    put_results(&writer->json, model);
    return put_training(writer, model, err);
}

static gradus_status put_header(gr_model_writer *writer, const gradus_model *model, uint64_t *end,
                                gradus_error *err)
{
    gr_json_open(&writer->json, NULL, '{');
    GR_TRY(put_members(writer, model, err));
    *end = put_sections(writer);
    gr_json_close(&writer->json, '}');
    return gr_json_done(&writer->json, err);
}

static void put_bytes(unsigned char *at, uint64_t number, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = (unsigned char)(number >> 8 * i);
}

/* Writes zeros up to the next section. */
static gradus_status pad(gr_sink *sink, uint64_t begin, gradus_error *err)
{
    static const unsigned char zeros[GR_MODEL_ALIGN];
    const uint64_t at = gr_sink_size(sink) - begin;

    return gr_sink_write(sink, zeros, (size_t)(gr_model_align(at) - at), err);
}

/* The front of the file, which the header follows. */
static void make_front(const gr_model_writer *writer, uint64_t end, unsigned char *front)
{
    const size_t header_size = writer->json.used;

    memcpy(front, gr_model_magic, GR_MODEL_MAGIC);
    put_bytes(front + GR_MODEL_AT_VERSION, writer->version, 4);
    put_bytes(front + GR_MODEL_AT_HEADER, header_size, 8);
    put_bytes(front + GR_MODEL_AT_SIZE, gr_model_align(GR_MODEL_FRONT + header_size) + end, 8);
    put_bytes(front + GR_MODEL_AT_CHECKSUM,
              gr_model_checksum(front, writer->json.bytes.at, header_size), 4);
}

static gradus_status write_file(const gr_model_writer *writer, uint64_t end, gr_sink *sink,
                                gradus_error *err)
{
    const uint64_t begin = gr_sink_size(sink);
    unsigned char front[GR_MODEL_FRONT];

    make_front(writer, end, front);
    GR_TRY(gr_sink_write(sink, front, sizeof front, err));
    GR_TRY(gr_sink_write(sink, writer->json.bytes.at, writer->json.used, err));
    for (size_t i = 0; i < writer->section_count; i++) {
        GR_TRY(pad(sink, begin, err));
        GR_TRY(gr_sink_write(sink, writer->sections[i].bytes, writer->sections[i].size, err));
    }
    return GRADUS_OK;
}

/* The same in memory. */
static gradus_status fill_bytes(const gr_model_writer *writer, uint64_t end, void **bytes,
                                size_t *size, gradus_error *err)
{
    const uint64_t begin = gr_model_align(GR_MODEL_FRONT + writer->json.used);
    unsigned char *at = calloc((size_t)(begin + end), 1), *next = at ? at + begin : NULL;

    if (!at)
        return gr_fail_memory(err, "a model");
    make_front(writer, end, at);
    memcpy(at + GR_MODEL_FRONT, writer->json.bytes.at, writer->json.used);
    for (size_t i = 0; i < writer->section_count; i++) {
        const section *s = &writer->sections[i];

        next = at + gr_model_align((uint64_t)(next - at));
        if (s->size > 0)
            memcpy(next, s->bytes, s->size);
        next += s->size;
    }
    *bytes = at;
    *size = (size_t)(begin + end);
    return GRADUS_OK;
}

static void free_writer(gr_model_writer *writer)
{
    gr_json_writer_free(&writer->json);
    free(writer->sections);
    free(writer->points);
}

/* Writes the model to the sink, or without one to memory. */
static gradus_status write_model(const gradus_model *model, gr_sink *sink, void **bytes,
                                 size_t *size, gradus_error *err)
{
    gr_model_writer writer = { .version = GR_MODEL_COMMON_VERSION, .node = GR_MODEL_ITSELF };
    uint64_t end = 0;
    gradus_status status = put_header(&writer, model, &end, err);

    if (status == GRADUS_OK)
        status =
            sink ? write_file(&writer, end, sink, err) : fill_bytes(&writer, end, bytes, size, err);
    free_writer(&writer);
    return status;
}

gradus_status gr_model_size(const gradus_model *model, uint64_t *size, gradus_error *err)
{
    gr_model_writer writer = { .sections = NULL };
    uint64_t end = 0;
    const gradus_status status = put_header(&writer, model, &end, err);

    *size = gr_model_align(GR_MODEL_FRONT + writer.json.used) + end;
    free_writer(&writer);
    return status;
}

static gradus_status check_writable(const gradus_model *model, gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };

    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "model files are little-endian, which this machine is not");
    if (gr_model_check(model, &found) != GRADUS_OK)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model cannot be written: %.400s",
                       found.message);
    return GRADUS_OK;
}

gradus_status gr_model_write(const gradus_model *model, const char *path, gradus_error *err)
{
    gr_sink *sink;

    GR_TRY(check_writable(model, err));
    sink = gr_sink_open(path, GR_PLAIN, err);
    if (!sink)
        return err ? err->status : GRADUS_NO_FILE;
    const gradus_status status = write_model(model, sink, NULL, NULL, err);

    if (status == GRADUS_OK)
        return gr_sink_close(sink, err);
    gr_sink_abandon(sink);
    return status;
}

gradus_status gr_model_to_bytes(const gradus_model *model, void **bytes, size_t *size,
                                gradus_error *err)
{
    GR_TRY(check_writable(model, err));
    return write_model(model, NULL, bytes, size, err);
}

gradus_status gr_model_put_json(const gradus_model *model, gr_json_writer *json, gradus_error *err)
{
    gr_model_writer writer = { .json = *json, .readable = true };
    const gradus_status status = put_members(&writer, model, err);

    if (status == GRADUS_OK)
        put_arrays(&writer, GR_MODEL_ITSELF);
    *json = writer.json;
    writer.json = (gr_json_writer){ .layout = json->layout };
    free_writer(&writer);
    return status;
}
