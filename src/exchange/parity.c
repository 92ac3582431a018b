/* SPDX-License-Identifier: Apache-2.0 */
/* Writes parity files. */
#include "exchange/parity.h"

#include "exchange/probes.h"

#include <math.h>
#include <string.h>

/* Appends text as comment lines, with MODEL and PARITY replaced. A name is part of a program, so
 * that characters that would end a string there are replaced by '_'. */
static void put_name(gr_buffer *out, const char *name)
{
    for (; *name; name++) {
        const bool plain = (unsigned char)*name >= ' ' && !strchr("\"'\\`", *name);

        gr_buffer_put(out, plain ? name : "_", 1);
    }
}

static void put_program(gr_buffer *out, const char *program, const char *file, const char *parity)
{
    char last = '\n';

    gr_buffer_text(out, "#   ");
    while (*program) {
        const bool model = strncmp(program, "MODEL", 5) == 0;
        const bool rows = strncmp(program, "PARITY", 6) == 0;

        if (model || rows)
            put_name(out, model ? file : parity);
        else
            gr_buffer_put(out, program, 1);
        if (*program == '\n' && program[1])
            gr_buffer_text(out, "#   ");
        last = *program;
        program += model ? 5 : rows ? 6 : 1;
    }
    if (last != '\n')
        gr_buffer_text(out, "\n");
}

static void put_head(gr_buffer *out, const gr_format *format, const gradus_model *model,
                     const char *file, const char *parity)
{
    gr_buffer_text(out, "# Scores by gradus " GRADUS_VERSION " of the model in ");
    put_name(out, file);
    gr_buffer_text(out, "\n# format: ");
    gr_buffer_text(out, format->about.name);
    gr_buffer_text(out, "\n# features: ");
    gr_buffer_count(out, model->features);
    gr_buffer_text(out, "\n# tolerance: ");
    gr_buffer_double(out, format->tolerance);
    gr_buffer_text(out, format->tolerance > 0.0
                            ? ", the largest |difference| / max(1, |score|) to accept\n"
                            : ", scores are bit-equal\n");
    if (model->features > GR_PROBE_FEATURES)
        gr_buffer_text(out, "# Features without a column are 0.\n");
    if (!*format->check)
        return;
    gr_buffer_text(out, "# check:\n");
    put_program(out, format->check, file, parity);
}

static void put_value(gr_buffer *out, double value)
{
    gr_buffer_text(out, ",");
    if (isnan(value))
        gr_buffer_text(out, "nan");
    else
        gr_buffer_double(out, value);
}

static void put_rows(gr_buffer *out, const gr_probes *probes)
{
    gr_buffer_text(out, "score");
    for (size_t c = 0; c < probes->columns; c++) {
        gr_buffer_text(out, ",");
        gr_buffer_count(out, probes->features[c]);
    }
    gr_buffer_text(out, "\n");
    for (size_t r = 0; r < probes->rows; r++) {
        gr_buffer_double(out, probes->scores[r]);
        for (size_t c = 0; c < probes->columns; c++)
            put_value(out, (double)probes->values[r * probes->columns + c]);
        gr_buffer_text(out, "\n");
    }
}

gradus_status gr_parity(const gradus_model *model, const gr_format *format, const char *file,
                        const char *parity, gr_buffer *out, gradus_error *err)
{
    const gr_probe_limits limits = { format->no_missing, format->largest };
    gr_probes probes;
    gradus_status status = gr_probes_make(model, &limits, &probes, err);

    if (status == GRADUS_OK) {
        put_head(out, format, model, file, parity);
        put_rows(out, &probes);
        status = gr_buffer_done(out, err);
    }
    gr_probes_free(&probes);
    return status;
}
