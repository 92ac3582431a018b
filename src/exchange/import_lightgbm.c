/* SPDX-License-Identifier: Apache-2.0 */
/* Imports models of LightGBM: the text files that Booster.save_model writes (versions v2 to v4).
 * Scores are raw scores. `x <= T` in double becomes `x < t` for the smallest float t above T, which is
 * the same for every float; lightgbm_missing.c translates the rules for missing values. */
#include "exchange/import_model.h"
#include "exchange/importer.h"
#include "exchange/lightgbm_missing.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The values after "name=" in the lines of the header or of a tree. */
typedef struct field {
    const char *name;
    size_t at, end; /* 0, 0: absent */
} field;

enum {
    VERSION,
    NUM_CLASS,
    TREES_PER_ITERATION,
    MAX_FEATURE,
    OBJECTIVE,
    FEATURE_NAMES,
    TREE_SIZES,
    AVERAGE_OUTPUT,
    HEADER_FIELDS
};
enum {
    TREE,
    NUM_LEAVES,
    NUM_CAT,
    SPLIT_FEATURE,
    SPLIT_GAIN,
    THRESHOLD,
    DECISION_TYPE,
    LEFT_CHILD,
    RIGHT_CHILD,
    LEAF_VALUE,
    LEAF_COUNT,
    IS_LINEAR,
    TREE_FIELDS
};

static const field header_fields[HEADER_FIELDS] = {
    { "version", 0, 0 },         { "num_class", 0, 0 },     { "num_tree_per_iteration", 0, 0 },
    { "max_feature_idx", 0, 0 }, { "objective", 0, 0 },     { "feature_names", 0, 0 },
    { "tree_sizes", 0, 0 },      { "average_output", 0, 0 }
};
static const field tree_fields[TREE_FIELDS] = {
    { "Tree", 0, 0 },          { "num_leaves", 0, 0 }, { "num_cat", 0, 0 },
    { "split_feature", 0, 0 }, { "split_gain", 0, 0 }, { "threshold", 0, 0 },
    { "decision_type", 0, 0 }, { "left_child", 0, 0 }, { "right_child", 0, 0 },
    { "leaf_value", 0, 0 },    { "leaf_count", 0, 0 }, { "is_linear", 0, 0 },
};

typedef struct reader {
    gr_import_file *file;
    size_t at; /* start of the next line */
    field header[HEADER_FIELDS], tree[TREE_FIELDS];
    size_t features, outputs;
    gr_meaning meaning;
    size_t tree_count;
    double scale; /* of leaf values: 1, or 1 / iterations of a random forest */
    gr_import_trees trees;
    gr_lightgbm_tree nodes;
    gr_name_list names;
    gradus_error *err;
} reader;

typedef struct text_line {
    size_t at, end; /* without the end of line */
} text_line;

static bool next_line(reader *r, text_line *line)
{
    const char *bytes = r->file->bytes, *newline;

    if (r->at >= r->file->size)
        return false;
    newline = memchr(bytes + r->at, '\n', r->file->size - r->at);
    line->at = r->at;
    line->end = newline ? (size_t)(newline - bytes) : r->file->size;
    r->at = line->end + 1;
    if (line->end > line->at && bytes[line->end - 1] == '\r')
        line->end--;
    return true;
}

static bool starts_with(const reader *r, const text_line *line, const char *text)
{
    const size_t length = strlen(text);

    return line->end - line->at >= length && memcmp(r->file->bytes + line->at, text, length) == 0;
}

static gradus_status fault(const reader *r, size_t at, const char *what)
{
    return gr_import_fail(r->file, at, r->err, GRADUS_BAD_FORMAT, "%s", what);
}

/* Stores the value of a line "name=value", or of a line that is a name; other names are ignored. */
static gradus_status store_field(const reader *r, const text_line *line, field *fields,
                                 size_t count)
{
    const char *begin = r->file->bytes + line->at;
    const size_t size = line->end - line->at;
    const char *equals = memchr(begin, '=', size);
    const size_t length = equals ? (size_t)(equals - begin) : size;

    for (size_t i = 0; i < count; i++) {
        if (strlen(fields[i].name) != length || memcmp(fields[i].name, begin, length) != 0)
            continue;
        if (fields[i].end)
            return gr_import_fail(r->file, line->at, r->err, GRADUS_BAD_FORMAT, "'%s' occurs twice",
                                  fields[i].name);
        fields[i].at = line->at + length + (equals != NULL);
        fields[i].end = line->end;
    }
    return GRADUS_OK;
}

static gradus_status need_field(const reader *r, const field *wanted, size_t at)
{
    if (wanted->end)
        return GRADUS_OK;
    return gr_import_fail(r->file, at, r->err, GRADUS_BAD_FORMAT, "'%s' is missing", wanted->name);
}

static gradus_status read_count(const reader *r, const field *from, uint64_t most, uint64_t *count)
{
    const char *end = r->file->bytes + from->end;

    if (gr_parse_count(r->file->bytes + from->at, end, count) != end || *count > most)
        return gr_import_fail(r->file, from->at, r->err, GRADUS_BAD_FORMAT,
                              "'%s' is not a count up to %llu", from->name,
                              (unsigned long long)most);
    return GRADUS_OK;
}

/* The items of a list separated by spaces, one after the other. */
typedef struct items {
    const reader *reader;
    const field *field;
    size_t at;
} items;

static items items_of(const reader *r, const field *list)
{
    return (items){ r, list, list->at };
}

static void skip_spaces(items *list)
{
    while (list->at < list->field->end && list->reader->file->bytes[list->at] == ' ')
        list->at++;
}

static gradus_status too_few(const items *list)
{
    return gr_import_fail(list->reader->file, list->at, list->reader->err, GRADUS_BAD_FORMAT,
                          "'%s' has too few numbers, or one that is not valid", list->field->name);
}

static gradus_status next_real(items *list, double *number)
{
    const char *bytes = list->reader->file->bytes, *end = bytes + list->field->end, *next;

    skip_spaces(list);
    next = gr_parse_double(bytes + list->at, end, number);
    if (!next || (next < end && *next != ' '))
        return too_few(list);
    list->at = (size_t)(next - bytes);
    return GRADUS_OK;
}

static gradus_status next_integer(items *list, int64_t least, int64_t most, int64_t *number)
{
    const char *bytes = list->reader->file->bytes, *end = bytes + list->field->end, *next;
    uint64_t size = 0;
    bool negative;

    skip_spaces(list);
    negative = list->at < list->field->end && bytes[list->at] == '-';
    next = gr_parse_count(bytes + list->at + negative, end, &size);
    if (!next || (next < end && *next != ' '))
        return too_few(list);
    *number = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    *number = negative ? -*number : *number;
    if (*number < least || *number > most)
        return gr_import_fail(list->reader->file, list->at, list->reader->err, GRADUS_BAD_FORMAT,
                              "'%s': %lld is out of range; allowed are %lld to %lld",
                              list->field->name, (long long)*number, (long long)least,
                              (long long)most);
    list->at = (size_t)(next - bytes);
    return GRADUS_OK;
}

static gradus_status no_more(items *list)
{
    skip_spaces(list);
    if (list->at == list->field->end)
        return GRADUS_OK;
    return gr_import_fail(list->reader->file, list->at, list->reader->err, GRADUS_BAD_FORMAT,
                          "'%s' has too many numbers", list->field->name);
}

static gradus_status read_header(reader *r)
{
    text_line line;

    memcpy(r->header, header_fields, sizeof r->header);
    if (!next_line(r, &line) || !starts_with(r, &line, "tree"))
        return fault(r, 0, "expected 'tree'");
    while (next_line(r, &line)) {
        if (starts_with(r, &line, "Tree=") || starts_with(r, &line, "end of trees")) {
            r->at = line.at;
            return GRADUS_OK;
        }
        GR_TRY(store_field(r, &line, r->header, HEADER_FIELDS));
    }
    return fault(r, r->file->size, "the file ends before the first tree");
}

static gradus_status check_version(const reader *r)
{
    const field *version = &r->header[VERSION];
    const char *text = r->file->bytes + version->at;
    const size_t length = version->end - version->at;

    if (length == 2 && text[0] == 'v' && text[1] >= '2' && text[1] <= '4')
        return GRADUS_OK;
    return gr_import_fail(r->file, version->at, r->err, GRADUS_BAD_ARGUMENT,
                          "this version of the format is unknown; allowed are v2, v3 and v4");
}

/* Whether the objective is `name`, possibly with parameters. */
static bool objective_is(const reader *r, const char *name)
{
    const field *objective = &r->header[OBJECTIVE];
    const size_t length = strlen(name), size = objective->end - objective->at;
    const char *text = r->file->bytes + objective->at;

    return size >= length && memcmp(text, name, length) == 0 &&
           (size == length || text[length] == ' ');
}

/* Outputs of several classes: their softmax, or the odds of each class against the others. */
static gradus_status find_meaning(reader *r)
{
    const field *objective = &r->header[OBJECTIVE];
    const size_t size = objective->end - objective->at;

    r->meaning = GR_MEANS_SCORE;
    if (r->outputs == 1)
        return GRADUS_OK;
    r->meaning = GR_MEANS_CLASSES;
    if (objective_is(r, "multiclass"))
        return GRADUS_OK;
    r->meaning = GR_MEANS_EACH_ODDS;
    if (!objective_is(r, "multiclassova"))
        return gr_import_fail(r->file, objective->at, r->err, GRADUS_BAD_ARGUMENT,
                              "the %zu outputs of this objective have no known meaning",
                              r->outputs);
    const char *text = r->file->bytes + objective->at;
    const char *sigmoid = memmem(text, size, "sigmoid:", 8);
    double factor = 1.0;

    if (sigmoid && (!gr_parse_double(sigmoid + 8, text + size, &factor) || factor != 1.0))
        return gr_import_fail(r->file, objective->at, r->err, GRADUS_BAD_ARGUMENT,
                              "'multiclassova' with a sigmoid parameter other than 1 cannot be "
                              "imported");
    return GRADUS_OK;
}

static gradus_status read_names(reader *r)
{
    const field *list = &r->header[FEATURE_NAMES];
    const char *at = r->file->bytes + list->at, *end = r->file->bytes + list->end;

    if (memchr(at, '\0', (size_t)(end - at)))
        return fault(r, list->at, "NUL in the name of a feature");
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        const char *stop = space ? space : end;

        if (stop > at && !gr_name_list_add(&r->names, at, (size_t)(stop - at)))
            return gr_fail_memory(r->err, "the names of features");
        at = stop + (space != NULL);
    }
    if (r->names.count != r->features)
        return gr_import_fail(r->file, list->at, r->err, GRADUS_BAD_FORMAT,
                              "%zu names for %zu features", r->names.count, r->features);
    return GRADUS_OK;
}

static gradus_status use_header(reader *r)
{
    static const unsigned needed[] = { VERSION, NUM_CLASS, TREES_PER_ITERATION, MAX_FEATURE,
                                       FEATURE_NAMES };
    const double zeros[GR_MAX_LEVELS] = { 0.0 };
    uint64_t classes = 0, outputs = 0, last = 0;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        GR_TRY(need_field(r, &r->header[needed[i]], 0));
    GR_TRY(check_version(r));
    GR_TRY(read_count(r, &r->header[NUM_CLASS], GR_MAX_LEVELS, &classes));
    GR_TRY(read_count(r, &r->header[TREES_PER_ITERATION], GR_MAX_LEVELS, &outputs));
    GR_TRY(read_count(r, &r->header[MAX_FEATURE], UINT32_MAX - 1, &last));
    if (outputs == 0 || classes != outputs)
        return gr_import_fail(r->file, r->header[TREES_PER_ITERATION].at, r->err, GRADUS_BAD_FORMAT,
                              "%llu trees per iteration for %llu classes",
                              (unsigned long long)outputs, (unsigned long long)classes);
    r->outputs = (size_t)outputs;
    r->features = (size_t)last + 1;
    GR_TRY(find_meaning(r));
    GR_TRY(read_names(r));
    return gr_import_trees_start(&r->trees, r->file, r->features, r->outputs, zeros, r->err);
}

/* The splits of a tree with `leaves` leaves. */
static gradus_status read_splits(reader *r, size_t leaves)
{
    const size_t splits = leaves - 1;
    const field *fields = r->tree;
    items feature = items_of(r, &fields[SPLIT_FEATURE]), gain = items_of(r, &fields[SPLIT_GAIN]);
    items threshold = items_of(r, &fields[THRESHOLD]), type = items_of(r, &fields[DECISION_TYPE]);
    items left = items_of(r, &fields[LEFT_CHILD]), right = items_of(r, &fields[RIGHT_CHILD]);
    items *const all[] = { &feature, &threshold, &type, &left, &right };

    for (size_t i = 0; i < splits; i++) {
        gr_lightgbm_split *split = &r->nodes.splits[i];
        int64_t bits = 0, at = 0;
        double number = 0.0;

        GR_TRY(next_integer(&feature, 0, (int64_t)r->features - 1, &at));
        split->feature = (uint32_t)at;
        GR_TRY(next_integer(&type, 0, 15, &bits));
        if (bits & 1)
            return gr_import_fail(r->file, feature.at, r->err, GRADUS_BAD_ARGUMENT,
                                  "feature %u is split by categories, which gradus cannot hold",
                                  split->feature);
        split->default_left = (bits & 2) != 0;
        split->missing = (gr_lightgbm_missing)(bits >> 2);
        GR_TRY(next_real(&threshold, &split->threshold));
        if (split->missing > GR_LIGHTGBM_NAN || isnan(split->threshold))
            return fault(r, threshold.at,
                         "a threshold is NaN, or the type of missing values unknown");
        GR_TRY(next_integer(&left, -(int64_t)leaves, (int64_t)splits - 1, &at));
        split->left = (int32_t)at;
        GR_TRY(next_integer(&right, -(int64_t)leaves, (int64_t)splits - 1, &at));
        split->right = (int32_t)at;
        if (fields[SPLIT_GAIN].end)
            GR_TRY(next_real(&gain, &number));
        split->gain = number < 1e38 ? (float)number : 0.0f;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        GR_TRY(no_more(all[i]));
    return GRADUS_OK;
}

static gradus_status read_leaves(reader *r, size_t leaves)
{
    const bool counted = r->tree[LEAF_COUNT].end > r->tree[LEAF_COUNT].at;
    items value = items_of(r, &r->tree[LEAF_VALUE]), count = items_of(r, &r->tree[LEAF_COUNT]);

    for (size_t i = 0; i < leaves; i++) {
        int64_t rows = 0;

        GR_TRY(next_real(&value, &r->nodes.values[i]));
        r->nodes.values[i] *= r->scale;
        if (counted)
            GR_TRY(next_integer(&count, 0, UINT32_MAX, &rows));
        r->nodes.counts[i] = (uint32_t)rows;
    }
    return no_more(&value);
}

static gradus_status use_tree(reader *r)
{
    static const unsigned needed[] = { SPLIT_FEATURE, THRESHOLD, DECISION_TYPE, LEFT_CHILD,
                                       RIGHT_CHILD };
    const size_t at = r->tree[TREE].at;
    const gr_import_node *nodes = NULL;
    uint64_t leaves = 0, linear = 0;
    size_t count = 0;

    GR_TRY(need_field(r, &r->tree[NUM_LEAVES], at));
    GR_TRY(need_field(r, &r->tree[LEAF_VALUE], at));
    /* Each leaf value takes at least two characters. */
    GR_TRY(read_count(r, &r->tree[NUM_LEAVES],
                      (r->tree[LEAF_VALUE].end - r->tree[LEAF_VALUE].at) / 2 + 1, &leaves));
    if (r->tree[IS_LINEAR].end)
        GR_TRY(read_count(r, &r->tree[IS_LINEAR], 1, &linear));
    if (linear)
        return gr_import_fail(r->file, at, r->err, GRADUS_BAD_ARGUMENT,
                              "linear models in the leaves cannot be imported");
    if (leaves == 0 || leaves > INT32_MAX / 2)
        return fault(r, r->tree[NUM_LEAVES].at, "a tree has no leaves, or too many");
    GR_TRY(gr_lightgbm_reserve(&r->nodes, (size_t)leaves, r->err));
    for (size_t i = 0; leaves > 1 && i < sizeof needed / sizeof *needed; i++)
        GR_TRY(need_field(r, &r->tree[needed[i]], at));
    if (leaves > 1)
        GR_TRY(read_splits(r, (size_t)leaves));
    GR_TRY(read_leaves(r, (size_t)leaves));
    GR_TRY(gr_lightgbm_translate(&r->nodes, r->features, r->file, at, &nodes, &count, r->err));
    GR_TRY(gr_import_tree(&r->trees, nodes, count, r->tree_count % r->outputs, at, r->err));
    r->tree_count++;
    return GRADUS_OK;
}

static bool is_end(const reader *r, const text_line *line)
{
    return starts_with(r, line, "end of trees") || starts_with(r, line, "feature_importances:") ||
           starts_with(r, line, "feature importances:");
}

static size_t count_items(const reader *r, const field *list)
{
    items at = items_of(r, list);
    size_t count = 0;

    for (skip_spaces(&at); at.at < list->end; skip_spaces(&at), count++)
        while (at.at < list->end && r->file->bytes[at.at] != ' ')
            at.at++;
    return count;
}

/* "average_output" (random forests) divides by the number of iterations, which is known from the list
 * of the trees' sizes. */
static gradus_status find_scale(reader *r)
{
    const field *sizes = &r->header[TREE_SIZES];
    const size_t trees = count_items(r, sizes);

    r->scale = 1.0;
    if (!r->header[AVERAGE_OUTPUT].end)
        return GRADUS_OK;
    if (trees == 0)
        return fault(r, r->header[AVERAGE_OUTPUT].at,
                     "'average_output' without a list 'tree_sizes'");
    r->scale = 1.0 / (double)(trees / r->outputs ? trees / r->outputs : 1);
    return GRADUS_OK;
}

static gradus_status read_trees(reader *r)
{
    bool open = false;
    text_line line;

    GR_TRY(find_scale(r));
    while (next_line(r, &line)) {
        if (starts_with(r, &line, "Tree=") || is_end(r, &line)) {
            if (open)
                GR_TRY(use_tree(r));
            open = !is_end(r, &line);
            r->file->tree = open ? r->tree_count + 1 : 0;
            if (!open)
                break;
            memcpy(r->tree, tree_fields, sizeof r->tree);
        }
        GR_TRY(store_field(r, &line, r->tree, TREE_FIELDS));
    }
    if (open)
        return fault(r, r->file->size, "the file ends within the trees");
    if (r->tree_count % r->outputs != 0 ||
        (r->header[TREE_SIZES].end && r->tree_count != count_items(r, &r->header[TREE_SIZES])))
        return gr_import_fail(r->file, r->header[TREE_SIZES].at, r->err, GRADUS_BAD_FORMAT,
                              "the number of trees, %zu, differs from the header", r->tree_count);
    return GRADUS_OK;
}

/* A setting of the model with the text of a field. */
static gradus_status add_setting(const reader *r, gradus_model *model, const char *name,
                                 const field *from)
{
    char text[128];
    const size_t length = from->end - from->at;

    if (!from->end || length >= sizeof text || memchr(r->file->bytes + from->at, '\0', length))
        return GRADUS_OK;
    memcpy(text, r->file->bytes + from->at, length);
    text[length] = '\0';
    return gr_model_add_setting(model, name, text, r->err);
}

static gradus_model *build(reader *r)
{
    gradus_model *model =
        gr_import_model_new("lightgbm", r->features, 0, r->meaning, r->outputs, r->err);
    gr_forest forest = { 0 };

    if (!model)
        return NULL;
    gr_import_names(model, &r->names);
    if (gr_model_add_setting(model, "imported-from", "lightgbm", r->err) == GRADUS_OK &&
        add_setting(r, model, "version", &r->header[VERSION]) == GRADUS_OK &&
        add_setting(r, model, "objective", &r->header[OBJECTIVE]) == GRADUS_OK &&
        gr_import_trees_finish(&r->trees, &forest, r->err) == GRADUS_OK) {
        model = gr_import_forest(model, &forest, r->file, r->err);
        gr_forest_free(&forest);
        return model;
    }
    gr_model_free(model);
    return NULL;
}

static bool detect(const char *bytes, size_t size)
{
    static const char *const starts[] = { "tree\nversion=v", "tree\r\nversion=v" };

    for (size_t i = 0; i < 2; i++)
        if (size >= strlen(starts[i]) && memcmp(bytes, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static gradus_model *read_lightgbm(const char *bytes, size_t size, const char *name,
                                   gradus_error *err)
{
    gr_import_file file = { .name = name, .bytes = bytes, .size = size };
    reader r = { .file = &file, .err = err };
    gradus_model *model = NULL;

    if (read_header(&r) == GRADUS_OK && use_header(&r) == GRADUS_OK && read_trees(&r) == GRADUS_OK)
        model = build(&r);
    gr_import_trees_free(&r.trees);
    gr_lightgbm_tree_free(&r.nodes);
    gr_name_list_free(&r.names);
    return model;
}

const gr_importer gr_importer_lightgbm = {
    .about = { .name = "lightgbm",
               .summary = "LightGBM, text (v2 to v4)",
               .details = "Scores are raw scores, with leaf values rounded to floats. Categorical "
                          "splits and linear trees are refused." },
    .detect = detect,
    .read = read_lightgbm,
};
