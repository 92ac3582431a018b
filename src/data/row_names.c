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
        return gr_fail_memory(err, "the order of rows");
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

static gradus_status no_such_name(const gradus_dataset *data, const char *word, gradus_error *err)
{
    const size_t count = data->feature_names.count;
    const char **names = gr_new_array(count, sizeof *names);
    gradus_status status;

    if (!names)
        return gr_fail_memory(err, "names of features");
    for (size_t f = 0; f < count; f++)
        names[f] = gr_name_at(&data->feature_names, f);
    status = gr_fail_unknown(err, "feature", word, names, count);
    free(names);
    return status;
}

gradus_status gr_find_feature(const gradus_dataset *data, const char *word, size_t *feature,
                              gradus_error *err)
{
    const char *end = word + strlen(word);
    const size_t features = data->arrays.features;
    uint64_t id;

    for (size_t f = 0; f < data->feature_names.count; f++)
        if (strcmp(gr_name_at(&data->feature_names, f), word) == 0) {
            *feature = f;
            return GRADUS_OK;
        }
    if (gr_parse_count(word, end, &id) != end || end == word) {
        if (data->feature_names.count)
            return no_such_name(data, word, err);
    } else if (id >= data->first_id && id - data->first_id < features) {
        *feature = (size_t)(id - data->first_id);
        return GRADUS_OK;
    }
    if (features == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "no feature '%.60s': the data have no features",
                       word);
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "no feature '%.60s': the data have features %zu to %zu", word, data->first_id,
                   features - 1 + data->first_id);
}
