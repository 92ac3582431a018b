/* SPDX-License-Identifier: Apache-2.0 */
/* Translates the splits of LightGBM (include/LightGBM/tree.h, NumericalDecision). */
#include "exchange/lightgbm_missing.h"

#include <string.h>

/* Translations may add this many nodes and take this many steps, plus MAX_FACTOR times the nodes of
 * the file. A step need not add a node: copies of long chains of splits that no row can divide would
 * take hours. */
enum { MAX_ADDED = 1 << 22, MAX_STEPS = 1 << 25, MAX_FACTOR = 32 };

static const float zero_bound = 1e-35f; /* kZeroThreshold */

gradus_status gr_lightgbm_reserve(gr_lightgbm_tree *tree, size_t leaves, gradus_error *err)
{
    if (!gr_array_reserve(&tree->split_items, leaves * sizeof *tree->splits) ||
        !gr_array_reserve(&tree->value_items, leaves * sizeof *tree->values) ||
        !gr_array_reserve(&tree->count_items, leaves * sizeof *tree->counts))
        return gr_fail_memory(err, "trees");
    tree->leaves = leaves;
    tree->splits = tree->split_items.at;
    tree->values = tree->value_items.at;
    tree->counts = tree->count_items.at;
    return GRADUS_OK;
}

void gr_lightgbm_tree_free(gr_lightgbm_tree *tree)
{
    gr_array *const arrays[] = { &tree->split_items, &tree->value_items, &tree->count_items,
                                 &tree->nodes,       &tree->ranges,      &tree->copies,
                                 &tree->stack };

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gr_array_free(arrays[i]);
}

/* A split as one cut; or as three, in ascending order, between which values go left, right, left and
 * right. */
typedef struct cuts {
    size_t count;
    float at[3];
    bool missing_left; /* of one cut */
    bool exchanged;    /* of one cut: the children of the split change places */
    bool missing_high; /* of three: NaN goes left between the second and the third cut, not right
                          between the first and the second */
} cuts;

static cuts one_cut(float at, bool missing_left)
{
    return (cuts){ .count = 1, .at = { at }, .missing_left = missing_left };
}

static cuts cuts_of(const gr_lightgbm_split *split)
{
    const float above = gr_float_above(split->threshold);
    const bool missing_left =
        split->missing == GR_LIGHTGBM_NONE ? 0.0 <= split->threshold : split->default_left;
    const float least = -zero_bound, beyond = nextafterf(zero_bound, INFINITY);

    /* `x <= inf`, which separates missing values only, is true of infinity, too; `x < -inf` is the
     * opposite. */
    if (split->missing != GR_LIGHTGBM_ZERO && split->threshold == INFINITY)
        return (cuts){
            .count = 1, .at = { -INFINITY }, .missing_left = !missing_left, .exchanged = true
        };
    if (split->missing != GR_LIGHTGBM_ZERO)
        return one_cut(above, missing_left);
    if (split->default_left) {
        if (above >= least)
            return one_cut(above > beyond ? above : beyond, true);
        return (cuts){ .count = 3, .at = { above, least, beyond }, .missing_high = true };
    }
    if (above <= beyond)
        return one_cut(above < least ? above : least, false);
    return (cuts){ .count = 3, .at = { least, beyond, above }, .missing_high = false };
}

/* Nodes as in the file: splits first, then leaves. */
static void translate_plain(const gr_lightgbm_tree *tree)
{
    const int32_t splits = (int32_t)tree->leaves - 1;
    gr_import_node *nodes = tree->nodes.at;

    for (int32_t i = 0; i < splits; i++) {
        const gr_lightgbm_split *split = &tree->splits[i];
        const cuts cut = cuts_of(split);
        const int32_t left = cut.exchanged ? split->right : split->left;
        const int32_t right = cut.exchanged ? split->left : split->right;

        nodes[i] = (gr_import_node){
            .left = left >= 0 ? left : splits + ~left,
            .right = right >= 0 ? right : splits + ~right,
            .feature = split->feature,
            .missing_left = cut.missing_left,
            .threshold = cut.at[0],
            .gain = split->gain,
        };
    }
    for (size_t l = 0; l < tree->leaves; l++)
        nodes[(size_t)splits + l] = (gr_import_node){
            .left = -1, .right = -1, .value = tree->values[l], .cover = tree->counts[l]
        };
}

/* The values of a feature that can reach a node: low <= value < high, or any from low on, and maybe
 * NaN. */
typedef struct range {
    float low, high;
    bool bounded, missing;
} range;

/* Work to do: visit a node of the file, or put back the range of a feature. */
typedef struct task {
    enum { VISIT, RESTORE } kind;
    int32_t source; /* VISIT: a split, or ~leaf */
    int stage;      /* of a split with three cuts: 0 the middle cut, 1 the lower, 2 the upper */
    int32_t parent; /* VISIT: a new node, whose child this is; -1: none */
    bool is_right;
    bool ranged; /* VISIT: set the range first */
    uint32_t feature;
    range range;
} task;

typedef struct translation {
    gr_lightgbm_tree *tree;
    const gr_import_file *file;
    size_t at, limit, count, waiting, steps_left;
    gradus_error *err;
} translation;

static gradus_status push(translation *t, const task *more)
{
    if (!gr_array_reserve(&t->tree->stack, (t->waiting + 1) * sizeof *more))
        return gr_fail_memory(t->err, "trees");
    ((task *)t->tree->stack.at)[t->waiting++] = *more;
    return GRADUS_OK;
}

static gradus_status too_large(const translation *t)
{
    return gr_import_fail(t->file, t->at, t->err, GRADUS_BAD_ARGUMENT,
                          "splits in which zero is missing ('zero_as_missing') make this tree "
                          "too large for gradus");
}

static gradus_status add_node(translation *t, const task *from, const gr_import_node *node)
{
    if (t->count >= t->limit)
        return too_large(t);
    if (!gr_array_reserve(&t->tree->nodes, (t->count + 1) * sizeof *node))
        return gr_fail_memory(t->err, "trees");
    gr_import_node *nodes = t->tree->nodes.at;

    nodes[t->count] = *node;
    if (from->parent >= 0 && from->is_right)
        nodes[from->parent].right = (int32_t)t->count;
    else if (from->parent >= 0)
        nodes[from->parent].left = (int32_t)t->count;
    t->count++;
    return GRADUS_OK;
}

/* Copies of leaves, then of splits, are counted to share out rows and gains. */
static uint32_t *copies_of(const translation *t, int32_t source)
{
    uint32_t *copies = t->tree->copies.at;

    return &copies[source < 0 ? (size_t)~source : t->tree->leaves + (size_t)source];
}

/* The cut of a stage, and where its sides lead. */
typedef struct step {
    float cut;
    bool missing_left;
    task left, right;
} step;

static step step_of(const gr_lightgbm_split *split, const task *from)
{
    const cuts cut = cuts_of(split);
    step next = { .left = { .source = cut.exchanged ? split->right : split->left },
                  .right = { .source = cut.exchanged ? split->left : split->right } };

    if (cut.count == 1) {
        next.cut = cut.at[0];
        next.missing_left = cut.missing_left;
    } else if (from->stage == 0) {
        next.cut = cut.at[1];
        next.missing_left = !cut.missing_high;
        next.left = (task){ .source = from->source, .stage = 1 };
        next.right = (task){ .source = from->source, .stage = 2 };
    } else {
        next.cut = cut.at[from->stage == 1 ? 0 : 2];
        next.missing_left = cut.missing_high;
    }
    return next;
}

/* Visits a split: adds a node for its cut, unless all rows that reach it go to the same side. */
static gradus_status visit_split(translation *t, const task *from)
{
    const gr_lightgbm_split *split = &t->tree->splits[from->source];
    const range here = ((range *)t->tree->ranges.at)[split->feature];
    step next = step_of(split, from);
    const bool some_left = here.low < next.cut || (here.missing && next.missing_left);
    const bool some_right =
        !here.bounded || here.high > next.cut || (here.missing && !next.missing_left);
    const gr_import_node node = { .feature = split->feature,
                                  .missing_left = next.missing_left,
                                  .threshold = next.cut,
                                  .gain = from->stage == 0 ? split->gain : 0.0f,
                                  .cover = (double)from->source };
    const task restore = { .kind = RESTORE, .feature = split->feature, .range = here };

    next.left.parent = next.right.parent = from->parent;
    next.left.is_right = next.right.is_right = from->is_right;
    if (!some_left || !some_right)
        return push(t, some_left ? &next.left : &next.right);
    if (from->stage == 0)
        ++*copies_of(t, from->source);
    next.left.parent = next.right.parent = (int32_t)t->count;
    next.left.is_right = false;
    next.right.is_right = next.left.ranged = next.right.ranged = true;
    next.left.feature = next.right.feature = split->feature;
    next.left.range = next.right.range = here;
    if (!here.bounded || next.cut < here.high)
        next.left.range.high = next.cut;
    next.left.range.bounded = true;
    next.left.range.missing = here.missing && next.missing_left;
    next.right.range.low = fmaxf(here.low, next.cut);
    next.right.range.missing = here.missing && !next.missing_left;
    GR_TRY(add_node(t, from, &node));
    GR_TRY(push(t, &restore));
    GR_TRY(push(t, &next.right));
    return push(t, &next.left);
}

static gradus_status run_task(translation *t, const task *now)
{
    range *ranges = t->tree->ranges.at;

    if (t->steps_left-- == 0)
        return too_large(t);
    if (now->kind == RESTORE || now->ranged)
        ranges[now->feature] = now->range;
    if (now->kind == RESTORE)
        return GRADUS_OK;
    if (now->source >= 0)
        return visit_split(t, now);
    ++*copies_of(t, now->source);
    return add_node(t, now,
                    &(gr_import_node){ .left = -1,
                                       .right = -1,
                                       .value = t->tree->values[~now->source],
                                       .cover = (double)now->source });
}

/* Divides rows and gains among copies; until now, cover is the source of a node. */
static void share_out(const translation *t)
{
    gr_import_node *nodes = t->tree->nodes.at;

    for (size_t i = 0; i < t->count; i++) {
        const int32_t source = (int32_t)nodes[i].cover;
        const uint32_t copies = *copies_of(t, source);

        nodes[i].cover = 0.0;
        if (source < 0)
            nodes[i].cover = (double)t->tree->counts[~source] / (double)copies;
        else if (copies)
            nodes[i].gain /= (float)copies;
    }
}

/* Whether each split and each leaf has one parent, and the root none; then walks end. */
static bool is_tree(const gr_lightgbm_tree *tree, uint32_t *parents)
{
    const size_t splits = tree->leaves - 1;

    memset(parents, 0, (tree->leaves + splits) * sizeof *parents);
    for (size_t i = 0; i < splits; i++) {
        const int32_t children[2] = { tree->splits[i].left, tree->splits[i].right };

        for (int side = 0; side < 2; side++) {
            const int32_t child = children[side];
            const size_t number = (size_t)(child < 0 ? ~child : child);

            /* The root, split 0, is no child; there is one leaf more than splits. */
            if (child == 0 || number >= (child < 0 ? tree->leaves : splits) ||
                parents[child < 0 ? number : tree->leaves + number]++)
                return false;
        }
    }
    return true;
}

/* Walks the file's tree from the root with the ranges of all features on the way. */
static gradus_status translate_copies(translation *t, size_t features)
{
    gr_lightgbm_tree *tree = t->tree;
    const size_t sources = 2 * tree->leaves - 1;
    const task root = { .kind = VISIT, .source = 0, .parent = -1 };

    if (!gr_array_reserve(&tree->ranges, features * sizeof(range)) ||
        !gr_array_reserve(&tree->copies, sources * sizeof(uint32_t)))
        return gr_fail_memory(t->err, "trees");
    if (!is_tree(tree, tree->copies.at))
        return gr_import_fail(t->file, t->at, t->err, GRADUS_BAD_FORMAT,
                              "a child does not exist or has another parent");
    /* A translation puts back all ranges that it changes. */
    for (; tree->ranged < features; tree->ranged++)
        ((range *)tree->ranges.at)[tree->ranged] = (range){ .low = -INFINITY, .missing = true };
    memset(tree->copies.at, 0, sources * sizeof(uint32_t));
    t->limit =
        MAX_ADDED + MAX_FACTOR * sources - (tree->added < MAX_ADDED ? tree->added : MAX_ADDED);
    const size_t most =
        MAX_STEPS + MAX_FACTOR * sources - (tree->steps < MAX_STEPS ? tree->steps : MAX_STEPS);

    t->steps_left = most;
    GR_TRY(push(t, &root));
    while (t->waiting) {
        const task now = ((task *)tree->stack.at)[--t->waiting];

        GR_TRY(run_task(t, &now));
    }
    share_out(t);
    tree->added += t->count > sources ? t->count - sources : 0;
    tree->steps += most - t->steps_left;
    return GRADUS_OK;
}

gradus_status gr_lightgbm_translate(gr_lightgbm_tree *tree, size_t features,
                                    const gr_import_file *file, size_t at,
                                    const gr_import_node **nodes, size_t *count, gradus_error *err)
{
    translation t = { .tree = tree, .file = file, .at = at, .err = err };
    bool plain = true;

    *count = 2 * tree->leaves - 1;
    for (size_t i = 0; i + 1 < tree->leaves; i++)
        plain = plain && cuts_of(&tree->splits[i]).count == 1;
    if (!gr_array_reserve(&tree->nodes, *count * sizeof(gr_import_node)))
        return gr_fail_memory(err, "trees");
    if (plain) {
        translate_plain(tree);
    } else {
        GR_TRY(translate_copies(&t, features));
        *count = t.count;
    }
    *nodes = tree->nodes.at;
    return GRADUS_OK;
}
