/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a text to a file or to standard output. */
#include "command.h"

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

int print_text(text *t)
{
    const int status = write_text(t, "-");

    text_free(t);
    return status;
}
