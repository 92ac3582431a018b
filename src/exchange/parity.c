/* SPDX-License-Identifier: Apache-2.0 */
/* Writes parity files. */
#include "exchange/parity.h"

#include "exchange/feature_labels.h"
#include "exchange/probes.h"

#include <math.h>
#include <string.h>

typedef struct writing {
    const gradus_model *model;
    const gr_format *format;
    const gr_parity_names *names;
    const gr_probes *probes;
    gr_buffer *out;
} writing;

/* A name is part of a program, so that characters that would end a string there are replaced by
 * '_'. */
static void put_name(gr_buffer *out, const char *name)
{
    for (; *name; name++) {
        const bool plain = (unsigned char)*name >= ' ' && !strchr("\"'\\`", *name);

        gr_buffer_put(out, plain ? name : "_", 1);
    }
}

static void put_file(const writing *w)
{
    put_name(w->out, w->names->file);
}

static void put_parity(const writing *w)
{
    put_name(w->out, w->names->parity);
}

static void put_names(const writing *w)
{
    char made[GRADUS_NUMBER_SIZE];

    gr_buffer_text(w->out, "[");
    for (size_t c = 0; c < w->probes->columns; c++) {
        gr_buffer_text(w->out, c ? ", " : "");
        gr_put_json_text(w->out, gr_feature_label(w->model, w->probes->features[c], made));
    }
    gr_buffer_text(w->out, "]");
}

static void put_tolerance(const writing *w)
{
    gr_buffer_double(w->out, w->format->tolerance);
}

static void put_prefix(const writing *w)
{
    char made[GR_IDENTIFIER_SIZE] = "";

    if (w->format->identifier)
        w->format->identifier(w->names->model, made);
    gr_buffer_text(w->out, made);
}

static const struct {
    const char *word;
    void (*put)(const writing *w);
} words[] = { { "MODEL", put_file },
              { "PARITY", put_parity },
              { "NAMES", put_names },
              { "TOLERANCE", put_tolerance },
              { "PREFIX", put_prefix } };

enum { WORDS = sizeof words / sizeof words[0] };

/* Puts what replaces the word at `at`, and returns its length; 0: none of the words. */
static size_t put_word(const writing *w, const char *at)
{
    for (size_t i = 0; i < WORDS; i++) {
        const size_t length = strlen(words[i].word);

        if (strncmp(at, words[i].word, length) == 0) {
            words[i].put(w);
            return length;
        }
    }
    return 0;
}

/* The program as comment lines. */
static void put_program(const writing *w)
{
    const char *at = w->format->check;

    gr_buffer_text(w->out, "# check:\n#   ");
    while (*at) {
        const size_t length = put_word(w, at);

        if (length == 0)
            gr_buffer_put(w->out, at, 1);
        if (*at == '\n' && at[1])
            gr_buffer_text(w->out, "#   ");
        at += length ? length : 1;
    }
    if (at[-1] != '\n')
        gr_buffer_text(w->out, "\n");
}

static void put_head(const writing *w)
{
    const gr_format *format = w->format;

    gr_buffer_text(w->out, "# Scores by gradus " GRADUS_VERSION " of the model in ");
    put_file(w);
    gr_buffer_text(w->out, "\n# format: ");
    gr_buffer_text(w->out, format->about.name);
    gr_buffer_text(w->out, "\n# features: ");
    gr_buffer_count(w->out, w->model->features);
    gr_buffer_text(w->out, "\n# tolerance: ");
    put_tolerance(w);
    gr_buffer_text(w->out, format->tolerance > 0.0
                               ? ", the largest |difference| / max(1, |score|) to accept\n"
                               : ", scores are bit-equal\n");
    if (w->model->features > GR_PROBE_FEATURES)
        gr_buffer_text(w->out, "# Features without a column are 0.\n");
    if (*format->check && (!format->is_checked || format->is_checked(w->model)))
        put_program(w);
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

gradus_status gr_parity(const gradus_model *model, const gr_format *format,
                        const gr_parity_names *names, gr_buffer *out, gradus_error *err)
{
    const gr_probe_limits limits = { format->no_missing, format->largest };
    gr_probes probes;
    gradus_status status = gr_probes_make(model, &limits, &probes, err);

    if (status == GRADUS_OK) {
        put_head(&(writing){ model, format, names, &probes, out });
        put_rows(out, &probes);
        status = gr_buffer_done(out, err);
    }
    gr_probes_free(&probes);
    return status;
}
