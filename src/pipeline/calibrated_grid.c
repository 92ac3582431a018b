/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the lists of sizes, calibrations, rounds and rates of the calibrated ensemble. */
#include "pipeline/calibrated_grid.h"

#include "pipeline/calibrate.h"

#include <stdio.h>
#include <string.h>

const gr_param gr_calibrated_params[] = {
    GR_PARAM_TEXT(
        gr_calibrated_options, calibrations, "calibrations", "LIST", "cpc",
        "calibrated: calibrations of each base model: cpc (ls, ewls, el, ell, sn), rbc (linear, "
        "polynomial, ordinal, network, gaussian-process), cpc+rbc, or any of these names (gradus "
        "help calibrated)"),
    GR_PARAM_TEXT(gr_calibrated_options, leaves, "leaves-grid", "LIST", "2,3,4,6,8",
                  "calibrated: leaves per tree of each tree base model, or none"),
    GR_PARAM_TEXT(gr_calibrated_options, terms, "terms-grid", "LIST", "1,2,3,4",
                  "calibrated: stumps per product of each product base model, or none"),
    GR_PARAM_TEXT(
        gr_calibrated_options, rounds, "rounds-grid", "LIST", "50,100,200,500,1000,2000,5000,10000",
        "calibrated: rounds after which base models are calibrated and averaged, besides --rounds; "
        "the best on --valid is kept"),
    GR_PARAM_TEXT(gr_calibrated_options, rates, "rates", "LIST", "0,1,2,5,10,20,50,100,150,200",
                  "calibrated: rates to try for weights e^(rate * metric)"),
    GR_PARAM_REAL(
        gr_calibrated_options, share, "calibration-fraction", "X", 0.2, 0.001, 0.999,
        "calibrated: fraction of the training queries held out from the base models to fit the "
        "calibrations"),
    GR_PARAM_END,
};

GR_OPTION_BLOCK(calibrated);

/* Adds a base model for each size in a list. */
static gradus_status add_bases(const char *list, const char *name, bool product, double low,
                               double high, gr_calibrated_grid *grid, gradus_error *err)
{
    double sizes[GR_GRID_VALUES];
    size_t count;

    if (strcmp(list, "none") == 0)
        return GRADUS_OK;
    GR_TRY(gr_grid_parse(list, name, low, high, sizes, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] != (double)(uint64_t)sizes[i])
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' takes whole numbers, not %g", name,
                           sizes[i]);
        for (size_t j = 0; j < i; j++)
            if (sizes[i] == sizes[j])
                return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' names %g twice", name, sizes[i]);
        grid->base[grid->bases++] = (gr_base_size){ product, (uint64_t)sizes[i] };
    }
    return GRADUS_OK;
}

static gradus_status add_calibration(gr_calibrated_grid *grid, int method, gradus_error *err)
{
    const uint64_t last = method == GR_CALIBRATION_IS_polynomial ? 5 : 2;

    for (uint64_t degree = 2; degree <= last; degree++) {
        gr_calibration_options *added = &grid->calibration[grid->calibrations];

        for (size_t c = 0; c < grid->calibrations; c++)
            if (grid->calibration[c].method == method && grid->calibration[c].degree == degree)
                return gr_fail(err, GRADUS_BAD_ARGUMENT, "'calibrations' names '%s' twice",
                               gr_calibration_names[method]);
        GR_TRY(gr_options_get(NULL, &gr_operation_calibrate, added, err));
        added->method = method;
        added->degree = degree;
        grid->calibrations++;
    }
    if (gr_calibrators[method]->gives == GR_CALIBRATED_SCORE)
        grid->probabilities = false;
    return GRADUS_OK;
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

static gradus_status add_word(gr_calibrated_grid *grid, const char *at, size_t length,
                              gradus_error *err)
{
    bool found = false;

    for (int method = 0; method < GR_CALIBRATIONS; method++) {
        const char *group = gr_calibrators[method]->group;

        if (!group ||
            !(is_word(at, length, group) || is_word(at, length, gr_calibration_names[method])))
            continue;
        GR_TRY(add_calibration(grid, method, err));
        found = true;
    }
    if (found)
        return GRADUS_OK;
    return gr_fail(
        err, GRADUS_BAD_ARGUMENT,
        "'calibrations' takes cpc, rbc, cpc+rbc, or names among ls, ewls, el, ell, sn, linear, "
        "polynomial, ordinal, network and gaussian-process, not '%.*s'",
        (int)(length < 60 ? length : 60), at);
}

static gradus_status add_calibrations(const char *list, gr_calibrated_grid *grid, gradus_error *err)
{
    grid->probabilities = true;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, "+,");

        GR_TRY(add_word(grid, at, length, err));
        at += length;
        if (!*at)
            return GRADUS_OK;
    }
}

static gradus_status add_stops(const char *list, gr_calibrated_grid *grid, gradus_error *err)
{
    GR_TRY(gr_grid_parse(list, "rounds-grid", 1, 1e6, grid->stop, &grid->stops, err));
    for (size_t i = 0; i < grid->stops; i++)
        if (grid->stop[i] != (double)(uint64_t)grid->stop[i] ||
            (i && !(grid->stop[i] > grid->stop[i - 1])))
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "'rounds-grid' takes ascending whole numbers, not '%.60s'", list);
    return GRADUS_OK;
}

gradus_status gr_calibrated_parse(const gr_calibrated_options *options, gr_calibrated_grid *grid,
                                  gradus_error *err)
{
    *grid = (gr_calibrated_grid){ .bases = 0 };
    GR_TRY(add_bases(options->leaves, "leaves-grid", false, 2, 65536, grid, err));
    GR_TRY(add_bases(options->terms, "terms-grid", true, 1, 64, grid, err));
    if (grid->bases == 0)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "'leaves-grid' and 'terms-grid' are both none: there are no base models to train");
    GR_TRY(add_calibrations(options->calibrations, grid, err));
    GR_TRY(add_stops(options->rounds, grid, err));
    GR_TRY(gr_grid_parse(options->rates, "rates", 0, 1e300, grid->rate, &grid->rates, err));
    if (grid->bases * grid->calibrations > GR_NODE_INPUTS)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "%zu base models with %zu calibrations each are %zu members; at most %d are allowed",
            grid->bases, grid->calibrations, grid->bases * grid->calibrations, GR_NODE_INPUTS);
    return GRADUS_OK;
}

void gr_base_describe(const gr_base_size *base, char *text, size_t size)
{
    snprintf(text, size, "%s of %llu %s", base->product ? "products" : "trees",
             (unsigned long long)base->size, base->product ? "terms" : "leaves");
}
