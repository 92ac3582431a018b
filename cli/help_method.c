/* SPDX-License-Identifier: Apache-2.0 */
/* Help on training with one method: only the options that it uses, the important ones first. */
#include "cmd_help.h"
#include "pager.h"

#include <stdlib.h>
#include <string.h>

/* The options of one method, with the defaults that it sets. */
typedef struct method_page {
    const char *method, *learner;
    const char *default_learner;
    gradus_options *options;
    text *to;
} method_page;

typedef bool (*choice)(const method_page *page, const char *name);

static gradus_option_use use_of(const method_page *page, const char *name)
{
    return gradus_method_uses(page->method, page->learner, name);
}

static bool is_tuned(const method_page *page, const char *name)
{
    return use_of(page, name) == GRADUS_OPTION_TUNED;
}

/* Of the other options, those on the length of training and the metric come first. */
static bool is_first(const char *name)
{
    static const char *const first[] = { "rounds", "patience", "metric", "convention" };

    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        if (strcmp(first[i], name) == 0)
            return true;
    return false;
}

static bool is_used_first(const method_page *page, const char *name)
{
    return is_first(name) && use_of(page, name) == GRADUS_OPTION_USED;
}

static bool is_used_later(const method_page *page, const char *name)
{
    return !is_first(name) && use_of(page, name) == GRADUS_OPTION_USED;
}

/* Lists only the learners that can fit the method; their default only if it is one of them. */
static void visit_learners(const method_page *page, gradus_param *param, const char *title)
{
    name_list names = { NULL, 0, 0 };
    bool has_default = false;

    param->initial = page->default_learner;
    for (size_t i = 0; param->choices[i]; i++)
        if (gradus_method_uses(page->method, param->choices[i], "method") != GRADUS_OPTION_UNUSED) {
            names_add(&names, param->choices[i]);
            has_default = has_default || strcmp(param->choices[i], param->initial) == 0;
        }
    const char **choices = must_have(names.count + 1, sizeof *choices);

    for (size_t i = 0; i < names.count; i++)
        choices[i] = names.at[i];
    param->choices = choices;
    if (!has_default)
        param->initial = names.count == 1 ? choices[0] : "";
    visit_param(param, title, add_option, page->to);
    free(choices);
    names_free(&names);
}

/* Adds the options that `takes` selects; the title only if there are any. */
static void add_group(const method_page *page, const char *title, choice takes)
{
    gradus_param param;
    bool any = false;

    for (size_t i = 0; gradus_param_at("train", i, &param); i++) {
        if (strcmp(param.name, "seed") == 0 || strcmp(param.name, "method") == 0 ||
            !takes(page, param.name))
            continue;
        if (!any)
            add_option(page->to, title, NULL);
        any = true;
        param.initial = gradus_options_value(page->options, param.name);
        if (strcmp(param.name, "learner") == 0)
            visit_learners(page, &param, title);
        else
            visit_param(&param, title, add_option, page->to);
    }
}

static void add_page(const method_page *page, const command *about)
{
    text *t = page->to;
    text line = { NULL, 0, 0 };
    gradus_entry entry;

    add_command_head(t, about);
    if (find_entry("methods", page->method, &entry)) {
        text_format(&line, "%s - %s", page->method, entry.summary);
        text_add(t, "\n");
        add_named(t, page->method, text_string(&line));
        text_free(&line);
    }
    text_add(t, "\n");
    text_format(&line,
                "These are the options of %s. 'gradus help %s' describes the method; 'gradus help "
                "%s' lists the options of all methods.",
                page->method, page->method, about->name);
    text_wrap(t, text_string(&line), 0, help_width());
    text_add(t, "\n");
    text_free(&line);
    visit_own(about->options, "options", add_option, t);
    add_group(page, "most important settings ('gradus tune' searches them)", is_tuned);
    add_group(page, "training", is_used_first);
    add_group(page, "other settings", is_used_later);
    for (size_t i = 0; about->operations[i]; i++)
        if (strcmp(about->operations[i], "train") != 0)
            visit_operation(about, i, about->operations[i], add_option, t);
    visit_common(add_option, t);
}

static int print_page(method_page *page, const command *about)
{
    text t = { NULL, 0, 0 };
    gradus_error err;

    if (gradus_options_set(page->options, "method", page->method, &err) != GRADUS_OK)
        return fail(&err);
    page->default_learner = gradus_options_value(page->options, "learner");
    if (page->learner &&
        gradus_options_set(page->options, "learner", page->learner, &err) != GRADUS_OK)
        return fail(&err);
    if (use_of(page, "method") == GRADUS_OPTION_UNUSED)
        return fail_usage("the learner '%s' cannot be used with the method '%s'",
                          page->learner ? page->learner : "", page->method);
    page->to = &t;
    add_page(page, about);
    page->to = NULL;
    return page_text(&t);
}

int help_on_method(const command *about, const char *method, const char *learner)
{
    gradus_error err;
    method_page page = { .method = method, .learner = learner };

    page.options = gradus_options_new("train", &err);
    const int status = page.options ? print_page(&page, about) : fail(&err);

    gradus_options_free(page.options);
    return status;
}
