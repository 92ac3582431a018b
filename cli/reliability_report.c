/* SPDX-License-Identifier: Apache-2.0 */
/* gradus eval --calibration: the reliability of grade probabilities as text, JSON and SVG. */
#include "reliability_report.h"

#include "print_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT_ROWS = 13, PLOT_COLUMNS = 40, SIDE = 400, MARGIN = 50 };

static void add_bins(text *t, const gradus_reliability *r)
{
    table rows;

    table_begin(&rows, 4);
    table_cell(&rows, "probability");
    table_cell(&rows, "events");
    table_cell(&rows, "predicted");
    table_cell(&rows, "observed");
    for (size_t b = 0; b < r->bins; b++) {
        if (isnan(r->predicted[b]))
            continue;
        table_cell(&rows, "%.2f to %.2f", (double)b / (double)r->bins,
                   (double)(b + 1) / (double)r->bins);
        table_cell(&rows, "%.6g", r->weight[b]);
        table_cell(&rows, "%.4f", r->predicted[b]);
        table_cell(&rows, "%.4f", r->observed[b]);
    }
    table_end(&rows, t);
}

/* The bin that a probability falls in: [0, 1] is divided into equal bins. */
static size_t cell_of(double p, size_t cells)
{
    return (size_t)fmin(fmax(p, 0.0) * (double)cells, (double)(cells - 1));
}

/* Observed against predicted; dots mark the diagonal. */
static void add_plot(text *t, const gradus_reliability *r)
{
    char grid[PLOT_ROWS][PLOT_COLUMNS + 1];

    for (size_t y = 0; y < PLOT_ROWS; y++) {
        memset(grid[y], ' ', PLOT_COLUMNS);
        grid[y][PLOT_COLUMNS] = '\0';
    }
    for (size_t x = 0; x < PLOT_COLUMNS; x++)
        grid[x * PLOT_ROWS / PLOT_COLUMNS][x] = '.';
    for (size_t b = 0; b < r->bins; b++)
        if (!isnan(r->predicted[b])) {
            const size_t x = cell_of(r->predicted[b], PLOT_COLUMNS);

            grid[cell_of(r->observed[b], PLOT_ROWS)][x] = 'o';
        }
    text_add(t, "\nobserved\n");
    for (size_t y = PLOT_ROWS; y-- > 0;)
        text_format(t, "%4s |%s\n", y == PLOT_ROWS - 1 ? "1" : y == 0 ? "0" : "", grid[y]);
    text_format(t, "     +%.*s predicted\n", PLOT_COLUMNS,
                "----------------------------------------------------------------");
}

static void add_measures(text *t, const gradus_reliability *r)
{
    text_format(t,
                "expected calibration error  %.4f (maximum over bins %.4f)\n"
                "log loss                    %.4f\n"
                "Brier score                 %.4f: reliability %.4f, resolution %.4f, "
                "uncertainty %.4f\n\n",
                r->error, r->largest_error, r->log_loss, r->brier, r->reliability, r->resolution,
                r->uncertainty);
}

static void json_reliability(json *j, const char *model, const gradus_reliability *r)
{
    json_open(j, NULL, '{');
    json_string(j, "model", model);
    json_number(j, "calibration_error", r->error);
    json_number(j, "largest_error", r->largest_error);
    json_number(j, "log_loss", r->log_loss);
    json_number(j, "brier", r->brier);
    json_number(j, "reliability", r->reliability);
    json_number(j, "resolution", r->resolution);
    json_number(j, "uncertainty", r->uncertainty);
    json_open(j, "bins", '[');
    for (size_t b = 0; b < r->bins; b++) {
        if (isnan(r->predicted[b]))
            continue;
        json_open(j, NULL, '{');
        json_number(j, "events", r->weight[b]);
        json_number(j, "predicted", r->predicted[b]);
        json_number(j, "observed", r->observed[b]);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static double across(double p)
{
    return MARGIN + p * SIDE;
}

static double down(double p)
{
    return MARGIN + (1.0 - p) * SIDE;
}

static void svg_points(text *t, const gradus_reliability *r, size_t number)
{
    static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73",
                                           "#cc79a7", "#e69f00", "#56b4e9" };
    const char *colour = colours[number % 6];

    text_format(t, "<polyline fill=\"none\" stroke=\"%s\" points=\"", colour);
    for (size_t b = 0; b < r->bins; b++)
        if (!isnan(r->predicted[b]))
            text_format(t, "%.1f,%.1f ", across(r->predicted[b]), down(r->observed[b]));
    text_add(t, "\"/>\n");
    for (size_t b = 0; b < r->bins; b++)
        if (!isnan(r->predicted[b]))
            text_format(t, "<circle r=\"3\" fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\"/>\n", colour,
                        across(r->predicted[b]), down(r->observed[b]));
    text_format(t, "<text x=\"%d\" y=\"%zu\" fill=\"%s\">model %zu</text>\n", MARGIN + 10,
                (size_t)MARGIN + 20 + 16 * number, colour, number + 1);
}

static int write_svg(const char *path, const gradus_reliability *all, size_t count)
{
    const int size = SIDE + 2 * MARGIN;
    text t = { NULL, 0, 0 };

    text_format(&t,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "font-family=\"sans-serif\" font-size=\"12\">\n"
                "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n"
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                "stroke=\"#888\"/>\n"
                "<path d=\"M%d %dL%d %d\" stroke=\"#888\" stroke-dasharray=\"4\"/>\n"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">predicted probability</text>\n"
                "<text x=\"20\" y=\"%d\" text-anchor=\"middle\" "
                "transform=\"rotate(-90 20 %d)\">observed frequency</text>\n",
                size, size, size, size, MARGIN, MARGIN, SIDE, SIDE, MARGIN, MARGIN + SIDE,
                MARGIN + SIDE, MARGIN, size / 2, size - 15, size / 2, size / 2);
    for (size_t i = 0; i < count; i++)
        svg_points(&t, &all[i], i);
    text_add(&t, "</svg>\n");
    const int status = write_text(&t, path);

    text_free(&t);
    return status;
}

static int measure(const arguments *given, const gradus_dataset *data, const char *path,
                   gradus_reliability *out)
{
    const size_t bins =
        strtoull(gradus_options_value(options_of(given, "evaluate"), "bins"), NULL, 10);
    gradus_model *read = NULL, *model;
    gradus_error err;
    int status = 0;

    if (!gradus_model_is_file(path))
        return fail_usage("--calibration needs models, and '%s' is not one", path);
    if (bins > GRADUS_MAX_BINS)
        return fail_usage("--calibration takes at most %d --bins", GRADUS_MAX_BINS);
    model = take_model(given, path, &read, &status);
    if (model &&
        gradus_model_reliability(given->context, model, data, bins, out, &err) != GRADUS_OK)
        status = fail(&err);
    gradus_model_free(model);
    gradus_model_free(read);
    return status;
}

static int show_all(const arguments *given, const gradus_reliability *all, size_t count)
{
    const char *svg = argument(given, "svg");
    text t = { NULL, 0, 0 };
    json j = JSON_TO(&t);
    int status = svg ? write_svg(svg, all, count) : 0;

    if (status != 0)
        return status;
    if (given->json)
        json_open(&j, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        if (given->json) {
            json_reliability(&j, given->words[i + 1], &all[i]);
            continue;
        }
        text_add(&t, i ? "\n" : "");
        text_add_shown(&t, given->words[i + 1]);
        text_add(&t, "\n");
        add_measures(&t, &all[i]);
        add_bins(&t, &all[i]);
        add_plot(&t, &all[i]);
    }
    if (given->json)
        json_close(&j, ']');
    if (given->json)
        text_add(&t, "\n");
    return print_text(&t);
}

int eval_calibration(const arguments *given)
{
    const size_t count = given->count - 1;
    gradus_reliability *all = must_have(count, sizeof *all);
    int status = 0;
    gradus_dataset *data = read_data(given, given->words[0], &status);

    for (size_t i = 0; data && status == 0 && i < count; i++)
        status = measure(given, data, given->words[i + 1], &all[i]);
    if (status == 0)
        status = show_all(given, all, count);
    gradus_dataset_free(data);
    free(all);
    return status;
}
