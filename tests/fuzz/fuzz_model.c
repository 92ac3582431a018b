/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: unchanged, and with corrected sizes and checksums, so that the code behind them is
 * reached. Any accepted model can be run, shown, evaluated and reported. */
#include "fuzz_command.h"
#include "seal.h"

#include "model/model.h"

#include <math.h>

enum { MAX_FEATURES = 1 << 16, MAX_OUTPUTS = 1 << 10, MAX_WRITTEN = 64, ROWS_WRITTEN = 9 };

/* The trees, if the outputs depend on them alone. */
static const gr_forest *only_forest(const gradus_model *model)
{
    const gr_node_kind *last = model->nodes[model->node_count - 1].kind;

    return last == &gr_node_forest ? gr_model_forest(model) : NULL;
}

/* Rows of zeros, of missing values and of others: the plain and the fast evaluation agree. */
static void run_rows(const gradus_model *model)
{
    const gr_forest *forest = only_forest(model);
    const size_t outputs = model->scorer.outputs;
    const bool small = model->features <= MAX_FEATURES && outputs <= MAX_OUTPUTS;
    float *rows = small ? calloc(3 * model->features + 1, sizeof *rows) : NULL;
    double *raw = small ? calloc(outputs, sizeof *raw) : NULL;
    double *probabilities = calloc(3 * model->scorer.levels + 1, sizeof *probabilities);
    gradus_error err = { GRADUS_OK, "" };
    double scores[3];

    if (rows && raw && probabilities) {
        for (size_t f = 0; f < model->features; f++) {
            rows[model->features + f] = NAN;
            rows[2 * model->features + f] = (float)f - 1.5f;
        }
        if (gr_model_run_rows(model, rows, 3, model->features, scores,
                              gr_scorer_knows_probabilities(&model->scorer) ? probabilities : NULL,
                              &err) != GRADUS_OK)
            must_explain(true, &err);
        else if (forest && !model->transform.transform)
            for (size_t r = 0; r < 3; r++) {
                gr_forest_row(forest, rows + r * model->features, SIZE_MAX, raw);
                must(scores[r] == gr_scorer_score(&model->scorer, raw, 1), "scores are the same");
            }
    }
    free(rows);
    free(raw);
    free(probabilities);
}

static void show_trees(const gradus_model *model, size_t trees)
{
    for (size_t t = 0; t < trees && t < 50; t++) {
        gradus_tree_node node;
        size_t count = 0;

        while (count < 200 && gradus_model_tree_at(model, t, count, &node)) {
            must(node.is_leaf || (node.left != 0 && node.right != 0), "a root has no parent");
            must(node.is_leaf || node.feature < model->features, "splits are on features");
            count++;
        }
        must(count > 0, "a tree has a node");
    }
}

static size_t read_texts(const gradus_model *model)
{
    const char *name, *value;
    double train, valid;
    size_t characters = 0, round;

    for (size_t i = 0; gradus_model_option_at(model, i, &name, &value); i++)
        characters += strlen(name) + strlen(value);
    for (size_t f = 0; f < model->features && f < MAX_FEATURES; f++)
        characters += strlen(gradus_model_feature_name(model, f));
    for (size_t i = 0; gradus_model_curve_at(model, i, &round, &train, &valid); i++)
        characters += round;
    return characters;
}

static void see_another_way(const gradus_model *model)
{
    for (int rule = 0; gr_score_rules[rule]; rule++) {
        const gr_score_rule chosen = (gr_score_rule)rule;
        gradus_error err = { GRADUS_OK, "" };
        gr_score_choice choice = gr_score_as_trained;
        gradus_model *view;

        choice.rule = &chosen;
        view = gr_model_view(model, &choice, (uint64_t)rule, NULL, &err);

        must_explain(!view, &err);
        gradus_model_free(view);
    }
}

/* Three queries of three rows, with the model's number of features. */
static fuzz_file write_rows(const gradus_model *model)
{
    char *lines = malloc(ROWS_WRITTEN * 64 * (model->features + 1));
    size_t used = 0;
    fuzz_file file;

    must(lines != NULL, "an input fits into memory");
    for (size_t r = 0; r < ROWS_WRITTEN; r++) {
        used += (size_t)sprintf(lines + used, "%zu qid:%zu", r * r % 5, r / 3 + 1);
        for (size_t f = 0; f < model->features; f++)
            used += (size_t)sprintf(lines + used, " %zu:%g", f + model->first_id,
                                    (double)((r + 1) * (f + 3) % 11) - 2.5);
        used += (size_t)sprintf(lines + used, "\n");
    }
    file = fuzz_file_new(lines, used);
    free(lines);
    return file;
}

static void show_model(const char *path)
{
    run_words((const char *const[]){ "show", path, "--all", "--importance", "all", NULL });
    run_words((const char *const[]){ "show", path, "--json", "--tree", "1", NULL });
    run_words((const char *const[]){ "show", path, "--json", NULL });
    run_words((const char *const[]){ "show", path, "--tree", "1", NULL });
    run_words((const char *const[]){ "report", path, "-o", "-", "--threads", "1", NULL });
}

static void use_on_rows(const char *path, const char *data)
{
    run_words((const char *const[]){ "score", path, data, "--threads", "1", NULL });
    run_words(
        (const char *const[]){ "score", path, data, "--probabilities", "--threads", "1", NULL });
    run_words((const char *const[]){ "eval", data, path, "--threads", "1", NULL });
    run_words((const char *const[]){ "eval", data, path, "--confusion", "--json", "--threads", "1",
                                     NULL });
    run_words((const char *const[]){ "eval", data, path, "--calibration", "--svg", "-", "--threads",
                                     "1", NULL });
    run_words((const char *const[]){ "report", "--data", data, path, "feature:1", "-o", "-",
                                     "--threads", "1", NULL });
}

/* What users do with a model file. */
static void use_by_commands(const gradus_model *model, const void *bytes, size_t size)
{
    fuzz_file file = fuzz_file_new(bytes, size);

    show_model(file.path);
    if (model->features <= MAX_WRITTEN) {
        fuzz_file data = write_rows(model);

        use_on_rows(file.path, data.path);
        fuzz_file_close(&data);
    }
    fuzz_file_close(&file);
}

static void read_and_use(const char *bytes, size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model_facts facts;
    gradus_model *model;
    void *copy = NULL;

    if (posix_memalign(&copy, 64, size ? size : 1) != 0)
        return;
    memcpy(copy, bytes, size);
    model = gr_model_parse(copy, size, "input", &err);
    must_explain(!model, &err);
    if (model) {
        gradus_model_describe(model, &facts);
        must(facts.outputs > 0 && facts.method && facts.scoring, "facts are there");
        read_texts(model);
        if (!facts.members) /* members' parameters are counted, but have no numbers */
            show_trees(model, facts.trees);
        run_rows(model);
        see_another_way(model);
        use_by_commands(model, bytes, size);
    }
    gradus_model_free(model);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *copy = malloc(size + 1);

    if (!copy)
        return 0;
    memcpy(copy, bytes, size);
    read_and_use(copy, size);
    if (size >= SEAL_FRONT) {
        seal_model(copy, size);
        read_and_use(copy, size);
    }
    free(copy);
    return 0;
}
