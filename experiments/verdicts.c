/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of verdicts (see verdicts.h). */
#include "experiments/verdicts.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const rule_names[] = {
    [GR_RULE_NONE] = "none",
    [GR_RULE_SAME_DATA] = "same data",
    [GR_RULE_ERRORS] = "standard errors",
};

enum { RULES = sizeof rule_names / sizeof rule_names[0] };

/* The lines of a head that belong to its rule. */
typedef enum head_line { RULE, TOLERANCE, ERRORS, LARGEST, HEAD_LINES } head_line;

static const char *const heads[HEAD_LINES] = {
    [RULE] = "# rule: ",
    [TOLERANCE] = "# tolerance: ",
    [ERRORS] = "# errors: ",
    [LARGEST] = "# largest error: ",
};

const char *gr_rule_name(const gr_rule *rule)
{
    return rule_names[rule->kind];
}

static gradus_status fail_line(const char *name, const char *line, const char *why,
                               gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "%s: '%.*s': %s", name, (int)strcspn(line, "\n"), line,
                   why);
}

/* Finds the lines of the head; NULL: absent. */
static gradus_status find_lines(const char *name, const char *text, const char *found[HEAD_LINES],
                                gradus_error *err)
{
    for (const char *line = text; *line == '#';) {
        for (size_t h = 0; h < HEAD_LINES; h++) {
            if (strncmp(line, heads[h], strlen(heads[h])) != 0)
                continue;
            if (found[h])
                return fail_line(name, line, "a second line of this name", err);
            found[h] = line;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return found[RULE] ? GRADUS_OK : gr_fail(err, GRADUS_BAD_FORMAT, "%s: no '# rule: '", name);
}

/* The value of a line: *size characters. */
static const char *value_of(const char *line, head_line which, size_t *size)
{
    const char *value = line + strlen(heads[which]);

    *size = strcspn(value, "\n");
    return value;
}

static gradus_status parse_kind(const char *name, const char *line, gr_rule_kind *kind,
                                gradus_error *err)
{
    size_t size;
    const char *value = value_of(line, RULE, &size);

    for (size_t k = 0; k < RULES; k++)
        if (strlen(rule_names[k]) == size && memcmp(value, rule_names[k], size) == 0) {
            *kind = (gr_rule_kind)k;
            return GRADUS_OK;
        }
    return fail_line(name, line, "expected 'same data', 'standard errors' or 'none'", err);
}

static gradus_status parse_positive(const char *name, const char *line, head_line which,
                                    double *number, gradus_error *err)
{
    size_t size;
    const char *value = value_of(line, which, &size);

    if (gr_parse_double(value, value + size, number) != value + size || size == 0 ||
        !isfinite(*number) || *number <= 0.0)
        return fail_line(name, line, "expected a positive number", err);
    return GRADUS_OK;
}

static gradus_status parse_errors(const char *name, const char *const lines[HEAD_LINES],
                                  gr_rule *rule, gradus_error *err)
{
    size_t size;

    if (!lines[ERRORS] || !lines[LARGEST])
        return fail_line(name, lines[RULE], "needs '# errors: ' and '# largest error: '", err);
    const char *value = value_of(lines[ERRORS], ERRORS, &size);

    if (size == 0 || size >= sizeof rule->errors)
        return fail_line(name, lines[ERRORS], "expected the name of a file", err);
    memcpy(rule->errors, value, size);
    return parse_positive(name, lines[LARGEST], LARGEST, &rule->largest_error, err);
}

gradus_status gr_rule_parse(const char *name, const char *text, gr_rule *rule, gradus_error *err)
{
    const char *lines[HEAD_LINES] = { NULL };

    *rule = (gr_rule){ .kind = GR_RULE_NONE };
    GR_TRY(find_lines(name, text, lines, err));
    GR_TRY(parse_kind(name, lines[RULE], &rule->kind, err));
    if (lines[TOLERANCE] && rule->kind != GR_RULE_SAME_DATA)
        return fail_line(name, lines[TOLERANCE], "belongs to the rule 'same data'", err);
    if ((lines[ERRORS] || lines[LARGEST]) && rule->kind != GR_RULE_ERRORS)
        return fail_line(name, lines[ERRORS] ? lines[ERRORS] : lines[LARGEST],
                         "belongs to the rule 'standard errors'", err);
    if (rule->kind == GR_RULE_ERRORS)
        return parse_errors(name, lines, rule, err);
    if (rule->kind == GR_RULE_NONE)
        return GRADUS_OK;
    return lines[TOLERANCE]
               ? parse_positive(name, lines[TOLERANCE], TOLERANCE, &rule->tolerance, err)
               : fail_line(name, lines[RULE], "needs '# tolerance: '", err);
}

void gr_rule_describe(const gr_rule *rule, char text[GR_CRITERION_SIZE])
{
    if (rule->kind == GR_RULE_SAME_DATA)
        snprintf(text, GR_CRITERION_SIZE,
                 "the paper's data, folds and queries: values agree within %g", rule->tolerance);
    else if (rule->kind == GR_RULE_ERRORS)
        snprintf(text, GR_CRITERION_SIZE,
                 "the paper prints standard errors: values agree within two combined standard "
                 "errors; inconclusive if the combined error is above %g",
                 rule->largest_error);
    else
        snprintf(text, GR_CRITERION_SIZE,
                 "other data or samples than the paper's: values are shown without a verdict");
}

/* Published values have few digits: a difference of exactly the tolerance is within it. */
static bool is_within(double difference, double most)
{
    return fabs(difference) <= most + 1e-9;
}

static const char *verdict_outside(gr_wanted wanted, double difference)
{
    return (wanted == GR_WANT_HIGHER && difference > 0.0) ||
                   (wanted == GR_WANT_LOWER && difference < 0.0)
               ? "better"
               : "differs";
}

/* A difference of more than two combined errors is one, however large the errors are. */
static const char *verdict_by_errors(const gr_rule *rule, gr_wanted wanted, const gr_found *found)
{
    const double difference = found->ours - found->paper;
    const double combined = hypot(found->error, found->paper_error);

    if (!(found->error > 0.0))
        return "inconclusive";
    if (!is_within(difference, 2.0 * combined))
        return verdict_outside(wanted, difference);
    return is_within(combined, rule->largest_error) ? "agrees" : "inconclusive";
}

const char *gr_verdict(const gr_rule *rule, gr_wanted wanted, bool trial, const gr_found *found)
{
    const double difference = found->ours - found->paper;

    if (rule->kind == GR_RULE_NONE || found->no_verdict || found->paper == 0.0 ||
        isnan(found->ours) || (rule->kind == GR_RULE_ERRORS && !(found->paper_error > 0.0)))
        return "";
    if (trial)
        return "inconclusive";
    if (rule->kind == GR_RULE_ERRORS)
        return verdict_by_errors(rule, wanted, found);
    return is_within(difference, rule->tolerance) ? "agrees" : verdict_outside(wanted, difference);
}
