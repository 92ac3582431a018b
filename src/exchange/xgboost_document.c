/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the model document of XGBoost, as XGBoost 1.7 does. Later versions read it too.
 *
 * Facts that its documentation does not state: the right child must be the left one plus 1; leaf
 * values are split_conditions, but Elasticsearch LTR takes them from base_weights; tree_info must
 * not be a typed array; a float in JSON needs a point or an exponent; the objective needs its
 * parameters. rank:ndcg is an objective without a transformation of scores that every consumer
 * accepts (Elasticsearch LTR refuses reg:squarederror). */
#include "exchange/xgboost_document.h"

#include "base/text.h"
#include "exchange/feature_labels.h"
#include "exchange/flat_tree.h"

#include <math.h>
#include <string.h>

enum { ROOT_PARENT = 2147483647 };

typedef struct document {
    gr_buffer *out;
    bool binary;
    bool holds_some; /* the open list or object already has a value */
} document;

/* The first `size` bytes of a number from the lowest, highest first. */
static void put_bytes(document *doc, uint64_t bits, size_t size)
{
    uint8_t bytes[8];

    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(bits >> 8 * (size - 1 - i));
    gr_buffer_put(doc->out, bytes, size);
}

static void put_size(document *doc, size_t size)
{
    gr_buffer_text(doc->out, "L");
    put_bytes(doc, size, 8);
}

/* What comes before a value: a comma, and the key of an object member. */
static void put_key(document *doc, const char *key)
{
    if (!doc->binary && doc->holds_some)
        gr_buffer_text(doc->out, ",");
    doc->holds_some = true;
    if (!key)
        return;
    if (doc->binary)
        put_size(doc, strlen(key));
    else
        gr_buffer_text(doc->out, "\"");
    gr_buffer_text(doc->out, key);
    if (!doc->binary)
        gr_buffer_text(doc->out, "\":");
}

static void open_object(document *doc, const char *key)
{
    put_key(doc, key);
    gr_buffer_text(doc->out, "{");
    doc->holds_some = false;
}

static void close_object(document *doc)
{
    gr_buffer_text(doc->out, "}");
    doc->holds_some = true;
}

/* The binary form states the number of items instead of an end. */
static void open_list(document *doc, const char *key, size_t items)
{
    put_key(doc, key);
    gr_buffer_text(doc->out, doc->binary ? "[#" : "[");
    if (doc->binary)
        put_size(doc, items);
    doc->holds_some = false;
}

static void close_list(document *doc)
{
    if (!doc->binary)
        gr_buffer_text(doc->out, "]");
    doc->holds_some = true;
}

static void put_text(document *doc, const char *key, const char *text)
{
    put_key(doc, key);
    if (!doc->binary) {
        gr_put_json_text(doc->out, text);
        return;
    }
    gr_buffer_text(doc->out, "S");
    put_size(doc, strlen(text));
    gr_buffer_text(doc->out, text);
}

/* Parameters are strings. */
static void put_count(document *doc, const char *key, size_t count)
{
    char text[GRADUS_NUMBER_SIZE];

    gr_format_count(count, text);
    put_text(doc, key, text);
}

static void put_integer(document *doc, const char *key, size_t number)
{
    put_key(doc, key);
    if (!doc->binary) {
        gr_buffer_count(doc->out, number);
        return;
    }
    gr_buffer_text(doc->out, "l");
    put_bytes(doc, number, 4);
}

void gr_put_json_float(gr_buffer *out, float number)
{
    char text[GRADUS_NUMBER_SIZE];

    gr_format_float(number, text);
    if (isinf(number))
        gr_text_copy(text, sizeof text, number < 0.0f ? "-" : "", "1e39");
    gr_buffer_text(out, text);
    if (!strpbrk(text, ".e"))
        gr_buffer_text(out, ".0");
}

/* Types of array items: the letters of Universal Binary JSON. */
typedef enum item_type { FLOATS = 'd', INTEGERS = 'l', BYTES = 'U', LONGS = 'L' } item_type;

static void open_array(document *doc, const char *key, item_type type, size_t count)
{
    const char letter = (char)type;

    put_key(doc, key);
    gr_buffer_text(doc->out, doc->binary ? "[$" : "[");
    if (doc->binary) {
        gr_buffer_put(doc->out, &letter, 1);
        gr_buffer_text(doc->out, "#");
        put_size(doc, count);
    }
    doc->holds_some = false;
}

static void put_float(document *doc, float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    if (doc->binary)
        put_bytes(doc, bits, 4);
    else
        gr_put_json_float(doc->out, number);
}

static void put_item(document *doc, item_type type, double number)
{
    if (!doc->binary)
        put_key(doc, NULL);
    if (type == FLOATS)
        put_float(doc, (float)number);
    else if (doc->binary)
        put_bytes(doc, (uint64_t)(int64_t)number, type == BYTES ? 1 : 4);
    else
        gr_buffer_format(doc->out, "%lld", (long long)number);
}

/* One property of every node of a tree. */
typedef struct property {
    const char *name;
    item_type type;
    double (*of)(const gr_flat_node *node);
} property;

static double left_of(const gr_flat_node *node)
{
    return node->left;
}
static double right_of(const gr_flat_node *node)
{
    return gr_is_leaf(node) ? -1 : node->left + 1;
}
static double parent_of(const gr_flat_node *node)
{
    return node->parent < 0 ? ROOT_PARENT : node->parent;
}
static double feature_of(const gr_flat_node *node)
{
    return node->feature;
}
static double condition_of(const gr_flat_node *node)
{
    return (double)(gr_is_leaf(node) ? node->value : node->threshold);
}
static double side_of(const gr_flat_node *node)
{
    return node->missing_left;
}
static double type_of(const gr_flat_node *node)
{
    (void)node;
    return 0;
}
static double value_of(const gr_flat_node *node)
{
    return (double)node->value;
}
static double gain_of(const gr_flat_node *node)
{
    return (double)node->gain;
}
static double rows_of(const gr_flat_node *node)
{
    return node->rows;
}

static const property properties[] = {
    { "left_children", INTEGERS, left_of },       { "right_children", INTEGERS, right_of },
    { "parents", INTEGERS, parent_of },           { "split_indices", INTEGERS, feature_of },
    { "split_conditions", FLOATS, condition_of }, { "split_type", BYTES, type_of },
    { "default_left", BYTES, side_of },           { "base_weights", FLOATS, value_of },
    { "loss_changes", FLOATS, gain_of },          { "sum_hessian", FLOATS, rows_of },
};

static const property empty_arrays[] = {
    { "categories", INTEGERS, NULL },
    { "categories_nodes", INTEGERS, NULL },
    { "categories_segments", LONGS, NULL },
    { "categories_sizes", LONGS, NULL },
};

/* A typed array has no end in the binary form, as a list. */
static void put_property(document *doc, const property *p, const gr_flat_tree *tree)
{
    const size_t count = p->of ? tree->count : 0;

    open_array(doc, p->name, p->type, count);
    for (size_t n = 0; n < count; n++)
        put_item(doc, p->type, p->of(&tree->nodes[n]));
    close_list(doc);
}

static void put_tree(document *doc, size_t id, const gr_flat_tree *tree, size_t features)
{
    open_object(doc, NULL);
    put_integer(doc, "id", id);
    open_object(doc, "tree_param");
    put_count(doc, "num_nodes", tree->count);
    put_count(doc, "num_feature", features);
    put_count(doc, "num_deleted", 0);
    put_count(doc, "size_leaf_vector", 0);
    close_object(doc);
    for (size_t p = 0; p < sizeof properties / sizeof *properties; p++)
        put_property(doc, &properties[p], tree);
    for (size_t p = 0; p < sizeof empty_arrays / sizeof *empty_arrays; p++)
        put_property(doc, &empty_arrays[p], tree);
    close_object(doc);
}

static gradus_status put_booster(document *doc, const gr_tree_sum *sum, gradus_error *err)
{
    const size_t trees = sum->forest.trees;
    gr_flat_tree tree = { .count = 0 };
    gradus_status status = GRADUS_OK;

    open_object(doc, "gradient_booster");
    put_text(doc, "name", "gbtree");
    open_object(doc, "model");
    open_object(doc, "gbtree_model_param");
    put_count(doc, "num_trees", trees);
    put_count(doc, "num_parallel_tree", 1);
    put_count(doc, "size_leaf_vector", 0);
    close_object(doc);
    open_list(doc, "tree_info", trees);
    for (size_t t = 0; t < trees; t++)
        put_integer(doc, NULL, 0);
    close_list(doc);
    open_list(doc, "trees", trees);
    for (size_t t = 0; t < trees && status == GRADUS_OK; t++) {
        status = gr_flatten(sum, t, &tree, err);
        if (status == GRADUS_OK)
            put_tree(doc, t, &tree, sum->forest.features);
    }
    gr_flat_tree_free(&tree);
    close_list(doc);
    close_object(doc);
    close_object(doc);
    return status;
}

static void put_features(document *doc, const gradus_model *model)
{
    char made[GRADUS_NUMBER_SIZE];

    open_list(doc, "feature_names", model->features);
    for (size_t f = 0; f < model->features; f++)
        put_text(doc, NULL, gr_feature_label(model, f, made));
    close_list(doc);
    open_list(doc, "feature_types", model->features);
    for (size_t f = 0; f < model->features; f++)
        put_text(doc, NULL, "float");
    close_list(doc);
}

/* XGBoost before version 2 requires lambda_rank_param; later versions have lambdarank_param. */
static void put_objective(document *doc)
{
    open_object(doc, "objective");
    put_text(doc, "name", "rank:ndcg");
    open_object(doc, "lambda_rank_param");
    put_text(doc, "num_pairsample", "1");
    put_text(doc, "fix_list_weight", "0");
    close_object(doc);
    open_object(doc, "lambdarank_param");
    close_object(doc);
    close_object(doc);
}

static gradus_status put_document(document *doc, const gradus_model *model, const gr_tree_sum *sum,
                                  gradus_error *err)
{
    static const uint8_t version[] = { 1, 7, 4 };

    open_object(doc, NULL);
    open_list(doc, "version", sizeof version);
    for (size_t i = 0; i < sizeof version; i++)
        put_integer(doc, NULL, version[i]);
    close_list(doc);
    open_object(doc, "learner");
    open_object(doc, "attributes");
    close_object(doc);
    put_features(doc, model);
    open_object(doc, "learner_model_param");
    put_text(doc, "base_score", "0E0");
    put_text(doc, "boost_from_average", "0");
    put_count(doc, "num_class", 0);
    put_count(doc, "num_feature", model->features);
    put_count(doc, "num_target", 1);
    close_object(doc);
    put_objective(doc);
    GR_TRY(put_booster(doc, sum, err));
    close_object(doc);
    close_object(doc);
    return GRADUS_OK;
}

gradus_status gr_xgboost_write(const gradus_model *model, const char *format, bool binary,
                               gr_buffer *out, gradus_error *err)
{
    document doc = { .out = out, .binary = binary };
    gr_tree_sum sum;

    GR_TRY(gr_feature_labels_check(model, format, err));
    gradus_status status = gr_tree_sum_build(model, format, &sum, err);

    if (status == GRADUS_OK)
        status = gr_tree_sum_fold_base(&sum, model, true, err);
    if (status == GRADUS_OK)
        status = put_document(&doc, model, &sum, err);
    if (status == GRADUS_OK && !binary)
        gr_buffer_text(out, "\n");
    gr_tree_sum_free(&sum);
    return status == GRADUS_OK ? gr_buffer_done(out, err) : status;
}
