/* SPDX-License-Identifier: Apache-2.0 */
/* gradus show --importance permutation: how much a metric falls if a feature is permuted. */
#include "cmd_show.h"
#include "print_table.h"

#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, MAX_REPEATS = 10000, PAGE = 80 };

/* A feature that the model uses. */
typedef struct permuted_feature {
    gradus_permuted permuted;
    const gradus_feature_use *use;
} permuted_feature;

static int by_importance(const void *a, const void *b)
{
    const permuted_feature *x = a, *y = b;
    const double i = x->permuted.importance, k = y->permuted.importance;

    if (i != k)
        return i < k ? 1 : -1;
    return x->use->feature < y->use->feature ? -1 : x->use->feature > y->use->feature;
}

static void permutation_json(text *t, const shown *s, const gradus_dataset *data,
                             const char *metric, const permuted_feature *all, size_t count)
{
    json j = JSON_TO(t);

    json_open(&j, NULL, '{');
    json_string(&j, "model", s->path);
    json_string(&j, "metric", metric);
    json_open(&j, "importance", '[');
    for (size_t i = 0; i < count; i++) {
        const size_t f = all[i].use->feature;

        json_open(&j, NULL, '{');
        json_count(&j, "feature", f + gradus_dataset_first_id(data));
        json_string(&j, "name", data_feature_name(s->model, data, f));
        json_number(&j, "permutation", all[i].permuted.importance);
        json_number(&j, "low", all[i].permuted.low);
        json_number(&j, "high", all[i].permuted.high);
        json_number(&j, s->info.gain_name, all[i].use->gain);
        json_count(&j, s->info.count_name, all[i].use->splits);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    text_add(t, "\n");
}

static void permutation_text(text *t, const shown *s, const gradus_dataset *data,
                             const char *metric, const permuted_feature *all, size_t count,
                             size_t shown_count)
{
    double gain = 0.0;
    table rows;

    for (size_t i = 0; i < count; i++)
        gain += all[i].use->gain;
    text_format(t, "decrease of %s if a feature is permuted among the rows\n\n", metric);
    table_begin(&rows, 5);
    table_cell(&rows, "feature");
    table_cell(&rows, "decrease");
    table_cell(&rows, "95%% interval");
    table_cell(&rows, "%s", s->info.gain_name);
    table_cell(&rows, "%s", s->info.count_name);
    for (size_t i = 0; i < count && i < shown_count; i++) {
        const gradus_permuted *p = &all[i].permuted;
        text name = { NULL, 0, 0 };

        add_data_feature(&name, s->model, data, all[i].use->feature);
        table_cell(&rows, "%s", text_string(&name));
        table_cell(&rows, "%+.5f", p->importance);
        table_cell(&rows, "%+.5f to %+.5f", p->low, p->high);
        table_cell(&rows, "%.1f%%", gain > 0.0 ? 100.0 * all[i].use->gain / gain : 0.0);
        table_cell(&rows, "%s", with_commas(all[i].use->splits));
        text_free(&name);
    }
    table_end(&rows, t);
    if (count > shown_count)
        text_format(t, "... and %s more; --json lists them\n", with_commas(count - shown_count));
    text_wrap(t,
              "intervals: of the mean over queries; features that replace each other share their "
              "importance",
              0, page_width(PAGE));
    text_add(t, "\n");
}

static int print_importance(const arguments *given, const shown *s, const gradus_dataset *data,
                            size_t count, const gradus_permuted *permuted, const char *metric)
{
    const size_t used = s->used ? s->used : s->info.features; /* some kinds do not list them */
    permuted_feature *all = must_have(used + 1, sizeof *all);
    gradus_feature_use *none = must_have(used + 1, sizeof *none);
    text t = { NULL, 0, 0 };

    for (size_t i = 0; i < used; i++) {
        none[i] = (gradus_feature_use){ .feature = i };
        all[i].use = s->used ? &s->uses[i] : &none[i];
        all[i].permuted = permuted[all[i].use->feature];
    }
    qsort(all, used, sizeof *all, by_importance);
    if (given->json)
        permutation_json(&t, s, data, metric, all, used);
    else
        permutation_text(&t, s, data, metric, all, used, count);
    free(none);
    free(all);
    return print_text(&t);
}

int show_permutation(const arguments *given, const shown *s, size_t count)
{
    gradus_options *options = options_of(given, "evaluate");
    const char *word = argument(given, "repeats");
    gradus_permuted *permuted = must_have(s->info.features + 1, sizeof *permuted);
    uint64_t repeats = REPEATS;
    gradus_error err;
    int status = 0;

    if (word && (!parse_count(word, MAX_REPEATS, &repeats) || repeats == 0)) {
        free(permuted);
        return fail_usage("--repeats takes a whole number from 1 to %d, not '%s'", MAX_REPEATS,
                          word);
    }
    gradus_dataset *data = read_data(given, argument(given, "data"), &status);

    if (data)
        note_feature_ids(given, s->model, data);
    if (data &&
        gradus_permutation_importance(given->context, s->model, data, options, (size_t)repeats,
                                      given->seed, permuted, &err) != GRADUS_OK)
        status = fail(&err);
    if (data && status == 0) {
        char *metric = must_copy(gradus_options_value(options, "metric"));

        metric[strcspn(metric, ",")] = '\0';
        status = print_importance(given, s, data, count, permuted, metric);
        free(metric);
    }
    gradus_dataset_free(data);
    free(permuted);
    return status;
}
