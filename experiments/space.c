/* SPDX-License-Identifier: Apache-2.0 */
/* Search spaces, parsed from text or built from the parameter tables. */
#include "experiments/space.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void end_dimension(gr_dimension *dimension)
{
    free(dimension->text);
    free(dimension->choices);
}

void gr_space_free(gr_space *space)
{
    for (size_t d = 0; d < space->count; d++)
        end_dimension(&space->dimensions[d]);
    free(space->dimensions);
    *space = (gr_space){ .count = 0 };
}

static const gr_dimension *find(const gr_space *space, const char *name)
{
    for (size_t d = 0; d < space->count; d++)
        if (strcmp(space->dimensions[d].name, name) == 0)
            return &space->dimensions[d];
    return NULL;
}

bool gr_space_has(const gr_space *space, const char *name)
{
    return find(space, name) != NULL;
}

/* Whether training accepts a value for the option. */
static gradus_status try_value(const char *name, const char *value, gradus_error *err)
{
    gradus_options *options = gradus_options_new("train", err);
    gradus_status status = options ? GRADUS_OK : GRADUS_NO_MEMORY;

    if (options)
        status = gradus_options_set(options, name, value, err);
    gradus_options_free(options);
    return status;
}

/* "a|b|c" */
static gradus_status take_choices(gr_dimension *d, const char *values, gradus_error *err)
{
    size_t count = 1;

    for (const char *at = values; *at; at++)
        count += *at == '|';
    d->text = strdup(values);
    d->choices = gr_new_array(count, sizeof *d->choices);
    if (!d->text || !d->choices)
        return gr_fail_memory(err, "a space");
    for (char *at = d->text; d->count < count; at += strlen(at) + 1) {
        char *bar = strchr(at, '|');

        if (bar)
            *bar = '\0';
        if (!*at || strchr(at, ' '))
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "'%s=%.100s': expected values without spaces, separated by '|'", d->name,
                           values);
        GR_TRY(try_value(d->name, at, err));
        for (size_t c = 0; c < d->count; c++)
            if (strcmp(d->choices[c], at) == 0)
                return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s=%.100s': duplicate value '%s'",
                               d->name, values, at);
        d->choices[d->count++] = at;
    }
    return GRADUS_OK;
}

/* Parses the suffixes of a range: ":log", ":5". */
static gradus_status take_ending(gr_dimension *d, const char *at, gradus_error *err)
{
    while (*at == ':') {
        const char *word = ++at;
        uint64_t points;

        at += strcspn(at, ":");
        if (at - word == 3 && strncmp(word, "log", 3) == 0) {
            d->log = true;
        } else if (gr_parse_count(word, at, &points) == at && points >= 2 && points <= 1000) {
            d->points = (size_t)points;
        } else {
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "'%s': expected :log or a number of points from 2 to 1000, found "
                           "':%.*s'",
                           d->name, (int)(at - word < 60 ? at - word : 60), word);
        }
    }
    return GRADUS_OK;
}

/* Checks that the option accepts both ends. */
static gradus_status try_ends(const gr_dimension *d, const gradus_param *about, gradus_error *err)
{
    char low[GRADUS_NUMBER_SIZE], high[GRADUS_NUMBER_SIZE];

    gr_format_double(d->low, low);
    gr_format_double(d->high, high);
    if (about->kind == GRADUS_CHOICE || about->kind == GRADUS_FLAG)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' has no range: list its values, as in %s=%s",
                       d->name, d->name,
                       about->kind == GRADUS_FLAG ? "true|false" : about->choices[0]);
    if (!(d->low < d->high))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%s=%s..%s': the lower end of a range must be below the upper end", d->name,
                       low, high);
    if (d->log && !(d->low > 0.0))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%s=%s..%s:log': a logarithmic range must be above 0", d->name, low, high);
    if (about->kind == GRADUS_COUNT && (d->low != floor(d->low) || d->high != floor(d->high)))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s=%s..%s': expected whole numbers", d->name,
                       low, high);
    GR_TRY(try_value(d->name, low, err));
    return try_value(d->name, high, err);
}

/* "low..high:log" */
static gradus_status take_range(gr_dimension *d, const char *values, const char *dots,
                                const gradus_param *about, gradus_error *err)
{
    const char *end = dots + 2 + strcspn(dots + 2, ":");

    if (gr_parse_double(values, dots, &d->low) != dots ||
        gr_parse_double(dots + 2, end, &d->high) != end || !isfinite(d->low) || !isfinite(d->high))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%s=%.100s': expected two numbers, as in %s=1..10 or %s=1..10:log", d->name,
                       values, d->name, d->name);
    GR_TRY(take_ending(d, end, err));
    return try_ends(d, about, err);
}

/* Options that cannot be tuned. */
static gradus_status check_name(const char *name, gradus_param *param, gradus_error *err)
{
    static const char *const own[] = { "method", "metric",    "convention", "gain",
                                       "seed",   "one-query", "label-gain" };

    if (!gradus_param_find("train", name, param))
        return try_value(name, "", err); /* its message lists the names */
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(param->name, own[i]) == 0)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' cannot be tuned: set it as an option",
                           own[i]);
    return GRADUS_OK;
}

static gradus_status add(gr_space *space, const char *name, const char *values, gradus_error *err)
{
    gr_dimension *more = realloc(space->dimensions, (space->count + 1) * sizeof *more);
    const char *dots = strstr(values, "..");
    gradus_param param;

    if (!more)
        return gr_fail_memory(err, "a space");
    space->dimensions = more;
    GR_TRY(check_name(name, &param, err));
    name = param.name; /* the name may be an alias */
    if (gr_space_has(space, name))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "duplicate option '%s'", name);
    if (!*values)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s=' has no values", name);
    if (space->count == GR_MAX_DIMENSIONS)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "at most %d options can be tuned at once",
                       GR_MAX_DIMENSIONS);
    gr_dimension *d = &more[space->count++];

    *d = (gr_dimension){ .kind = param.kind };
    gr_text_copy(d->name, sizeof d->name, name, "");
    return dots ? take_range(d, values, dots, &param, err) : take_choices(d, values, err);
}

/* Parses an item "name=values" of `length` bytes. */
static gradus_status take_item(gr_space *space, const char *at, size_t length, gradus_error *err)
{
    char *item = strndup(at, length), *equals = item ? strchr(item, '=') : NULL;
    gradus_status status;

    if (!item)
        return gr_fail_memory(err, "a space");
    if (!equals || equals == item) {
        status = gr_fail(err, GRADUS_BAD_ARGUMENT,
                         "expected name=values, as in leaves=8..256:log, found '%.100s'", item);
    } else {
        *equals = '\0';
        status = add(space, item, equals + 1, err);
    }
    free(item);
    return status;
}

static gradus_status take_items(gr_space *space, const char *text, gradus_error *err)
{
    static const char blanks[] = " \t\n";

    text += strspn(text, blanks);
    while (*text) {
        const size_t whole = strcspn(text, ",");
        size_t length = whole;

        while (length && strchr(blanks, text[length - 1]))
            length--;
        GR_TRY(take_item(space, text, length, err));
        text += whole;
        if (*text == ',') {
            text += 1 + strspn(text + 1, blanks);
            if (!*text)
                return gr_fail(err, GRADUS_BAD_ARGUMENT, "an item is missing after the last ','");
        }
    }
    return GRADUS_OK;
}

gradus_status gr_space_parse(const char *text, gr_space *space, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };

    *space = (gr_space){ .count = 0 };
    const gradus_status status = take_items(space, text, &fault);

    if (status == GRADUS_OK)
        return GRADUS_OK;
    gr_space_free(space);
    return gr_fail(err, status, "'space': %s", fault.message);
}

/* The method with the space's learner, or with its default learner; fails if they do not fit. */
static gradus_options *method_with(const char *method, const char *learner, gradus_error *err)
{
    gradus_options *options = gradus_options_new("train", err);
    gradus_status status = options ? GRADUS_OK : GRADUS_NO_MEMORY;
    gradus_method_facts facts;

    if (status == GRADUS_OK)
        status = gradus_options_set(options, "method", method, err);
    if (status == GRADUS_OK && learner)
        status = gradus_options_set(options, "learner", learner, err);
    if (status == GRADUS_OK)
        status = gradus_method_describe(options, &facts, err);
    if (status == GRADUS_OK)
        return options;
    gradus_options_free(options);
    return NULL;
}

static gradus_status copy_dimension(const gr_dimension *from, gr_space *space, gradus_error *err)
{
    gr_dimension *more = realloc(space->dimensions, (space->count + 1) * sizeof *more);

    if (!more)
        return gr_fail_memory(err, "a space");
    space->dimensions = more;
    more[space->count] = *from;
    more[space->count].text = NULL;
    more[space->count].choices = NULL;
    gr_dimension *d = &more[space->count++];

    if (from->count == 0)
        return GRADUS_OK;
    const size_t size = (size_t)(from->choices[from->count - 1] - from->text) +
                        strlen(from->choices[from->count - 1]) + 1;

    d->text = malloc(size);
    d->choices = gr_new_array(from->count, sizeof *d->choices);
    if (!d->text || !d->choices)
        return gr_fail_memory(err, "a space");
    memcpy(d->text, from->text, size);
    for (size_t c = 0; c < from->count; c++)
        d->choices[c] = d->text + (from->choices[c] - from->text);
    return GRADUS_OK;
}

/* Adds the given dimensions that the method reads; if none of them varies, also the default ranges.
 */
static gradus_status add_for(const gr_space *given, const gradus_options *method, gr_space *space,
                             gradus_error *err)
{
    bool varies = false;
    gradus_param param;

    for (size_t i = 0; i < given->count; i++) {
        const gr_dimension *d = &given->dimensions[i];
        bool accepts;

        GR_TRY(gradus_method_accepts(method, d->name, &accepts, err));
        if (!accepts)
            continue;
        varies = varies || (d->count != 1 && strcmp(d->name, "learner") != 0);
        if (!gr_space_has(space, d->name))
            GR_TRY(copy_dimension(d, space, err));
    }
    for (size_t i = 0; !varies && gradus_param_at("train", i, &param); i++) {
        const char *range;

        GR_TRY(gradus_method_range(method, param.name, &range, err));
        if (range && !gr_space_has(space, param.name))
            GR_TRY(add(space, param.name, range, err));
    }
    return GRADUS_OK;
}

gradus_status gr_space_for(const gr_space *given, const char *method, gr_space *space,
                           gradus_error *err)
{
    const gr_dimension *learners = find(given, "learner");
    const size_t count = learners ? learners->count : 1;
    gradus_status status = GRADUS_OK;

    *space = (gr_space){ .count = 0 };
    for (size_t l = 0; status == GRADUS_OK && l < count; l++) {
        gradus_options *options = method_with(method, learners ? learners->choices[l] : NULL, err);

        status = options ? add_for(given, options, space, err) : err->status;
        gradus_options_free(options);
    }
    if (status != GRADUS_OK)
        gr_space_free(space);
    return status;
}
