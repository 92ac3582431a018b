/* SPDX-License-Identifier: Apache-2.0 */
/* One tree as text or JSON. Trees may be as deep as they have leaves, so nothing here is recursive.
 */
#include "cmd_show.h"

#include <math.h>
#include <stdlib.h>

/* A node still to be shown. */
typedef struct waiting {
    size_t node;
    size_t indent; /* bytes of the prefix before its branch */
    enum { ROOT, YES, NO } branch;
} waiting;

typedef struct stack {
    waiting *at;
    size_t count, capacity;
} stack;

static void push(stack *s, waiting one)
{
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 64;
        waiting *more = must_have(capacity, sizeof *more);

        for (size_t i = 0; i < s->count; i++)
            more[i] = s->at[i];
        free(s->at);
        s->at = more;
        s->capacity = capacity;
    }
    s->at[s->count++] = one;
}

/* leaf: the number, from 1, of a leaf of a model tree; 0: not a leaf, or not a model tree. */
static void add_node(text *t, const shown *s, const gradus_tree_node *node, size_t leaf)
{
    if (node->votes) {
        text_add(t, "=");
        for (size_t k = 0; k < s->facts.outputs; k++)
            text_format(t, " %+.4g", (double)node->votes[k]);
    } else if (leaf) {
        text_format(t, "LM%zu", leaf);
    } else if (node->is_leaf) {
        text_format(t, "= %.6g", node->value + 0.0);
    } else if (has_models(s)) {
        add_variable_name(t, s->model, node->feature);
        text_format(t, " <= %.6g", (double)nextafterf(node->threshold, -INFINITY));
    } else {
        add_feature_name(t, s->model, node->feature);
        text_format(t, " < %.6g%s", (double)node->threshold,
                    node->missing_left ? " or missing" : "");
    }
    if (node->rows)
        text_format(t, "  (%s %s", with_commas(node->rows), plural(node->rows, "row", "rows"));
    if (!node->is_leaf)
        text_format(t, "%sgain %.4g", node->rows ? ", " : "  (", node->gain);
    text_add(t, node->rows || !node->is_leaf ? ")\n" : "\n");
}

static void add_nodes(text *t, const shown *s, size_t tree)
{
    static const char *const branches[2][3] = { { "", "|- yes  ", "`- no   " },
                                                { "", "├─ yes  ", "└─ no   " } };
    const bool utf8 = locale_is_utf8();
    text prefix = { NULL, 0, 0 };
    stack left = { NULL, 0, 0 };
    gradus_tree_node node;
    size_t leaves = 0;

    push(&left, (waiting){ 0, 0, ROOT });
    while (left.count) {
        const waiting now = left.at[--left.count];

        if (!gradus_model_tree_at(s->model, tree, now.node, &node))
            break;
        prefix.length = now.indent;
        text_add_bytes(t, text_string(&prefix), prefix.length);
        text_add(t, branches[utf8][now.branch]);
        leaves += node.is_leaf;
        add_node(t, s, &node, node.is_leaf && has_models(s) ? leaves : 0);
        if (node.is_leaf)
            continue;
        text_add(&prefix, now.branch == ROOT  ? ""
                          : now.branch != YES ? "   "
                          : utf8              ? "│  "
                                              : "|  ");
        push(&left, (waiting){ node.right, prefix.length, NO });
        push(&left, (waiting){ node.left, prefix.length, YES });
    }
    free(left.at);
    text_free(&prefix);
}

/* The stumps in sequence, and the votes of rows below an even number of their thresholds. */
static void add_product(text *t, const shown *s, size_t product)
{
    gradus_tree_node node;

    for (size_t i = 0; gradus_model_tree_at(s->model, product, i, &node); i++)
        add_node(t, s, &node, 0);
}

bool add_tree(text *t, const shown *s, size_t number)
{
    const size_t outputs = s->facts.voters ? 1 : s->facts.outputs ? s->facts.outputs : 1;
    gradus_tree_node root;

    if (number == 0 || !gradus_model_tree_at(s->model, number - 1, 0, &root))
        return false;
    text_format(t, "%s %s of ", s->facts.products ? "product" : "tree", with_commas(number));
    text_format(t, "%s: round %s", with_commas(s->facts.trees + s->facts.voters),
                with_commas((number - 1) / outputs + 1));
    if (s->facts.voters)
        text_format(t, "; votes on %zu grades%s", s->facts.outputs,
                    s->facts.products ? ", negated below an odd number of thresholds" : "");
    if (outputs > 1)
        text_format(t, ", output %zu of %zu", (number - 1) % outputs + 1, outputs);
    text_add(t, "\n");
    if (s->facts.products) {
        add_product(t, s, number - 1);
        return true;
    }
    add_nodes(t, s, number - 1);
    add_leaf_models(t, s, number - 1);
    return true;
}

/* An array of nodes that refer to each other by index. */
bool json_tree(json *j, const shown *s, size_t number)
{
    gradus_tree_node node;

    if (number == 0 || !gradus_model_tree_at(s->model, number - 1, 0, &node))
        return false;
    json_open(j, "tree", '[');
    for (size_t i = 0; gradus_model_tree_at(s->model, number - 1, i, &node); i++) {
        json_open(j, NULL, '{');
        if (node.votes) {
            json_open(j, "votes", '[');
            for (size_t k = 0; k < s->facts.outputs; k++)
                json_number(j, NULL, (double)node.votes[k]);
            json_close(j, ']');
        } else if (node.is_leaf) {
            json_number(j, "value", node.value);
            json_leaf_model(j, s, number - 1, i);
        } else {
            json_count(j, "feature", node.feature + gradus_model_first_id(s->model));
            json_number(j, "threshold", (double)node.threshold);
            json_bool(j, "missing_left", node.missing_left);
            json_number(j, "gain", node.gain);
            json_count(j, "left", node.left);
            json_count(j, "right", node.right);
        }
        json_count(j, "rows", node.rows);
        json_close(j, '}');
    }
    json_close(j, ']');
    return true;
}
