#include "shared.h"

#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gradus_dataset *read_data(const arguments *given, const char *path, int *status)
{
    gradus_error err;
    gradus_dataset *data;

    if (gradus_model_is_file(path)) {
        *status = fail_usage("'%s' is a model, and data are wanted there; 'gradus help %s' tells "
                             "the order",
                             path, given->command->name);
        return NULL;
    }
    data = gradus_dataset_read(given->context, path, options_of(given, "read"), &err);
    if (!data)
        *status = fail(&err);
    return data;
}

double *read_scores(const arguments *given, const gradus_dataset *data, const char *what,
                    int *status)
{
    gradus_error err;
    double *scores = must_have(gradus_dataset_rows(data), sizeof *scores);

    if (gradus_scores(given->context, data, what, given->seed, scores, &err) == GRADUS_OK)
        return scores;
    *status = fail(&err);
    free(scores);
    return NULL;
}

int report_file(const arguments *given, const char *path, const gradus_dataset *data)
{
    text t = { NULL, 0, 0 };
    json j = { &t, true };

    if (!given->json || strcmp(path, "-") == 0)
        return 0;
    json_open(&j, NULL, '{');
    json_string(&j, "file", path);
    if (data) {
        json_count(&j, "rows", gradus_dataset_rows(data));
        json_count(&j, "features", gradus_dataset_features(data));
        json_count(&j, "queries", gradus_dataset_queries(data));
    }
    json_close(&j, '}');
    text_add(&t, "\n");
    return print_text(&t);
}

const char *with_commas(size_t count)
{
    static _Thread_local char texts[4][32];
    static _Thread_local unsigned turn;
    char *out = texts[turn++ % 4], digits[32];
    const int length = snprintf(digits, sizeof digits, "%zu", count);
    size_t at = 0;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

size_t page_width(size_t most)
{
    const size_t width = terminal_width(STDOUT_FILENO);

    return width == 0 || width > most ? most : width < 40 ? 40 : width;
}

const char *plural(size_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

void add_convention(text *t, const gradus_evaluation *evaluation)
{
    text_format(t, "convention %s\n  ", gradus_evaluation_convention(evaluation));
    text_wrap(t, gradus_evaluation_switches(evaluation), 2, page_width(96));
    text_add(t, "\n");
}
