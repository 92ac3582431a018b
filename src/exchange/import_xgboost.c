/* SPDX-License-Identifier: Apache-2.0 */
/* Imports models of XGBoost: the JSON and UBJ files that Booster.save_model writes (versions 1 to 3),
 * booster gbtree. Scores are margins: the sum of leaf values and the base score after the inverse of
 * the objective's transformation, in double where XGBoost adds floats. */
#include "exchange/document.h"
#include "exchange/import_model.h"
#include "exchange/importer.h"

#include "base/json.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    gr_import_file *file;
    gr_document document;
    const gr_doc_value *learner, *model;
    char objective[64];
    size_t features, outputs, iterations;
    double *bases;
    gr_import_trees trees;
    gr_array nodes;
    gr_name_list names;
    gradus_error *err;
} reader;

/* How the base score becomes a margin. */
typedef enum margin_link { IDENTITY, LOGIT, LOG } margin_link;

static margin_link link_of(const char *objective)
{
    static const struct {
        const char *objective;
        margin_link link;
    } links[] = {
        { "reg:logistic", LOGIT }, { "binary:logistic", LOGIT }, { "count:poisson", LOG },
        { "reg:gamma", LOG },      { "reg:tweedie", LOG },       { "survival:cox", LOG },
        { "survival:aft", LOG },
    };

    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (strcmp(links[i].objective, objective) == 0)
            return links[i].link;
    return IDENTITY;
}

static gradus_status refuse(const reader *r, size_t at, const char *what)
{
    return gr_import_fail(r->file, at, r->err, GRADUS_BAD_ARGUMENT, "%s", what);
}

/* Copies a short text, such as the name of an objective. */
static void copy_text(const reader *r, const gr_doc_value *value, char *text, size_t size)
{
    const size_t length = value->end - value->at;

    text[0] = '\0';
    if (length < size && !memchr(r->file->bytes + value->at, '\0', length)) {
        memcpy(text, r->file->bytes + value->at, length);
        text[length] = '\0';
    }
}

/* XGBoost computes the margin in floats. */
static double margin_of(margin_link link, float base)
{
    if (link == LOGIT)
        return (double)-(float)log((double)(1.0f / base - 1.0f));
    return link == LOG ? (double)(float)log((double)base) : (double)base;
}

/* "5E-1", or from version 3.1 on "[5E-1]" or "[1E-1,2E-1]": one base for all outputs, or one each. */
static gradus_status read_bases(reader *r, const gr_doc_value *text)
{
    const char *at = r->file->bytes + text->at, *end = r->file->bytes + text->end;
    const margin_link link = link_of(r->objective);
    size_t count = 0;
    float base = 0.0f;

    if (at < end && *at == '[' && end[-1] == ']') {
        at++;
        end--;
    }
    while (count < r->outputs) {
        const char *next = gr_parse_float(at, end, &base);

        if (!next || (next < end && *next != ','))
            return gr_import_fail(r->file, text->at, r->err, GRADUS_BAD_FORMAT,
                                  "'base_score' is not a number");
        r->bases[count++] = margin_of(link, base);
        if (!isfinite(r->bases[count - 1]))
            return gr_import_fail(r->file, text->at, r->err, GRADUS_BAD_FORMAT,
                                  "'base_score' is out of range for '%s'", r->objective);
        at = next == end ? end : next + 1;
        if (next == end)
            break;
    }
    if (at != end || (count != 1 && count != r->outputs))
        return gr_import_fail(r->file, text->at, r->err, GRADUS_BAD_FORMAT,
                              "'base_score' has not 1 or %zu numbers", r->outputs);
    for (; count > 0 && count < r->outputs; count++)
        r->bases[count] = r->bases[0];
    return GRADUS_OK;
}

/* An absent count is 0. */
static gradus_status optional_count(reader *r, const gr_doc_value *object, const char *name,
                                    uint64_t *count)
{
    const gr_doc_value *value;
    gradus_error unused;

    *count = 0;
    if (gr_doc_optional(&r->document, object, name, GR_DOC_TEXT, &value, &unused) == GRADUS_OK &&
        !value)
        return GRADUS_OK;
    return gr_doc_count(&r->document, object, name, count, r->err);
}

static gradus_status read_parameters(reader *r)
{
    const gr_doc_value *objective, *name, *parameters, *base;
    uint64_t features = 0, classes, targets;

    GR_TRY(gr_doc_member(&r->document, r->learner, "objective", GR_DOC_OBJECT, &objective, r->err));
    GR_TRY(gr_doc_member(&r->document, objective, "name", GR_DOC_TEXT, &name, r->err));
    copy_text(r, name, r->objective, sizeof r->objective);
    GR_TRY(gr_doc_member(&r->document, r->learner, "learner_model_param", GR_DOC_OBJECT,
                         &parameters, r->err));
    GR_TRY(gr_doc_count(&r->document, parameters, "num_feature", &features, r->err));
    GR_TRY(optional_count(r, parameters, "num_class", &classes));
    GR_TRY(optional_count(r, parameters, "num_target", &targets));
    if (targets > 1)
        return refuse(r, parameters->at, "the model has several targets, which gradus cannot hold");
    if (features > GR_IMPORT_FEATURES || classes > GR_MAX_LEVELS)
        return gr_import_fail(r->file, parameters->at, r->err, GRADUS_BAD_ARGUMENT,
                              "the model has %llu features and %llu classes; at most %d and %d are "
                              "allowed",
                              (unsigned long long)features, (unsigned long long)classes,
                              GR_IMPORT_FEATURES, GR_MAX_LEVELS);
    if (classes > 1 && strncmp(r->objective, "multi:", 6) != 0)
        return gr_import_fail(r->file, name->at, r->err, GRADUS_BAD_ARGUMENT,
                              "the %llu outputs of objective '%s' have no known meaning",
                              (unsigned long long)classes, r->objective);
    r->features = (size_t)features;
    r->outputs = classes > 1 ? (size_t)classes : 1;
    r->bases = gr_new_array(r->outputs, sizeof *r->bases);
    if (!r->bases)
        return gr_fail_memory(r->err, "a model");
    GR_TRY(gr_doc_member(&r->document, parameters, "base_score", GR_DOC_TEXT, &base, r->err));
    return read_bases(r, base);
}

static gradus_status add_name(reader *r, size_t begin, size_t end)
{
    const char *name = r->file->bytes + begin;
    gr_json *decoded = NULL;
    size_t size = end - begin;
    bool added;

    if (!r->file->binary) {
        gradus_error fault;

        decoded = gr_json_parse(name - 1, size + 2, &fault);
        if (!decoded)
            return gr_import_fail(r->file, begin, r->err, fault.status,
                                  "the name of a feature is not valid text");
        name = decoded->text;
        size = strlen(name);
    }
    if (memchr(name, '\0', size)) {
        gr_json_free(decoded);
        return gr_import_fail(r->file, begin, r->err, GRADUS_BAD_FORMAT,
                              "NUL in the name of a feature");
    }
    added = gr_name_list_add(&r->names, name, size);
    gr_json_free(decoded);
    return added ? GRADUS_OK : gr_fail_memory(r->err, "the names of features");
}

static gradus_status read_names(reader *r)
{
    const gr_doc_value *list;
    gr_doc_items items;

    GR_TRY(gr_doc_optional(&r->document, r->learner, "feature_names", GR_DOC_LIST, &list, r->err));
    if (!list || list->scalars == 0)
        return GRADUS_OK;
    GR_TRY(gr_doc_items_of(&r->document, list, "feature_names", r->features, &items, r->err));
    while (items.left) {
        size_t begin = 0, end = 0;

        GR_TRY(gr_doc_next_text(&items, &begin, &end, r->err));
        GR_TRY(add_name(r, begin, end));
    }
    return GRADUS_OK;
}

/* A list of a tree, with one item per node. */
static gradus_status open_list(reader *r, const gr_doc_value *tree, const char *name, size_t count,
                               gr_doc_items *items)
{
    const gr_doc_value *list;

    GR_TRY(gr_doc_member(&r->document, tree, name, GR_DOC_LIST, &list, r->err));
    return gr_doc_items_of(&r->document, list, name, count, items, r->err);
}

static gradus_status read_children(reader *r, const gr_doc_value *tree, size_t count)
{
    gr_import_node *nodes = r->nodes.at;
    gr_doc_items left, right, feature, side;
    int64_t number = 0;

    GR_TRY(open_list(r, tree, "left_children", count, &left));
    GR_TRY(open_list(r, tree, "right_children", count, &right));
    GR_TRY(open_list(r, tree, "split_indices", count, &feature));
    GR_TRY(open_list(r, tree, "default_left", count, &side));
    for (size_t i = 0; i < count; i++) {
        GR_TRY(gr_doc_next_integer(&left, -1, (int64_t)count - 1, &number, r->err));
        nodes[i].left = (int32_t)number;
        GR_TRY(gr_doc_next_integer(&right, -1, (int64_t)count - 1, &number, r->err));
        nodes[i].right = (int32_t)number;
        /* The index of a deleted node is 2^32 - 1. Features are checked later. */
        GR_TRY(gr_doc_next_integer(&feature, -1, UINT32_MAX, &number, r->err));
        nodes[i].feature = (uint32_t)number;
        GR_TRY(gr_doc_next_integer(&side, 0, 1, &number, r->err));
        nodes[i].missing_left = number != 0;
    }
    return GRADUS_OK;
}

/* Thresholds of splits and values of leaves share one list. */
static gradus_status read_numbers(reader *r, const gr_doc_value *tree, size_t count)
{
    gr_import_node *nodes = r->nodes.at;
    gr_doc_items condition, gain, cover;

    GR_TRY(open_list(r, tree, "split_conditions", count, &condition));
    GR_TRY(open_list(r, tree, "loss_changes", count, &gain));
    GR_TRY(open_list(r, tree, "sum_hessian", count, &cover));
    for (size_t i = 0; i < count; i++) {
        float number = 0.0f;

        GR_TRY(gr_doc_next_float(&condition, &number, r->err));
        nodes[i].threshold = number;
        nodes[i].value = (double)number;
        GR_TRY(gr_doc_next_float(&gain, &nodes[i].gain, r->err));
        GR_TRY(gr_doc_next_float(&cover, &number, r->err));
        nodes[i].cover = (double)number;
    }
    return GRADUS_OK;
}

static gradus_status refuse_categories(reader *r, const gr_doc_value *tree, size_t count)
{
    const gr_doc_value *list;
    gr_doc_items items;
    int64_t type = 0;

    GR_TRY(gr_doc_optional(&r->document, tree, "split_type", GR_DOC_LIST, &list, r->err));
    if (!list || list->scalars == 0)
        return GRADUS_OK;
    GR_TRY(gr_doc_items_of(&r->document, list, "split_type", count, &items, r->err));
    for (size_t i = 0; i < count; i++) {
        GR_TRY(gr_doc_next_integer(&items, 0, 255, &type, r->err));
        if (type != 0)
            return gr_import_fail(r->file, list->at, r->err, GRADUS_BAD_ARGUMENT,
                                  "feature %u is split by categories, which gradus cannot hold",
                                  ((gr_import_node *)r->nodes.at)[i].feature);
    }
    return GRADUS_OK;
}

static gradus_status read_tree(reader *r, const gr_doc_value *tree, size_t output)
{
    const gr_doc_value *parameters, *left;
    uint64_t count = 0, vector;

    GR_TRY(gr_doc_member(&r->document, tree, "tree_param", GR_DOC_OBJECT, &parameters, r->err));
    GR_TRY(gr_doc_count(&r->document, parameters, "num_nodes", &count, r->err));
    GR_TRY(optional_count(r, parameters, "size_leaf_vector", &vector));
    if (vector > 1)
        return refuse(r, parameters->at, "leaves with several values cannot be imported");
    GR_TRY(gr_doc_member(&r->document, tree, "left_children", GR_DOC_LIST, &left, r->err));
    if (count == 0 || count != left->scalars || count > INT32_MAX)
        return gr_import_fail(r->file, left->at, r->err, GRADUS_BAD_FORMAT,
                              "'left_children' has %zu items, 'num_nodes' is %llu", left->scalars,
                              (unsigned long long)count);
    if (!gr_array_reserve(&r->nodes, (size_t)count * sizeof(gr_import_node)))
        return gr_fail_memory(r->err, "trees");
    GR_TRY(read_children(r, tree, (size_t)count));
    GR_TRY(refuse_categories(r, tree, (size_t)count));
    GR_TRY(read_numbers(r, tree, (size_t)count));
    return gr_import_tree(&r->trees, r->nodes.at, (size_t)count, output, tree->at, r->err);
}

/* A round of a random forest has several trees for each output. */
static gradus_status count_iterations(reader *r, size_t trees)
{
    const gr_doc_value *parameters;
    uint64_t parallel = 0;

    GR_TRY(gr_doc_optional(&r->document, r->model, "gbtree_model_param", GR_DOC_OBJECT, &parameters,
                           r->err));
    if (parameters)
        GR_TRY(optional_count(r, parameters, "num_parallel_tree", &parallel));
    r->iterations = trees / r->outputs / (parallel > 1 ? (size_t)parallel : 1);
    return GRADUS_OK;
}

static gradus_status read_trees(reader *r)
{
    const gr_doc_value *info, *list, *tree;
    gr_doc_items outputs;

    GR_TRY(gr_doc_member(&r->document, r->model, "trees", GR_DOC_LIST, &list, r->err));
    GR_TRY(gr_doc_member(&r->document, r->model, "tree_info", GR_DOC_LIST, &info, r->err));
    if (list->scalars)
        return gr_import_fail(r->file, list->at, r->err, GRADUS_BAD_FORMAT,
                              "'trees' has items that are not objects");
    GR_TRY(gr_doc_items_of(&r->document, info, "tree_info", list->count, &outputs, r->err));
    GR_TRY(count_iterations(r, list->count));
    tree = gr_doc_first(list);
    for (size_t t = 0; t < list->count; t++, tree = gr_doc_next(tree)) {
        int64_t output = 0;

        GR_TRY(gr_doc_next_integer(&outputs, 0, (int64_t)r->outputs - 1, &output, r->err));
        r->file->tree = t + 1;
        GR_TRY(read_tree(r, tree, (size_t)output));
        r->file->tree = 0;
    }
    return GRADUS_OK;
}

static gradus_status read_booster(reader *r)
{
    const gr_doc_value *root = gr_document_root(&r->document), *booster, *name;
    char text[32];

    GR_TRY(gr_doc_member(&r->document, root, "learner", GR_DOC_OBJECT, &r->learner, r->err));
    GR_TRY(gr_doc_member(&r->document, r->learner, "gradient_booster", GR_DOC_OBJECT, &booster,
                         r->err));
    GR_TRY(gr_doc_member(&r->document, booster, "name", GR_DOC_TEXT, &name, r->err));
    copy_text(r, name, text, sizeof text);
    if (strcmp(text, "gbtree") != 0)
        return gr_import_fail(r->file, name->at, r->err, GRADUS_BAD_ARGUMENT,
                              "the booster is '%s'; only 'gbtree' can be imported", text);
    return gr_doc_member(&r->document, booster, "model", GR_DOC_OBJECT, &r->model, r->err);
}

/* The version of the writer, "1.7.4"; "" if it is not stored. */
static gradus_status read_version(reader *r, char *text, size_t size)
{
    const gr_doc_value *list;
    gr_doc_items items;

    text[0] = '\0';
    GR_TRY(gr_doc_optional(&r->document, gr_document_root(&r->document), "version", GR_DOC_LIST,
                           &list, r->err));
    if (!list)
        return GRADUS_OK;
    GR_TRY(gr_doc_items_of(&r->document, list, "version", SIZE_MAX, &items, r->err));
    for (size_t i = 0; items.left && i < 3; i++) {
        char digits[GRADUS_NUMBER_SIZE];
        int64_t part = 0;

        GR_TRY(gr_doc_next_integer(&items, 0, INT32_MAX, &part, r->err));
        gr_format_count((uint64_t)part, digits);
        gr_text_append(text, size, i ? "." : "");
        gr_text_append(text, size, digits);
    }
    return GRADUS_OK;
}

/* Early stopping stores the best round, counted from 0, but saves all trees. */
static gradus_status add_best_round(const reader *r, gradus_model *model)
{
    const gr_doc_value *attributes, *best;
    const char *at, *end;
    uint64_t round;

    GR_TRY(gr_doc_optional(&r->document, r->learner, "attributes", GR_DOC_OBJECT, &attributes,
                           r->err));
    if (!attributes)
        return GRADUS_OK;
    GR_TRY(gr_doc_optional(&r->document, attributes, "best_iteration", GR_DOC_TEXT, &best, r->err));
    if (!best)
        return GRADUS_OK;
    at = r->file->bytes + best->at;
    end = r->file->bytes + best->end;
    if (gr_parse_count(at, end, &round) != end || round >= r->iterations ||
        round + 1 == r->iterations)
        return GRADUS_OK;
    return gr_model_add_result(model, "best round of early stopping", (double)round + 1, r->err);
}

static gradus_status describe(reader *r, gradus_model *model)
{
    char version[3 * GRADUS_NUMBER_SIZE];

    GR_TRY(read_version(r, version, sizeof version));
    GR_TRY(gr_model_add_setting(model, "imported-from",
                                r->file->binary ? "xgboost-ubj" : "xgboost-json", r->err));
    if (version[0])
        GR_TRY(gr_model_add_setting(model, "version", version, r->err));
    return gr_model_add_setting(model, "objective", r->objective, r->err);
}

static gradus_model *build(reader *r)
{
    const gr_meaning meaning = r->outputs > 1 ? GR_MEANS_CLASSES : GR_MEANS_SCORE;
    gradus_model *model =
        gr_import_model_new("xgboost", r->features, 0, meaning, r->outputs, r->err);
    gr_forest forest = { 0 };

    if (!model)
        return NULL;
    gr_import_names(model, &r->names);
    if (describe(r, model) == GRADUS_OK &&
        gr_import_trees_finish(&r->trees, &forest, r->err) == GRADUS_OK) {
        model = gr_import_forest(model, &forest, r->file, r->err);
        gr_forest_free(&forest);
        if (!model || add_best_round(r, model) == GRADUS_OK)
            return model;
    }
    gr_model_free(model);
    return NULL;
}

static gradus_status read_all(reader *r)
{
    GR_TRY(gr_document_scan(&r->document, r->file, r->err));
    GR_TRY(read_booster(r));
    GR_TRY(read_parameters(r));
    GR_TRY(read_names(r));
    GR_TRY(gr_import_trees_start(&r->trees, r->file, r->features, r->outputs, r->bases, r->err));
    return read_trees(r);
}

/* A binary file of XGBoost before version 2.1. */
static bool is_old_binary(const char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "binf", 4) == 0;
}

/* The first character that is not a space. */
static size_t skip_spaces(const char *bytes, size_t size)
{
    size_t at = 0;

    while (at < size && memchr(" \n\r\t", bytes[at], 4))
        at++;
    return at;
}

static bool has_key(const char *bytes, size_t size, const char *key)
{
    return memmem(bytes, size, key, strlen(key)) != NULL;
}

static bool detect(const char *bytes, size_t size)
{
    const size_t start = skip_spaces(bytes, size);

    if (is_old_binary(bytes, size))
        return true;
    if (start == size || bytes[start] != '{')
        return false;
    /* "learner" is the first or, after a short list, the second member. */
    if (size > 1 && memchr("iUIlL$#", bytes[1], 7))
        return has_key(bytes, size < 256 ? size : 256, "\7learner{");
    return has_key(bytes, size < 256 ? size : 256, "\"learner\"");
}

static gradus_model *read_xgboost(const char *bytes, size_t size, const char *name,
                                  gradus_error *err)
{
    const bool binary = size > 1 && bytes[0] == '{' && memchr("iUIlL$#", bytes[1], 7);
    gr_import_file file = { .name = name, .bytes = bytes, .size = size, .binary = binary };
    reader r = { .file = &file, .err = err };
    gradus_model *model = NULL;

    if (is_old_binary(bytes, size))
        gr_fail(err, GRADUS_BAD_ARGUMENT,
                "%.200s: an XGBoost model in the old binary format; load it in XGBoost and save it "
                "as .json or .ubj",
                name);
    else if (read_all(&r) == GRADUS_OK)
        model = build(&r);
    gr_document_free(&r.document);
    gr_import_trees_free(&r.trees);
    gr_array_free(&r.nodes);
    gr_name_list_free(&r.names);
    free(r.bases);
    return model;
}

const gr_importer gr_importer_xgboost = {
    .about = { .name = "xgboost",
               .summary = "XGBoost, JSON and UBJ, booster gbtree",
               .details = "Scores are margins. DART, linear boosters, categorical splits and "
                          "several targets are refused." },
    .detect = detect,
    .read = read_xgboost,
};
