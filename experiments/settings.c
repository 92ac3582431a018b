/* SPDX-License-Identifier: Apache-2.0 */
/* Settings sampled from a search space, or enumerated on its grid. */
#include "experiments/space.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_EACH = 20, MAX_WORDS = 900, WORD = 280 };

void gr_setting_list_free(gr_setting_list *settings)
{
    for (size_t i = 0; i < settings->count; i++)
        free(settings->list[i]);
    free(settings->list);
    *settings = (gr_setting_list){ .count = 0 };
}

const char *gr_setting_words(const char *settings)
{
    const size_t method = strcspn(settings, " ");

    return settings + method + (settings[method] == ' ');
}

/* Values are rounded to three significant digits, so that tables show them in full. */
static double rounded(double number)
{
    double unit = 1.0;

    if (number == 0.0)
        return number;
    while (fabs(number) / unit >= 1000.0)
        unit *= 10.0;
    if (unit > 1.0)
        return floor(number / unit + 0.5) * unit;
    while (fabs(number) * unit < 100.0)
        unit *= 10.0;
    return floor(number * unit + 0.5) / unit;
}

/* The value at a fraction (0 to 1) of a range. */
static void value_in_range(const gr_dimension *d, double share, char text[GRADUS_NUMBER_SIZE])
{
    double value = d->log ? gr_exp(gr_log(d->low) + share * (gr_log(d->high) - gr_log(d->low)))
                          : d->low + share * (d->high - d->low);

    value = d->kind == GRADUS_COUNT ? floor(value + 0.5) : rounded(value);
    value = value < d->low ? d->low : value > d->high ? d->high : value;
    gr_format_double(value, text);
}

/* The default if it lies within the dimension, else the middle of the range. */
static const char *usual_value(const gr_dimension *d, gradus_options *options,
                               char text[GRADUS_NUMBER_SIZE])
{
    const char *value = gradus_options_value(options, d->name), *end = value + strlen(value);
    double number;

    for (size_t c = 0; c < d->count; c++)
        if (strcmp(d->choices[c], value) == 0)
            return d->choices[c];
    if (d->count)
        return d->choices[0];
    if (gr_parse_double(value, end, &number) == end && number >= d->low && number <= d->high) {
        gr_text_copy(text, GRADUS_NUMBER_SIZE, value, "");
        return text;
    }
    value_in_range(d, 0.5, text);
    return text;
}

/* A point of the space: one coordinate per dimension. */
typedef struct place {
    bool usual;                       /* use the defaults */
    double shares[GR_MAX_DIMENSIONS]; /* position within ranges, 0 to 1 */
    size_t choices[GR_MAX_DIMENSIONS];
} place;

static const char *value_at(const gr_space *space, const place *at, size_t i,
                            gradus_options *options, char text[GRADUS_NUMBER_SIZE])
{
    const gr_dimension *d = &space->dimensions[i];

    if (at->usual)
        return usual_value(d, options, text);
    if (d->count)
        return d->choices[at->choices[i]];
    value_in_range(d, at->shares[i], text);
    return text;
}

/* Appends " name=value" and sets the option. */
static gradus_status append(gradus_options *options, const char *name, const char *value,
                            char words[MAX_WORDS], gradus_error *err)
{
    char word[WORD];
    const int length = snprintf(word, sizeof word, " %s=%s", name, value);

    if (length < 0 || (size_t)length >= sizeof word || strlen(words) + (size_t)length >= MAX_WORDS)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'space': settings are too long");
    GR_TRY(gradus_options_set(options, name, value, err));
    gr_text_append(words, MAX_WORDS, word);
    return GRADUS_OK;
}

/* Whether training derives the default from the data and the space does not exclude it: then the
 * option is left unset. */
static bool is_left_to_training(const gr_dimension *d, const place *at)
{
    gradus_param param;
    double initial;

    if (!at->usual || d->count || !gradus_param_find("train", d->name, &param) || !param.rule)
        return false;
    const char *text = param.initial, *end = text + strlen(text);

    return gr_parse_double(text, end, &initial) == end && initial >= d->low && initial <= d->high;
}

/* Formats a point as settings. The learner comes first, because it determines which options apply.
 */
static gradus_status compose(const gr_space *space, const char *method, const place *at,
                             gradus_options *options, char words[MAX_WORDS], gradus_error *err)
{
    char text[GRADUS_NUMBER_SIZE];

    GR_TRY(append(options, "method", method, words, err));
    for (size_t i = 0; i < space->count; i++)
        if (strcmp(space->dimensions[i].name, "learner") == 0)
            GR_TRY(append(options, "learner", value_at(space, at, i, options, text), words, err));
    for (size_t i = 0; i < space->count; i++) {
        const char *name = space->dimensions[i].name;
        bool accepts;

        GR_TRY(gradus_method_accepts(options, name, &accepts, err));
        if (strcmp(name, "learner") != 0 && accepts &&
            !is_left_to_training(&space->dimensions[i], at))
            GR_TRY(append(options, name, value_at(space, at, i, options, text), words, err));
    }
    return GRADUS_OK;
}

/* Adds the settings of a point unless they are already in the list. */
static gradus_status add(const gr_space *space, const char *method, const place *at,
                         gr_setting_list *settings, bool *added, gradus_error *err)
{
    gradus_options *options = gradus_options_new("train", err);
    char words[MAX_WORDS] = "";
    const gradus_status status =
        options ? compose(space, method, at, options, words, err) : GRADUS_NO_MEMORY;
    const char *made = words + 1; /* past the first space */

    gradus_options_free(options);
    GR_TRY(status);
    *added = false;
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->list[i], made) == 0)
            return GRADUS_OK;
    char **more = realloc(settings->list, (settings->count + 2) * sizeof *more);
    char *copy = more ? strdup(made) : NULL;

    if (more)
        settings->list = more;
    if (!copy)
        return gr_fail_memory(err, "settings");
    more[settings->count++] = copy;
    more[settings->count] = NULL;
    *added = true;
    return GRADUS_OK;
}

static void draw(const gr_space *space, const char *method, uint64_t seed, uint64_t index,
                 place *at)
{
    char purpose[96];
    gr_rng rng;

    gr_text_copy(purpose, sizeof purpose, "tune ", method);
    rng = gr_rng_for(seed, purpose, index);
    *at = (place){ .usual = index == 0 };
    for (size_t i = 0; i < space->count; i++) {
        const double uniform = gr_rng_uniform(&rng);
        const size_t count = space->dimensions[i].count;
        const size_t choice = (size_t)(uniform * (double)count);

        at->shares[i] = uniform;
        at->choices[i] = choice < count ? choice : count ? count - 1 : 0;
    }
}

gradus_status gr_setting_list_draw(const gr_space *space, const char *method, uint64_t seed,
                                   size_t count, uint64_t *next, gr_setting_list *settings,
                                   gradus_error *err)
{
    place at;
    bool added;

    for (size_t wanted = count, tries = TRIES_EACH * (count + 1); wanted && tries; tries--) {
        draw(space, method, seed, (*next)++, &at);
        GR_TRY(add(space, method, &at, settings, &added, err));
        wanted -= added;
    }
    return GRADUS_OK;
}

static size_t points_of(const gr_dimension *d, size_t points)
{
    return d->count ? d->count : d->points ? d->points : points;
}

size_t gr_space_grid(const gr_space *space, size_t points)
{
    size_t all = 1;

    for (size_t i = 0; i < space->count; i++)
        if (!gr_size_times(all, points_of(&space->dimensions[i], points), &all) ||
            all > GR_MAX_GRID)
            return GR_MAX_GRID + 1;
    return all;
}

/* The first dimension varies slowest. */
static void grid_place(const gr_space *space, size_t points, uint64_t index, place *at)
{
    *at = (place){ .usual = false };
    for (size_t i = space->count; i-- > 0;) {
        const size_t count = points_of(&space->dimensions[i], points);
        const size_t step = (size_t)(index % count);

        index /= count;
        at->choices[i] = step;
        at->shares[i] = count > 1 ? (double)step / (double)(count - 1) : 0.5;
    }
}

gradus_status gr_setting_list_grid(const gr_space *space, const char *method, size_t points,
                                   size_t count, uint64_t *next, gr_setting_list *settings,
                                   gradus_error *err)
{
    const size_t all = gr_space_grid(space, points);
    place at;
    bool added;

    for (size_t wanted = count; wanted && *next < all;) {
        grid_place(space, points, (*next)++, &at);
        GR_TRY(add(space, method, &at, settings, &added, err));
        wanted -= added; /* points of a narrow integer range may coincide */
    }
    return GRADUS_OK;
}
