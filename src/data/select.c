/* SPDX-License-Identifier: Apache-2.0 */
/* Selects features by the options use-features and ignore-features. */
#include "data/select.h"

#include "base/table.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_WORD = 256 };

/* The features that words refer to. */
typedef struct known {
    const gr_names *names;
    size_t features, first_id;
} known;

static bool is_given(const char *list)
{
    return list && *list;
}

bool gr_features_chosen(const gr_read_options *options)
{
    return is_given(options->use_features) || is_given(options->ignore_features);
}

static gradus_status unknown_word(const known *k, const char *word, gradus_error *err)
{
    const char **list;
    gradus_status status;

    if (k->names->count == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "unknown feature '%.80s': the data have features %zu to %zu", word,
                       k->first_id, k->features + k->first_id - 1);
    list = gr_new_array(k->names->count, sizeof *list);
    if (!list)
        return gr_fail_memory(err, "feature names");
    for (size_t f = 0; f < k->names->count; f++)
        list[f] = gr_name_at(k->names, f);
    status = gr_fail_unknown(err, "feature", word, list, k->names->count);
    free(list);
    return status;
}

/* Parses an id and converts it to a feature index. */
static bool read_id(const known *k, const char *at, const char *end, size_t *feature)
{
    uint64_t id;

    if (gr_parse_count(at, end, &id) != end || at == end || id < k->first_id ||
        id - k->first_id >= k->features)
        return false;
    *feature = (size_t)(id - k->first_id);
    return true;
}

/* Parses a name, an id, or a range of ids "3-10". */
static gradus_status read_word(const known *k, const char *word, size_t *first, size_t *last,
                               gradus_error *err)
{
    const char *end = word + strlen(word), *dash = strchr(word, '-');

    for (size_t f = 0; f < k->names->count; f++)
        if (strcmp(gr_name_at(k->names, f), word) == 0) {
            *first = *last = f;
            return GRADUS_OK;
        }
    if (read_id(k, word, end, first)) {
        *last = *first;
        return GRADUS_OK;
    }
    if (!dash || !read_id(k, word, dash, first) || !read_id(k, dash + 1, end, last))
        return unknown_word(k, word, err);
    if (*first > *last)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the feature range '%.80s' is descending", word);
    return GRADUS_OK;
}

/* Sets the marks of all features in a comma-separated list. */
static gradus_status mark_list(const known *k, const char *list, unsigned char mark,
                               unsigned char *used, gradus_error *err)
{
    while (*list) {
        char word[LONGEST_WORD];
        size_t length, first = 0, last = 0;
        const char *next;

        list += strspn(list, " \t");
        length = strcspn(list, ",");
        next = list + length + (list[length] == ',');
        while (length && (list[length - 1] == ' ' || list[length - 1] == '\t'))
            length--;
        if (length >= sizeof word)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "a feature name is longer than %d bytes",
                           LONGEST_WORD - 1);
        memcpy(word, list, length);
        word[length] = '\0';
        if (length) {
            GR_TRY(read_word(k, word, &first, &last, err));
            memset(used + first, mark, last - first + 1);
        }
        list = next;
    }
    return GRADUS_OK;
}

gradus_status gr_features_mark(const gr_read_options *options, const gr_names *names,
                               size_t features, size_t first_id, unsigned char *used,
                               gradus_error *err)
{
    const known k = { names, features, first_id };

    memset(used, !is_given(options->use_features), features);
    if (is_given(options->use_features))
        GR_TRY(mark_list(&k, options->use_features, 1, used, err));
    if (is_given(options->ignore_features))
        GR_TRY(mark_list(&k, options->ignore_features, 0, used, err));
    if (!memchr(used, 1, features))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'use-features' and 'ignore-features' exclude every feature");
    return GRADUS_OK;
}

/* Copies an array of a mapped file before it is changed. */
static gradus_status own(gradus_dataset *data, gr_part part, const void *from, size_t count,
                         size_t size, gradus_error *err)
{
    if (data->owned[part].at)
        return GRADUS_OK;
    GR_TRY(gr_dataset_reserve(data, part, count, size, err));
    memcpy(data->owned[part].at, from, count * size);
    return GRADUS_OK;
}

static gradus_status select_dense(gradus_dataset *data, const unsigned char *used,
                                  gradus_error *err)
{
    gradus_arrays *a = &data->arrays;
    size_t cells;

    if (!gr_size_times(a->rows, a->stride, &cells))
        return gr_fail_memory(err, "dense rows");
    GR_TRY(own(data, GR_VALUES, a->values, cells, sizeof(float), err));
    float *values = data->owned[GR_VALUES].at;

    for (size_t r = 0; r < a->rows; r++)
        for (size_t f = 0; f < a->features; f++)
            if (!used[f])
                values[r * a->stride + f] = 0.0f;
    a->values = values;
    return GRADUS_OK;
}

static gradus_status select_sparse(gradus_dataset *data, const unsigned char *used,
                                   gradus_error *err)
{
    gradus_arrays *a = &data->arrays;
    const size_t entries = (size_t)a->row_starts[a->rows];
    size_t kept = 0, begin = 0;

    GR_TRY(own(data, GR_ROW_STARTS, a->row_starts, a->rows + 1, sizeof(uint64_t), err));
    GR_TRY(own(data, GR_COLUMNS, a->columns, entries, sizeof(uint32_t), err));
    GR_TRY(own(data, GR_ENTRIES, a->entries, entries, sizeof(float), err));
    uint64_t *starts = data->owned[GR_ROW_STARTS].at;
    uint32_t *columns = data->owned[GR_COLUMNS].at;
    float *values = data->owned[GR_ENTRIES].at;

    for (size_t r = 0; r < a->rows; r++) {
        const size_t end = (size_t)starts[r + 1];

        for (size_t e = begin; e < end; e++)
            if (used[columns[e]]) {
                columns[kept] = columns[e];
                values[kept++] = values[e];
            }
        begin = end;
        starts[r + 1] = kept;
    }
    a->row_starts = starts;
    a->columns = columns;
    a->entries = values;
    return GRADUS_OK;
}

gradus_status gr_features_select(gradus_dataset *data, const gr_read_options *options,
                                 gr_pool *pool, gradus_error *err)
{
    const size_t features = data->arrays.features;
    unsigned char *used;
    gradus_status status;

    if (!gr_features_chosen(options))
        return GRADUS_OK;
    GR_TRY(gr_dataset_need(data, GR_NEED_VALUES | 1u << GR_FEATURE_BYTES | 1u << GR_FEATURE_NAMES,
                           pool, err));
    used = gr_new_array(features, 1);
    if (!used)
        return gr_fail_memory(err, "features");
    status = gr_features_mark(options, &data->feature_names, features, data->first_id, used, err);
    if (status == GRADUS_OK)
        status = gr_dataset_is_dense(data) ? select_dense(data, used, err)
                                           : select_sparse(data, used, err);
    free(used);
    return status;
}
