/* SPDX-License-Identifier: Apache-2.0 */
/* Reads documents and tensors into rows. */
#include "rows.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const size_t no_id = SIZE_MAX;

static gradus_status not_finite(request *r, const gr_json_scan *scan)
{
    return request_refuse(r, ERROR_CONTENT, "byte %zu: the number is too large for a float",
                          (size_t)(scan->at - scan->begin));
}

/* A number, or null: a missing value. */
static gradus_status read_value(request *r, gr_json_scan *scan, float *value)
{
    if (gr_json_scan_kind(scan) == GR_JSON_NULL) {
        *value = NAN;
        return gr_json_scan_null(scan);
    }
    GR_TRY(gr_json_scan_float(scan, value));
    return isfinite(*value) ? GRADUS_OK : not_finite(r, scan);
}

static gradus_status read_feature_list(request *r, gr_json_scan *scan, float *values)
{
    const size_t features = r->model->info.features;
    bool first = true, more;
    size_t count = 0;

    GR_TRY(gr_json_scan_open(scan, '['));
    for (;;) {
        GR_TRY(gr_json_scan_next(scan, ']', &first, &more));
        if (!more)
            break;
        if (count == features)
            return request_refuse(r, ERROR_CONTENT,
                                  "document %zu has more features than the %zu of model '%s'",
                                  r->rows + 1, features, r->model->name);
        GR_TRY(read_value(r, scan, &values[count++]));
        count += gr_json_scan_more_floats(scan, values + count, features - count);
    }
    if (count == features)
        return GRADUS_OK;
    return request_refuse(r, ERROR_CONTENT, "document %zu has %zu features, and model '%s' has %zu",
                          r->rows + 1, count, r->model->name, features);
}

/* A value that no document can have marks features that were not given. */
static const uint32_t absent_bits = 0x7fc0dead; /* a NAN */

static bool is_absent(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits == absent_bits;
}

static gradus_status read_member(request *r, gr_json_scan *scan, float *values)
{
    const char *key;
    size_t length, feature;

    GR_TRY(request_reserve(r, &r->scratch, (size_t)(scan->end - scan->at) + 1, 1));
    key = r->scratch.at;
    GR_TRY(gr_json_scan_key(scan, r->scratch.at, &length));
    if (!served_find_feature(r->model, key, length, &feature))
        return request_refuse(r, ERROR_CONTENT, "document %zu: model '%s' has no feature '%.200s'",
                              r->rows + 1, r->model->name, key);
    if (!is_absent(values[feature]))
        return request_refuse(r, ERROR_CONTENT, "document %zu: feature '%.200s' is given twice",
                              r->rows + 1, key);
    return read_value(r, scan, &values[feature]);
}

static gradus_status read_feature_members(request *r, gr_json_scan *scan, float *values)
{
    const size_t features = r->model->info.features;
    bool first = true, more;

    for (size_t f = 0; f < features; f++)
        memcpy(&values[f], &absent_bits, sizeof absent_bits);
    GR_TRY(gr_json_scan_open(scan, '{'));
    for (;;) {
        GR_TRY(gr_json_scan_next(scan, '}', &first, &more));
        if (!more)
            break;
        GR_TRY(read_member(r, scan, values));
    }
    for (size_t f = 0; f < features; f++)
        if (is_absent(values[f]))
            values[f] = NAN;
    return GRADUS_OK;
}

static gradus_status read_features(request *r, gr_json_scan *scan)
{
    const size_t features = r->model->info.features;
    float *values;

    GR_TRY(request_reserve(r, &r->values, (r->rows + 1) * features + 1, sizeof(float)));
    values = (float *)r->values.at + r->rows * features;
    return gr_json_scan_kind(scan) == GR_JSON_OBJECT ? read_feature_members(r, scan, values)
                                                     : read_feature_list(r, scan, values);
}

/* Appends the id to the texts of the request. */
static gradus_status read_id(request *r, gr_json_scan *scan, size_t *used, document_id *id)
{
    const size_t left = (size_t)(scan->end - scan->at) + 1;
    const char *number;
    size_t length;
    char *to;

    GR_TRY(request_reserve(r, &r->texts, *used + left, 1));
    to = (char *)r->texts.at + *used;
    id->start = *used;
    id->number = gr_json_scan_kind(scan) == GR_JSON_NUMBER;
    if (id->number) {
        GR_TRY(gr_json_scan_number(scan, &number, &length));
        memcpy(to, number, length);
        to[length] = '\0';
    } else {
        GR_TRY(gr_json_scan_string(scan, to, &length));
    }
    *used += length + 1;
    return GRADUS_OK;
}

typedef enum document_member { MEMBER_ID, MEMBER_FEATURES, MEMBER_OTHER } document_member;

static gradus_status read_document_key(request *r, gr_json_scan *scan, document_member *member)
{
    size_t length;

    GR_TRY(request_reserve(r, &r->scratch, (size_t)(scan->end - scan->at) + 1, 1));
    GR_TRY(gr_json_scan_key(scan, r->scratch.at, &length));
    *member = strcmp(r->scratch.at, "id") == 0         ? MEMBER_ID
              : strcmp(r->scratch.at, "features") == 0 ? MEMBER_FEATURES
                                                       : MEMBER_OTHER;
    return GRADUS_OK;
}

static gradus_status read_document(request *r, gr_json_scan *scan, size_t *used)
{
    bool first = true, more, seen[2] = { false, false };
    document_id id = { .start = no_id };

    GR_TRY(gr_json_scan_open(scan, '{'));
    for (;;) {
        document_member member;

        GR_TRY(gr_json_scan_next(scan, '}', &first, &more));
        if (!more)
            break;
        GR_TRY(read_document_key(r, scan, &member));
        if (member == MEMBER_OTHER)
            return request_refuse(r, ERROR_CONTENT,
                                  "document %zu: unknown member '%.200s', expected id and features",
                                  r->rows + 1, (const char *)r->scratch.at);
        if (seen[member])
            return request_refuse(r, ERROR_CONTENT, "document %zu: '%s' is given twice",
                                  r->rows + 1, member == MEMBER_ID ? "id" : "features");
        seen[member] = true;
        GR_TRY(member == MEMBER_ID ? read_id(r, scan, used, &id) : read_features(r, scan));
    }
    if (!seen[MEMBER_FEATURES])
        return request_refuse(r, ERROR_CONTENT, "document %zu has no features", r->rows + 1);
    GR_TRY(request_reserve(r, &r->ids, r->rows + 1, sizeof(document_id)));
    ((document_id *)r->ids.at)[r->rows] = id;
    return GRADUS_OK;
}

gradus_status rows_read_documents(request *r, gr_json_scan *scan)
{
    const size_t most = settings_of(r->server)->max_rows;
    bool first = true, more;
    size_t used = 0;

    GR_TRY(gr_json_scan_open(scan, '['));
    for (r->rows = 0;; r->rows++) {
        GR_TRY(gr_json_scan_next(scan, ']', &first, &more));
        if (!more)
            return GRADUS_OK;
        if (r->rows == most)
            return request_refuse(r, ERROR_TOO_LARGE, "more than %zu documents", most);
        if (gr_json_scan_kind(scan) == GR_JSON_LIST) { /* features only */
            GR_TRY(read_features(r, scan));
            GR_TRY(request_reserve(r, &r->ids, r->rows + 1, sizeof(document_id)));
            ((document_id *)r->ids.at)[r->rows] = (document_id){ .start = no_id };
        } else {
            GR_TRY(read_document(r, scan, &used));
        }
    }
}

/* Numbers at any depth, up to `count` of them from *done on. */
static gradus_status read_nested(request *r, gr_json_scan *scan, float *values, size_t count,
                                 size_t *done)
{
    bool first = true, more;

    if (gr_json_scan_kind(scan) != GR_JSON_LIST) {
        if (*done == count)
            return request_refuse(r, ERROR_CONTENT,
                                  "the tensor has more than the %zu values of its shape", count);
        return read_value(r, scan, &values[(*done)++]);
    }
    GR_TRY(gr_json_scan_open(scan, '['));
    for (;;) {
        GR_TRY(gr_json_scan_next(scan, ']', &first, &more));
        if (!more)
            return GRADUS_OK;
        GR_TRY(read_nested(r, scan, values, count, done)); /* the depth is limited */
        *done += gr_json_scan_more_floats(scan, values + *done, count - *done);
    }
}

gradus_status rows_read_numbers(request *r, gr_json_scan *scan, float *values, size_t count)
{
    size_t done = 0;

    GR_TRY(read_nested(r, scan, values, count, &done));
    if (done == count)
        return GRADUS_OK;
    return request_refuse(r, ERROR_CONTENT, "the tensor has %zu values, and its shape %zu", done,
                          count);
}

void rows_put_id(request *r, const char *key, size_t row)
{
    const document_id id = ((const document_id *)r->ids.at)[row];

    if (id.start == no_id)
        gr_json_put_count(&r->out, key, row + 1);
    else if (id.number)
        gr_json_put_raw(&r->out, key, (const char *)r->texts.at + id.start);
    else
        gr_json_put_text(&r->out, key, (const char *)r->texts.at + id.start);
}
