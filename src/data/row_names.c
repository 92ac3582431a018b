/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up names of queries, documents and features. */
#include "data/row_names.h"

#include "base/table.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

gradus_status gr_file_order(const gradus_dataset *data, gr_keyed **order, gradus_error *err)
{
    const size_t rows = data->arrays.rows;
    gr_keyed *spare;

    *order = NULL;
    if (!data->file_rows)
        return GRADUS_OK;
    *order = gr_new_array(rows, sizeof **order);
    spare = gr_new_array(rows, sizeof *spare);
    if (!*order || !spare) {
        free(*order);
        free(spare);
        *order = NULL;
        return gr_fail_memory(err, "the row order");
    }
    for (size_t r = 0; r < rows; r++)
        (*order)[r] = (gr_keyed){ data->file_rows[r], r };
    gr_sort_keyed(*order, rows, spare);
    free(spare);
    return GRADUS_OK;
}

const char *gr_topic_name(const gradus_dataset *data, size_t query, char made[GR_SHORT_NAME])
{
    const char *name = gr_name_at(&data->query_names, query);

    if (*name)
        return name;
    gr_format_count(query + 1, made);
    return made;
}

const char *gr_docno_name(const gradus_dataset *data, size_t row, char made[GR_SHORT_NAME])
{
    const char *name = gr_name_at(&data->document_names, row);

    if (*name && !name[strcspn(name, " \t\r\n")])
        return name;
    memcpy(made, "row", 3);
    gr_format_count(gr_file_row(data, row) + 1, made + 3);
    return made;
}

static bool find_by_number(const gradus_dataset *data, const char *word, size_t *feature)
{
    const char *end = word + strlen(word);
    uint64_t number;

    if (gr_parse_count(word, end, &number) != end || number < data->first_id ||
        number - data->first_id >= data->arrays.features)
        return false;
    *feature = (size_t)(number - data->first_id);
    return true;
}

static gradus_status unknown_feature(const gradus_dataset *data, const char *word,
                                     gradus_error *err)
{
    const gr_names *names = &data->feature_names;
    const char **list = gr_new_array(names->count, sizeof *list);
    const char *nearest;

    if (!list)
        return gr_fail_memory(err, "feature names");
    for (size_t f = 0; f < names->count; f++)
        list[f] = gr_name_at(names, f);
    nearest = gr_nearest(word, list, names->count);
    free(list);
    if (nearest)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "unknown feature '%.60s'; did you mean '%.60s'?",
                       word, nearest);
    if (data->arrays.features == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "unknown feature '%.60s'; the data have no features", word);
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "unknown feature '%.60s'; %s numbered %zu to %zu",
                   word, names->count ? "features have names and are" : "features are",
                   data->first_id, data->first_id + data->arrays.features - 1);
}

gradus_status gr_find_feature(const gradus_dataset *data, const char *word, size_t *feature,
                              gradus_error *err)
{
    for (size_t f = 0; f < data->feature_names.count; f++)
        if (strcmp(gr_name_at(&data->feature_names, f), word) == 0) {
            *feature = f;
            return GRADUS_OK;
        }
    return find_by_number(data, word, feature) ? GRADUS_OK : unknown_feature(data, word, err);
}
