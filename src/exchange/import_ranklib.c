/* SPDX-License-Identifier: Apache-2.0 */
/* Imports models of RankLib: MART, LambdaMART and Random Forests (XML), Coordinate Ascent and Linear
 * Regression (a list of weights); and the trees of QuickRank, which have the same XML.
 *
 * Feature ids start at 1. Values <= threshold go left, and missing values are 0. A tree's output is
 * multiplied by its weight; the ensembles of a random forest are averaged. */
#include "exchange/import_model.h"
#include "exchange/importer.h"
#include "exchange/xml_tokens.h"

#include "base/text.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WEIGHTS = 1 << 20 }; /* features of a linear model, which is stored densely */

typedef enum model_family { TREES, FOREST, WEIGHTS, UNKNOWN } model_family;

static const struct {
    const char *name;
    model_family family;
} rankers[] = {
    { "MART", TREES },
    { "LambdaMART", TREES },
    { "Random Forests", FOREST },
    { "Coordinate Ascent", WEIGHTS },
    { "Linear Regression", WEIGHTS },
    { "RankNet", UNKNOWN },
    { "LambdaRank", UNKNOWN },
    { "ListNet", UNKNOWN },
    { "RankBoost", UNKNOWN },
    { "AdaRank", UNKNOWN },
};
enum { RANKERS = sizeof rankers / sizeof *rankers };

/* A split whose end tag has not been read. */
typedef struct open_split {
    int32_t node;
    unsigned children; /* read so far */
    bool has_feature, has_threshold, has_output;
} open_split;

typedef struct reader {
    const gr_import_file *file;
    gr_xml_reader xml;
    const char *name; /* of the ranker */
    size_t features, ensembles;
    gr_array trees; /* size_t: first node of each tree */
    size_t tree_count;
    gr_array nodes; /* of all trees: gr_import_node, children counted from the first node */
    size_t node_count;
    gr_array open; /* open_split */
    size_t depth;
    double weight; /* of the tree */
    gradus_error *err;
} reader;

static gradus_status fault(const reader *r, size_t at, const char *what)
{
    return gr_import_fail(r->file, at, r->err, GRADUS_BAD_FORMAT, "%s", what);
}

/* The ranker that the first line "## name" names; RANKERS: none. */
static size_t find_ranker(const char *bytes, size_t size)
{
    if (size < 4 || memcmp(bytes, "## ", 3) != 0)
        return RANKERS;
    for (size_t i = 0; i < RANKERS; i++) {
        const size_t length = strlen(rankers[i].name);

        if (size > 3 + length && memcmp(bytes + 3, rankers[i].name, length) == 0 &&
            memchr("\n\r ", bytes[3 + length], 3))
            return i;
    }
    return RANKERS;
}

/* ---- trees ---- */

static gr_import_node *node_at(const reader *r, size_t index)
{
    return (gr_import_node *)r->nodes.at + index;
}

static size_t first_node(const reader *r)
{
    return ((size_t *)r->trees.at)[r->tree_count - 1];
}

static open_split *top(const reader *r)
{
    return (open_split *)r->open.at + r->depth - 1;
}

/* Fails unless the attribute pos, if there is one, agrees with the order. */
static gradus_status check_side(const reader *r, const gr_xml_token *tag, unsigned side)
{
    static const char *const sides[] = { "left", "right" };
    size_t begin, end;

    if (!gr_xml_attribute(&r->xml, tag, "pos", &begin, &end) ||
        (end - begin == strlen(sides[side]) &&
         memcmp(r->file->bytes + begin, sides[side], end - begin) == 0))
        return GRADUS_OK;
    return fault(r, tag->at, "the left part of a split must come first, and then the right one");
}

static gradus_status open_node(reader *r, const gr_xml_token *tag)
{
    if (!gr_array_reserve(&r->nodes, (r->node_count + 1) * sizeof(gr_import_node)) ||
        !gr_array_reserve(&r->open, (r->depth + 1) * sizeof(open_split)))
        return gr_fail_memory(r->err, "trees");
    const size_t own = r->node_count - first_node(r);

    if (own >= INT32_MAX)
        return fault(r, tag->at, "a tree has too many nodes");
    if (r->depth > 0) {
        gr_import_node *parent = node_at(r, first_node(r) + (size_t)top(r)->node);
        const unsigned side = top(r)->children++;

        if (side > 1 || !top(r)->has_feature || !top(r)->has_threshold)
            return fault(r, tag->at, "a split needs a feature, a threshold and two parts");
        GR_TRY(check_side(r, tag, side));
        *(side ? &parent->right : &parent->left) = (int32_t)own;
    } else if (own > 0) {
        return fault(r, tag->at, "a tree has two roots");
    }
    *node_at(r, r->node_count++) = (gr_import_node){ .left = -1, .right = -1 };
    r->depth++;
    *top(r) = (open_split){ .node = (int32_t)own };
    return GRADUS_OK;
}

/* A threshold of infinity sends everything left; `value < threshold` sends everything right. */
static void set_threshold(gr_import_node *node, float threshold)
{
    if (threshold == INFINITY) {
        const int32_t left = node->left;

        node->left = node->right;
        node->right = left;
        node->threshold = -INFINITY;
        node->missing_left = false;
        return;
    }
    node->missing_left = threshold >= 0.0f;
    node->threshold = gr_float_above((double)threshold);
}

static gradus_status close_node(reader *r, const gr_xml_token *tag)
{
    gr_import_node *node;

    if (r->depth == 0)
        return fault(r, tag->at, "a split ends that did not begin");
    node = node_at(r, first_node(r) + (size_t)top(r)->node);
    if (top(r)->has_output ? top(r)->children || top(r)->has_feature : top(r)->children != 2)
        return fault(r, tag->at, "a split has neither an output nor two parts");
    if (!top(r)->has_output)
        set_threshold(node, node->threshold);
    r->depth--;
    return GRADUS_OK;
}

/* Reads the text of an element and its end tag. */
static gradus_status read_text(reader *r, const char *name, gr_xml_token *text)
{
    gr_xml_token end;

    GR_TRY(gr_xml_next(&r->xml, text, r->err));
    if (text->kind != GR_XML_TEXT)
        return fault(r, text->at, "expected a number");
    GR_TRY(gr_xml_next(&r->xml, &end, r->err));
    if (end.kind != GR_XML_CLOSE || !gr_xml_is(&r->xml, &end, name))
        return gr_import_fail(r->file, end.at, r->err, GRADUS_BAD_FORMAT, "expected </%s>", name);
    return GRADUS_OK;
}

static gradus_status read_feature(reader *r)
{
    gr_xml_token text;
    uint64_t id;

    GR_TRY(read_text(r, "feature", &text));
    const char *end = r->file->bytes + text.end;

    if (gr_parse_count(r->file->bytes + text.begin, end, &id) != end || id == 0 ||
        id > UINT32_MAX - 1)
        return fault(r, text.at, "the id of a feature is not a count from 1 on");
    node_at(r, first_node(r) + (size_t)top(r)->node)->feature = (uint32_t)(id - 1);
    r->features = id > r->features ? (size_t)id : r->features;
    top(r)->has_feature = true;
    return GRADUS_OK;
}

static gradus_status read_float(reader *r, const char *name, float *number)
{
    gr_xml_token text;

    GR_TRY(read_text(r, name, &text));
    const char *end = r->file->bytes + text.end;

    if (gr_parse_float(r->file->bytes + text.begin, end, number) != end || isnan(*number))
        return fault(r, text.at, "expected a number");
    return GRADUS_OK;
}

/* A tag within a split. */
static gradus_status read_part(reader *r, const gr_xml_token *tag)
{
    open_split *split = top(r);
    gr_import_node *node = node_at(r, first_node(r) + (size_t)split->node);
    float number = 0.0f;

    if (gr_xml_is(&r->xml, tag, "split"))
        return open_node(r, tag);
    if (split->children || split->has_output)
        return fault(r, tag->at, "unexpected tag after the output or a part of a split");
    if (gr_xml_is(&r->xml, tag, "feature") && !split->has_feature)
        return read_feature(r);
    if (gr_xml_is(&r->xml, tag, "threshold") && !split->has_threshold) {
        GR_TRY(read_float(r, "threshold", &node->threshold));
        split->has_threshold = true;
        return GRADUS_OK;
    }
    if (!gr_xml_is(&r->xml, tag, "output"))
        return fault(r, tag->at, "unknown or repeated tag in a split");
    GR_TRY(read_float(r, "output", &number));
    node->value = r->weight * (double)number;
    if (!(fabs(node->value) <= (double)FLT_MAX / 2))
        return fault(r, tag->at, "the output is not finite or too large");
    split->has_output = true;
    return GRADUS_OK;
}

/* The nodes of a tree, after its start tag and including its end tag. */
static gradus_status read_tree(reader *r, const gr_xml_token *tree)
{
    size_t begin, end;
    float weight = 1.0f;

    if (gr_xml_attribute(&r->xml, tree, "weight", &begin, &end) &&
        (gr_parse_float(r->file->bytes + begin, r->file->bytes + end, &weight) !=
             r->file->bytes + end ||
         !isfinite(weight)))
        return fault(r, begin, "the weight of a tree is not a number");
    r->weight = (double)weight;
    if (!gr_array_reserve(&r->trees, (r->tree_count + 1) * sizeof(size_t)))
        return gr_fail_memory(r->err, "trees");
    ((size_t *)r->trees.at)[r->tree_count++] = r->node_count;
    for (;;) {
        gr_xml_token token;

        GR_TRY(gr_xml_next(&r->xml, &token, r->err));
        if (token.kind == GR_XML_CLOSE && r->depth > 0 && gr_xml_is(&r->xml, &token, "split"))
            GR_TRY(close_node(r, &token));
        else if (token.kind == GR_XML_CLOSE && r->depth == 0 && gr_xml_is(&r->xml, &token, "tree"))
            return r->node_count > first_node(r) ? GRADUS_OK
                                                 : fault(r, token.at, "a tree without nodes");
        else if (token.kind == GR_XML_OPEN && r->depth > 0)
            GR_TRY(read_part(r, &token));
        else if (token.kind == GR_XML_OPEN && gr_xml_is(&r->xml, &token, "split"))
            GR_TRY(open_node(r, &token));
        else
            return fault(r, token.at,
                         token.kind == GR_XML_END ? "the file ends within a tree"
                                                  : "unexpected tag or text in a tree");
    }
}

static gradus_status read_ensemble(reader *r)
{
    for (;;) {
        gr_xml_token token;

        GR_TRY(gr_xml_next(&r->xml, &token, r->err));
        if (token.kind == GR_XML_CLOSE && gr_xml_is(&r->xml, &token, "ensemble"))
            break;
        if (token.kind != GR_XML_OPEN || !gr_xml_is(&r->xml, &token, "tree"))
            return fault(r, token.at,
                         token.kind == GR_XML_END ? "the file ends within an ensemble"
                                                  : "expected <tree> or </ensemble>");
        GR_TRY(read_tree(r, &token));
    }
    r->ensembles++;
    return GRADUS_OK;
}

/* Everything outside of <ensemble> is ignored: QuickRank writes <ranker> and <info>. */
static gradus_status read_ensembles(reader *r, bool several)
{
    gr_xml_token token = { .kind = GR_XML_TEXT };

    while (token.kind != GR_XML_END) {
        GR_TRY(gr_xml_next(&r->xml, &token, r->err));
        if (token.kind != GR_XML_OPEN || !gr_xml_is(&r->xml, &token, "ensemble"))
            continue;
        if (r->ensembles > 0 && !several)
            return fault(r, token.at, "a second ensemble; only random forests have several");
        GR_TRY(read_ensemble(r));
    }
    if (r->tree_count == 0)
        return fault(r, token.at, "the file has no trees");
    return GRADUS_OK;
}

static gradus_status build_trees(reader *r, gr_forest *forest)
{
    const double zero = 0.0;
    gr_import_trees trees;
    gradus_status status = gr_import_trees_start(&trees, r->file, r->features, 1, &zero, r->err);

    for (size_t t = 0; t < r->tree_count && status == GRADUS_OK; t++) {
        const size_t *starts = r->trees.at;
        const size_t end = t + 1 < r->tree_count ? starts[t + 1] : r->node_count;

        for (size_t i = starts[t]; i < end && r->ensembles > 1; i++)
            node_at(r, i)->value /= (double)r->ensembles;
        status = gr_import_tree(&trees, node_at(r, starts[t]), end - starts[t], 0, 0, r->err);
    }
    if (status == GRADUS_OK)
        status = gr_import_trees_finish(&trees, forest, r->err);
    gr_import_trees_free(&trees);
    return status;
}

static gradus_model *new_model(const reader *r)
{
    gradus_model *model = gr_import_model_new("ranklib", r->features, 1, GR_MEANS_SCORE, 1, r->err);

    if (model && (gr_model_add_setting(model, "imported-from", "ranklib", r->err) != GRADUS_OK ||
                  gr_model_add_setting(model, "ranker", r->name, r->err) != GRADUS_OK)) {
        gr_model_free(model);
        return NULL;
    }
    return model;
}

static gradus_model *import_trees(reader *r, bool several)
{
    gradus_model *model = NULL;
    gr_forest forest = { 0 };

    if (read_ensembles(r, several) == GRADUS_OK && build_trees(r, &forest) == GRADUS_OK &&
        (model = new_model(r)))
        model = gr_import_forest(model, &forest, r->file, r->err);
    gr_forest_free(&forest);
    return model;
}

/* ---- weights ---- */

/* Moves to the line of weights: the first that is neither empty nor a comment. */
static gradus_status find_weights(const reader *r, size_t *at, size_t *end)
{
    const char *bytes = r->file->bytes;

    for (*at = 0; *at < r->file->size; *at = *end + 1) {
        const char *newline = memchr(bytes + *at, '\n', r->file->size - *at);

        *end = newline ? (size_t)(newline - bytes) : r->file->size;
        while (*at < *end && memchr(" \t\r", bytes[*at], 3))
            (*at)++;
        if (*at < *end && bytes[*at] != '#')
            return GRADUS_OK;
    }
    return fault(r, r->file->size, "the file has no weights");
}

/* Reads "id:weight" at *at, and the spaces behind it. */
static gradus_status next_weight(const reader *r, size_t *at, size_t end, uint64_t *id,
                                 double *weight)
{
    const char *bytes = r->file->bytes, *stop = bytes + end;
    const char *colon = gr_parse_count(bytes + *at, stop, id), *next = NULL;

    if (colon && colon < stop && *colon == ':')
        next = gr_parse_double(colon + 1, stop, weight);
    if (!next || (next < stop && !memchr(" \t\r#", *next, 4)) || !isfinite(*weight))
        return fault(r, *at, "expected a feature id, a colon and a weight");
    if (*id > MAX_WEIGHTS)
        return gr_import_fail(r->file, *at, r->err, GRADUS_BAD_ARGUMENT,
                              "feature %llu is too large for a linear model; at most %d is allowed",
                              (unsigned long long)*id, MAX_WEIGHTS);
    while (next < stop && memchr(" \t\r", *next, 3))
        next++;
    *at = next < stop && *next == '#' ? end : (size_t)(next - bytes);
    return GRADUS_OK;
}

static gradus_status read_weights(reader *r, gr_linear *linear)
{
    size_t begin = 0, end = 0;
    uint64_t id = 0;
    double weight = 0.0;
    bool *seen;

    GR_TRY(find_weights(r, &begin, &end));
    for (size_t at = begin; at < end;) {
        GR_TRY(next_weight(r, &at, end, &id, &weight));
        r->features = id > r->features ? (size_t)id : r->features;
    }
    if (r->features == 0)
        return fault(r, begin, "the model has no features");
    seen = gr_new_array(r->features + 1, sizeof *seen);
    if (!seen)
        return gr_fail_memory(r->err, "weights");
    gradus_status status = gr_linear_new(linear, r->features, 1, r->err);
    double *coefficients = (double *)(uintptr_t)linear->coefficients;

    /* The spread of features is unknown; equal ones rank them by their weights. */
    for (size_t f = 0; f < r->features && status == GRADUS_OK; f++)
        ((double *)(uintptr_t)linear->spreads)[f] = 1.0;
    for (size_t at = begin; at < end && status == GRADUS_OK;) {
        const size_t start = at;

        status = next_weight(r, &at, end, &id, &weight);
        if (status == GRADUS_OK && seen[id])
            status = fault(r, start, "a feature has two weights");
        if (status != GRADUS_OK)
            break;
        seen[id] = true;
        if (id == 0)
            ((double *)(uintptr_t)linear->bases)[0] = weight;
        else
            coefficients[id - 1] = weight;
    }
    free(seen);
    return status;
}

static gradus_model *import_weights(reader *r)
{
    gr_linear linear = { 0 };
    gradus_model *model = NULL;

    if (read_weights(r, &linear) == GRADUS_OK && (model = new_model(r)))
        model = gr_import_linear(model, &linear, r->file, r->err);
    gr_linear_free(&linear);
    return model;
}

/* ---- the importer ---- */

/* Data files may start with a comment, too: comments must be followed by trees or weights. */
static bool detect(const char *bytes, size_t size)
{
    const size_t ranker = find_ranker(bytes, size);

    if (ranker < RANKERS)
        return rankers[ranker].family > FOREST || memmem(bytes, size, "<ensemble>", 10);
    return size > 0 && bytes[0] == '<' && memmem(bytes, size, "<ensemble>", 10) &&
           memmem(bytes, size, "<tree ", 6);
}

static gradus_model *read_ranklib(const char *bytes, size_t size, const char *name,
                                  gradus_error *err)
{
    const gr_import_file file = { .name = name, .bytes = bytes, .size = size };
    const size_t ranker = find_ranker(bytes, size);
    const model_family family = ranker < RANKERS ? rankers[ranker].family : TREES;
    reader r = { .file = &file,
                 .xml = { .file = &file },
                 .name = ranker < RANKERS ? rankers[ranker].name : "QuickRank",
                 .err = err };
    gradus_model *model = NULL;

    if (family == UNKNOWN)
        gr_import_fail(&file, 3, err, GRADUS_BAD_ARGUMENT,
                       "models of '%s' cannot be imported; MART, LambdaMART, Random Forests, "
                       "Coordinate Ascent and Linear Regression can",
                       r.name);
    else
        model = family == WEIGHTS ? import_weights(&r) : import_trees(&r, family == FOREST);
    gr_array_free(&r.trees);
    gr_array_free(&r.nodes);
    gr_array_free(&r.open);
    return model;
}

const gr_importer gr_importer_ranklib = {
    .about = { .name = "ranklib",
               .summary = "RankLib: MART, LambdaMART, Random Forests, Coordinate Ascent",
               .details = "Linear Regression and the trees of QuickRank are read too." },
    .detect = detect,
    .read = read_ranklib,
};
