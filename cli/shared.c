#include "shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gradus_dataset *read_data(const arguments *given, const char *path, int *status)
{
    gradus_error err;
    gradus_dataset *data =
        gradus_dataset_read(given->context, path, options_of(given, "read"), &err);

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

int print_text(text *t)
{
    const int status = print_out(t);

    text_free(t);
    return status;
}

int write_text(const text *t, const char *path)
{
    gradus_error err;
    gradus_output *out = gradus_output_new(path, &err);

    if (!out)
        return fail(&err);
    if (gradus_output_write(out, text_string(t), t->length, &err) != GRADUS_OK) {
        gradus_output_abandon(out);
        return fail(&err);
    }
    return gradus_output_close(out, &err) == GRADUS_OK ? 0 : fail(&err);
}

const char *plural(size_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}
