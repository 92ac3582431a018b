/* SPDX-License-Identifier: Apache-2.0 */
/* What the learner reported about its fit: the kernel, and numbers. */
#include "cmd_show.h"

#include <string.h>

static void add_kernel(text *t, const shown *s)
{
    gradus_kernel_facts k;

    if (!gradus_model_kernel(s->model, &k))
        return;
    text_format(t, "kernel       %s", k.name);
    if (strcmp(k.name, "gaussian") == 0) {
        text_add(t, ", bandwidth ");
        text_number(t, k.bandwidth);
    } else if (strcmp(k.name, "polynomial") == 0) {
        text_format(t, ", degree %zu, coef0 ", k.degree);
        text_number(t, k.coef0);
    }
    text_format(t, "; %s %s%s\n", with_commas(k.rows), k.sparse ? "sparse " : "",
                plural(k.rows, "support row", "support rows"));
}

void add_fit(text *t, const shown *s)
{
    add_kernel(t, s);
    add_results(t, s->model);
}

void json_fit(json *j, const shown *s)
{
    gradus_kernel_facts k;

    if (gradus_model_kernel(s->model, &k)) {
        json_open(j, "kernel", '{');
        json_string(j, "name", k.name);
        json_number(j, "bandwidth", k.bandwidth);
        json_count(j, "degree", k.degree);
        json_number(j, "coef0", k.coef0);
        json_count(j, "support_rows", k.rows);
        json_bool(j, "sparse", k.sparse);
        json_close(j, '}');
    }
    json_results(j, s->model);
}
