/* SPDX-License-Identifier: Apache-2.0 */
/* gradus show: facts, recipe, learning curve and importance of a model. */
#include "cmd_show.h"

#include "experiments/model_json.h"

#include "curve.h"
#include "print_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FEATURES_SHOWN = 20, BAR = 16, PLOT_LINES = 15, PAGE = 88 };

void add_feature_name(text *t, const gradus_model *model, size_t feature)
{
    const char *name = gradus_model_feature_name(model, feature);

    if (name[0])
        text_add_shown(t, name);
    else
        text_format(t, "%zu", feature + gradus_model_first_id(model));
}

static void add_size(text *t, const char *path)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return;
    if (about.st_size < 10000)
        text_format(t, ", %s bytes", with_commas((size_t)about.st_size));
    else if (about.st_size < 10000000)
        text_format(t, ", %.0f kB", 1e-3 * (double)about.st_size);
    else
        text_format(t, ", %.1f MB", 1e-6 * (double)about.st_size);
}

static void add_grades(text *t, const gradus_model_info *f)
{
    text_format(t, "score        %s", f->scoring);
    if (f->grades)
        text_add(t, f->grades > 1 ? "; grades" : "; grade");
    for (size_t k = 0; k < f->grades && k < 12; k++) {
        text_add(t, " ");
        text_label(t, f->grade_values[k]);
    }
    text_add(t, f->grades > 12 ? " ..." : "");
    text_add(t, f->probabilities ? ", with their probabilities\n" : "\n");
}

/* An ensemble that was not trained as a whole has no rounds itself. */
static void add_rounds(text *t, const shown *s)
{
    const gradus_model_info *f = &s->info;
    const char *name, *value;
    const bool trained = !f->members || gradus_model_option_at(s->model, 0, &name, &value);

    if (!trained || !f->has_rounds)
        return;
    text_format(t, "rounds       %s", with_commas(f->rounds));
    if (f->best_round && f->best_round == f->rounds)
        text_format(t, " of %s kept, up to the best on validation data",
                    with_commas(f->rounds_done));
    else if (f->best_round)
        text_format(t, "; the best on validation data is round %s", with_commas(f->best_round));
    text_add(t, "\n");
}

static void add_size_line(text *t, const shown *s)
{
    text_add(t, "size         ");
    if (!add_line(t, s->model, "size"))
        add_model_size(t, s->model);
    add_size(t, s->path);
    text_add(t, "\n");
}

/* A model of another tool has no training data, but says where it comes from. */
static void add_origin(text *t, const shown *s)
{
    const gradus_model_info *f = &s->info;
    const char *name, *value;

    if (!gradus_model_option_at(s->model, 0, &name, &value) || strcmp(name, "imported-from") != 0) {
        text_format(t, "trained on   %s of %s, %s\n", counted(f->train_rows, "row", "rows"),
                    counted(f->features, "feature", "features"),
                    counted(f->train_queries, "query", "queries"));
        if (f->distilled)
            text_add(t, "labels       scores of another model, which it was distilled from\n");
        return;
    }
    text_format(t, "imported     %s", value);
    for (size_t i = 1; gradus_model_option_at(s->model, i, &name, &value); i++)
        text_format(t, ", %s %s", name, value);
    text_format(t, "\nfeatures     %s\n", with_commas(f->features));
}

static void add_facts(text *t, const shown *s)
{
    const gradus_model_info *f = &s->info;

    text_format(t, "%s%s\n", s->path,
                f->finished ? "" : ": a checkpoint; 'gradus train --resume' continues from it");
    text_format(t, "method       %s\n", f->method);
    add_origin(t, s);
    add_rounds(t, s);
    add_size_line(t, s);
    add_combination(t, s);
    add_calibrations(t, s->model);
    add_grades(t, f);
    add_other_lines(t, s->model);
    add_results(t, s->model);
}

/* The command that trains the model; with --all also every setting. */
static void add_recipe(text *t, const shown *s, bool all)
{
    const char *name, *value;
    text line = { NULL, 0, 0 };
    table rows;

    const bool known = add_train_command(&line, s->model, s->path, LABEL_WIDTH, page_width(PAGE));

    if (known)
        text_format(t, "recipe       %s\n", text_string(&line));
    text_free(&line);
    if (!all || (!known && !s->info.distilled))
        return;
    text_add(t, "\n");
    table_begin(&rows, 2);
    table_cell(&rows, "setting");
    table_cell(&rows, "value");
    for (size_t i = 0; gradus_model_option_at(s->model, i, &name, &value); i++) {
        table_cell(&rows, "%s%s", name, is_default_setting(name, value) ? "" : " *");
        table_cell(&rows, "%s", value[0] ? value : "-");
    }
    table_end(&rows, t);
    text_add(t, "* not the default\n");
}

typedef struct points {
    double *round, *train, *valid;
    size_t count;
} points;

static points take_points(const shown *s)
{
    points p = { .count = 0 };
    size_t round, count = 0;
    double train, valid;

    while (gradus_model_curve_at(s->model, count, &round, &train, &valid))
        count++;
    p.round = must_have(count, sizeof *p.round);
    p.train = must_have(count, sizeof *p.train);
    p.valid = must_have(count, sizeof *p.valid);
    for (; gradus_model_curve_at(s->model, p.count, &round, &train, &valid); p.count++) {
        p.round[p.count] = (double)round;
        p.train[p.count] = train;
        p.valid[p.count] = valid;
    }
    return p;
}

static bool any_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            return true;
    return false;
}

static void add_curve(text *t, const shown *s)
{
    points p = take_points(s);
    curve curves[2];
    plot drawn = { .x = p.round,
                   .count = p.count,
                   .curves = curves,
                   .width = page_width(PAGE),
                   .height = PLOT_LINES,
                   .marked = (double)s->info.best_round,
                   .word = "best" };

    if (any_finite(p.train, p.count))
        curves[drawn.curve_count++] = (curve){ "train", p.train };
    if (any_finite(p.valid, p.count))
        curves[drawn.curve_count++] = (curve){ "valid", p.valid };
    if (drawn.curve_count && p.count > 1) {
        text_format(t, "\n%s by round", s->info.metric);
        text_format(t, s->info.convention[0] ? ", convention %s\n" : "%s\n", s->info.convention);
        text_plot(t, &drawn);
    }
    free(p.round);
    free(p.train);
    free(p.valid);
}

static void add_bar(text *t, double share, double most, bool pad)
{
    const size_t columns = text_fine_bar(t, share / most, BAR);

    if (pad)
        text_pad(t, BAR - columns);
}

/* How the importance of an ensemble is computed from that of its members. */
static void add_rule(text *t, const shown *s)
{
    const size_t without = members_without_importance(s);

    text_add(t, "(gain: each member's gains, or sizes of coefficients, divided by their sum and "
                "averaged\n by the absolute weights of the members; ");
    text_format(t, "%s: total)\n", s->info.count_name);
    if (without)
        text_format(t, "%s %s no importance and %s left out\n", with_commas(without),
                    plural(without, "member has", "members have"), plural(without, "is", "are"));
}

/* JSON calls the paths of a net "ways". */
static const char *split_title(const gradus_model_info *f)
{
    return strcmp(f->count_name, "ways") == 0 ? "paths" : f->count_name;
}

static void add_importance(text *t, const shown *s, size_t count)
{
    double gain = 0.0, most_gain = 0.0, most_splits = 0.0;
    size_t widest = strlen("feature");

    for (size_t i = 0; i < s->used; i++) {
        text name = { NULL, 0, 0 };

        gain += s->uses[i].gain;
        most_gain = fmax(most_gain, s->uses[i].gain);
        most_splits = fmax(most_splits, (double)s->uses[i].splits);
        add_feature_name(&name, s->model, s->uses[i].feature);
        if (i < count && text_columns(text_string(&name)) > widest)
            widest = text_columns(text_string(&name));
        text_free(&name);
    }
    text_format(t, "\nimportance: %s of %s %s used\n", with_commas(s->used),
                counted(s->info.features, "feature", "features"),
                plural(s->info.features, "is", "are"));
    if (s->used == 0)
        return;
    if (s->info.members)
        add_rule(t, s);
    text_format(t, "%-*s    %s  %*s  %6s\n", (int)widest, "feature", s->info.gain_name, BAR, "",
                split_title(&s->info));
    for (size_t i = 0; i < s->used && i < count; i++) {
        const gradus_feature_use *use = &s->uses[i];
        const size_t line = t->length;

        add_feature_name(t, s->model, use->feature);
        text_pad(t, widest - text_columns(t->at + line));
        text_format(t, "  %5.1f%%  ", gain > 0.0 ? 100.0 * use->gain / gain : 0.0);
        add_bar(t, use->gain, most_gain, true);
        text_format(t, "  %6s  ", with_commas(use->splits));
        add_bar(t, (double)use->splits, most_splits, false);
        text_add(t, "\n");
    }
    if (s->used > count)
        text_format(t, "... and %s more; --importance all lists them\n",
                    with_commas(s->used - count));
}

static int compare_uses(const gradus_feature_use *x, const gradus_feature_use *y, bool by_splits)
{
    const int gain = (x->gain < y->gain) - (x->gain > y->gain);
    const int splits = (x->splits < y->splits) - (x->splits > y->splits);

    if ((by_splits ? splits : gain) != 0)
        return by_splits ? splits : gain;
    if (gain != 0 || splits != 0)
        return by_splits ? gain : splits;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

static int by_gain(const void *a, const void *b)
{
    return compare_uses(a, b, false);
}

static int by_splits(const void *a, const void *b)
{
    return compare_uses(a, b, true);
}

static bool take_importance(shown *s, bool splits_first, int *status)
{
    gradus_error err;

    s->columns = gradus_model_columns(s->model, &s->column_count);
    s->uses = must_have(gradus_model_max_uses(s->model), sizeof *s->uses);
    if (gradus_model_uses(s->model, s->uses, &s->used, &err) != GRADUS_OK) {
        *status = fail(&err);
        return false;
    }
    qsort(s->uses, s->used, sizeof *s->uses, splits_first ? by_splits : by_gain);
    return true;
}

/* A count, at least 1; "all" is SIZE_MAX. */
static int take_count(const arguments *given, const char *name, const char *words, size_t *count)
{
    const char *word = argument(given, name);
    uint64_t number;

    if (!word)
        return -1;
    if (words[0] && strcmp(word, "all") == 0) {
        *count = SIZE_MAX;
        return -1;
    }
    if (!parse_count(word, SIZE_MAX, &number) || number == 0)
        return fail_usage("--%s takes a whole number, at least 1%s, not '%s'", name, words, word);
    *count = (size_t)number;
    return -1;
}

static bool permutes(const arguments *given)
{
    const char *word = argument(given, "importance");

    return word && strcmp(word, "permutation") == 0;
}

/* The options of permutation importance go together. Exit status, or -1 to continue. */
static int check_permutation(const arguments *given)
{
    if (permutes(given) && !argument(given, "data"))
        return fail_usage("--importance permutation needs data to evaluate: --data FILE");
    if (permutes(given) && argument(given, "tree"))
        return fail_usage("--importance permutation and --tree cannot be combined");
    static const char *const operations[] = { "evaluate", "read" };
    const char *wrong = argument(given, "data")      ? "data"
                        : argument(given, "repeats") ? "repeats"
                                                     : NULL;
    gradus_param param;

    for (size_t o = 0; o < 2 && !permutes(given); o++)
        for (size_t i = 0; gradus_param_at(operations[o], i, &param); i++)
            wrong = option_given(given, param.name) ? param.name : wrong;
    if (!permutes(given) && wrong)
        return fail_usage("--%s applies to --importance permutation", wrong);
    return -1;
}

static bool add_model(text *t, const shown *s, bool all, size_t features, gradus_error *err)
{
    add_facts(t, s);
    add_recipe(t, s, all);
    if (!add_members(t, s, err))
        return false;
    add_curve(t, s);
    if (gradus_model_equation(s->model, 0, NULL, NULL, NULL, NULL))
        add_equations(t, s, features);
    else if (s->info.importance)
        add_importance(t, s, features);
    add_thresholds(t, s);
    return true;
}

static int show_model(const arguments *given, shown *s)
{
    const char *by = argument(given, "by");
    size_t tree = 0, features = FEATURES_SHOWN, trees;
    text t = { NULL, 0, 0 };
    gradus_error err = { GRADUS_OK, "" };
    int status;

    if ((status = take_count(given, "tree", "", &tree)) >= 0 ||
        (!permutes(given) &&
         (status = take_count(given, "importance", ", 'all' or 'permutation'", &features)) >= 0) ||
        (status = check_permutation(given)) >= 0)
        return status;
    if (by && strcmp(by, "gain") != 0 && strcmp(by, "splits") != 0)
        return fail_usage("--by takes gain or splits, not '%s'", by);
    gradus_model_describe(s->model, &s->info);
    trees = s->info.members ? 0 : tree_count(s->model);
    if (tree > trees)
        return trees ? fail_usage("--tree %zu: %s has trees 1 to %zu", tree, s->path, trees)
                     : fail_usage("--tree %zu: %s has no trees%s", tree, s->path,
                                  s->info.members ? ": it is an ensemble" : "");
    if (!take_importance(s, by && strcmp(by, "splits") == 0, &status))
        return status;
    if (permutes(given))
        return show_permutation(given, s, FEATURES_SHOWN);
    if (given->json ? !show_json(&t, s, tree, &err)
        : tree      ? !add_tree(&t, s, tree)
                    : !add_model(&t, s, argument(given, "all") != NULL, features, &err)) {
        text_free(&t);
        return fail(&err);
    }
    return print_text(&t);
}

static int show_run(arguments *given)
{
    gradus_error err;
    int status;

    if (given->count != 1)
        return fail_usage("gradus show needs one model: gradus show MODEL");
    shown s = { .path = given->words[0], .model = gradus_model_read(given->words[0], &err) };

    if (!s.model)
        return fail(&err);
    status = show_model(given, &s);
    gradus_model_free(s.model);
    free(s.uses);
    return status;
}

static const option show_options[] = {
    { "all", 0, NULL, "list all settings of training, not only those in the recipe" },
    { "importance", 0, "N|all|permutation",
      "number of features to list (default 20); permutation: how much a metric falls if a feature "
      "is permuted among the rows of --data" },
    { "data", 0, "FILE", "--importance permutation: data to evaluate", GRADUS_PATH_READ },
    { "repeats", 0, "N", "--importance permutation: permutations per feature (default 5)" },
    { "by", 0, "WHAT", "sort the features by gain or splits (default gain)" },
    { "tree", 0, "N", "show only tree N, from 1; trees are numbered in the order of training" },
    { NULL, 0, NULL, NULL },
};

static const example show_examples[] = {
    { "gradus show web.model", "facts, learning curve and feature importance" },
    { "gradus show web.model --tree 1", "the first tree" },
    { "gradus show web.model --importance permutation --data test.txt",
      "how much ndcg@10 depends on each feature, with intervals over queries" },
    { "gradus show web.model --json | jq .recipe", "all settings of training" },
    { NULL, NULL },
};

const command command_show = {
    .name = "show",
    .summary = "describe a model",
    .usage = "gradus show MODEL [options]",
    .description =
        "Shows the recipe of a model (the command that trains it again), its size, the grades it "
        "predicts, its learning curve and the importance of features: 'gain' is the fraction of "
        "the total loss reduction due to splits on the feature, 'splits' their number. For a "
        "linear model it shows the coefficients of each output, sorted by 'size': the coefficient "
        "times the standard deviation of the feature. For a neural net 'size' is the feature's "
        "fraction of the products of weights, summed over all paths from features to the score. "
        "For an ensemble it shows the members with their weights; 'gain' is the mean of the "
        "members' gains, each divided by their sum, weighted by the absolute weights of the "
        "members.\n\n"
        "--tree shows one tree as text: rows with a value below the threshold go to 'yes'. For "
        "model trees the linear models of the leaves (LM1, LM2, ...) follow, with smoothing "
        "included.\n\n"
        "--importance permutation measures instead how much a metric (--metric, ndcg@10 by "
        "default) falls on --data if the values of a feature are permuted among its rows, as a "
        "mean over queries with a confidence interval. The options of metrics and of reading "
        "apply to it.\n\n"
        "Checkpoints are models and can be shown as well.",
    .options = show_options,
    .operations = { "evaluate", "read" },
    .metric = "ndcg@10",
    .examples = show_examples,
    .run = show_run,
};
