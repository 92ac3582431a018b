/* SPDX-License-Identifier: Apache-2.0 */
/* The format c: a model as one C99 file without dependencies, with the bits of gradus. Trees are
 * tables that a loop walks, which compiles faster than nested conditions and is smaller. exp and log
 * are those of base/math.c. */
#include "base/text.h"
#include "exchange/feature_labels.h"
#include "exchange/source_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Values of up to this many bytes are kept on the stack, else allocated. */
enum { MAX_STACK = 64 * 1024 };

enum {
    HELPER_ROUND = 1,
    HELPER_POWER = 2,
    HELPER_POW2 = 4,
    HELPER_EXP = 8,
    HELPER_LOG = 16,
    HELPER_TREES = 32,
    HELPER_NARROW = 64
};

static const char *const helpers[] = {
    /* half to even, because 2^52 + |x| has no fraction */
    "/* The nearest whole number, half to even. */\n"
    "static double @_round(double x)\n"
    "{\n"
    "    const double big = 4503599627370496.0; /* 2^52 */\n"
    "\n"
    "    if (!(x < big && x > -big) || x == 0.0)\n"
    "        return x;\n"
    "    return x < 0.0 ? -((big - x) - big) : (big + x) - big;\n"
    "}\n\n",
    "/* 2^k for -1022 <= k <= 1023. */\n"
    "static double @_power(int k)\n"
    "{\n"
    "    const uint64_t bits = (uint64_t)(k + 1023) << 52;\n"
    "    double value;\n"
    "\n"
    "    memcpy(&value, &bits, sizeof value);\n"
    "    return value;\n"
    "}\n\n",
    "/* 2^x for a whole number x. */\n"
    "static double @_pow2(double x)\n"
    "{\n"
    "    const int k = x > 2000.0 ? 2000 : x < -2000.0 ? -2000 : (int)x;\n"
    "    const int half = k / 2;\n"
    "\n"
    "    return isnan(x) ? x : @_power(half) * @_power(k - half);\n"
    "}\n\n",
    "/* e^x = 2^k e^r with |r| <= ln(2)/2; e^r by its Taylor series. */\n"
    "static double @_exp(double x)\n"
    "{\n"
    "    static const double terms[12] = {\n"
    "        " GR_PROGRAM_EXP_TERMS "\n"
    "    };\n"
    "\n"
    "    if (isnan(x))\n"
    "        return x;\n"
    "    if (x > 709.782712893384)\n"
    "        return (double)INFINITY;\n"
    "    if (x < -745.1332191019412)\n"
    "        return 0.0;\n"
    "    const double k = @_round(x * " GR_PROGRAM_LOG2_E ");\n"
    "    const double high = x - k * " GR_PROGRAM_LN2_HIGH ", low = k * " GR_PROGRAM_LN2_LOW ";\n"
    "    const double r = high - low;\n"
    "    double q = terms[11];\n"
    "    for (int i = 10; i >= 0; i--)\n"
    "        q = terms[i] + r * q;\n"
    "    const double value = 1.0 + (high + (r * r * q - low));\n"
    "    const int half = (int)k / 2;\n"
    "    return value * @_power(half) * @_power((int)k - half);\n"
    "}\n\n",
    "/* x = 2^k (1 + f); log(1 + f) = 2 atanh(s) with s = f / (2 + f), by its series. */\n"
    "static double @_log(double x)\n"
    "{\n"
    "    static const double terms[11] = {\n"
    "        " GR_PROGRAM_LOG_TERMS "\n"
    "    };\n"
    "    uint64_t bits;\n"
    "    int k = -1022;\n"
    "\n"
    "    if (!(x > 0.0) || isinf(x))\n"
    "        return x == 0.0 ? -(double)INFINITY : x < 0.0 ? (double)NAN : x;\n"
    "    if (x < 2.2250738585072014e-308) {\n"
    "        x *= 18014398509481984.0; /* 2^54 */\n"
    "        k -= 54;\n"
    "    }\n"
    "    memcpy(&bits, &x, sizeof bits);\n"
    "    k += (int)(bits >> 52);\n"
    "    bits = (bits & UINT64_C(0xFFFFFFFFFFFFF)) | UINT64_C(0x3FE0000000000000);\n"
    "    memcpy(&x, &bits, sizeof x);\n"
    "    if (x < " GR_PROGRAM_HALF_ROOT ") {\n"
    "        x *= 2.0;\n"
    "        k--;\n"
    "    }\n"
    "    const double f = x - 1.0, s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;\n"
    "    double r = terms[10];\n"
    "    for (int i = 9; i >= 0; i--)\n"
    "        r = terms[i] + z * r;\n"
    "    r = half - s * (half + z * r);\n"
    "    return k * " GR_PROGRAM_LN2_HIGH " - ((r - k * " GR_PROGRAM_LN2_LOW ") - f);\n"
    "}\n\n",
    "/* feature: 2 * feature, plus 1 if missing values go left. next: left and right, each a split or\n"
    " * ~leaf. */\n"
    "typedef struct @_split {\n"
    "    float threshold; /* left: value < threshold */\n"
    "    uint32_t feature;\n"
    "    int32_t next[2];\n"
    "} @_split;\n"
    "\n"
    "/* The leaves that a row falls in, of up to 8 trees from `first` on; returns their number. The trees\n"
    " * are walked together, without branches on the values, so that a processor waits for none. */\n"
    "static size_t @_leaves(const @_split *splits, const int32_t *roots, size_t first, size_t trees,\n"
    "                       const float *x, int32_t leaves[8])\n"
    "{\n"
    "    const size_t count = trees - first < 8 ? trees - first : 8;\n"
    "    bool walks = true;\n"
    "\n"
    "    for (size_t k = 0; k < 8; k++)\n"
    "        leaves[k] = k < count ? roots[first + k] : -1;\n"
    "    while (walks) {\n"
    "        walks = false;\n"
    "        for (size_t k = 0; k < 8; k++)\n"
    "            if (leaves[k] >= 0) {\n"
    "                const @_split *split = &splits[leaves[k]];\n"
    "                const float value = x[split->feature >> 1];\n"
    "                const bool is_left = value < split->threshold, is_missing = isnan(value);\n"
    "\n"
    "                leaves[k] = split->next[!(is_left | (is_missing & split->feature & 1))];\n"
    "                walks = true;\n"
    "            }\n"
    "    }\n"
    "    for (size_t k = 0; k < 8; k++)\n"
    "        leaves[k] = ~leaves[k];\n"
    "    return count;\n"
    "}\n\n",
    "/* Rounds to float. volatile: gcc 12 removes a conversion to float and back when it vectorizes. */\n"
    "static float @_narrow(double x)\n"
    "{\n"
    "    const volatile float narrow = (float)x;\n"
    "\n"
    "    return narrow;\n"
    "}\n\n",
    NULL,
};

#define ROWS "for (size_t i = 0; i < $m; i++)\n"
#define COLUMNS "for (size_t j = 0; j < $n; j++)\n"
#define FIRST_ROW COLUMNS "    $o[j] = $a[j];\n"
#define OTHER_ROWS "for (size_t i = 1; i < $h; i++)\n    " COLUMNS

/* The number of trees is a variable, or compilers warn about "t < 0". */
#define EIGHT_TREES                                                                                \
    "for (size_t t = 0, trees = $q; t < trees; t += 8) {\n"                                        \
    "    int32_t leaves[8];\n"                                                                     \
    "    const size_t count = @_leaves($t_splits, $t_roots, t, trees, $a, leaves);\n"

#define EACH(expression)                                                                           \
    {                                                                                              \
        .text = expression                                                                         \
    }
#define EACH_CALLS(expression, called)                                                             \
    {                                                                                              \
        .text = expression, .helpers = called                                                      \
    }
#define BLOCK(...)                                                                                 \
    {                                                                                              \
        .text = __VA_ARGS__, .is_block = true                                                      \
    }

static void put_number(gr_buffer *out, int type, double number)
{
    char text[GRADUS_NUMBER_SIZE];

    if (type >= GR_TABLE_UINT32) {
        gr_buffer_double(out, number);
        return;
    }
    if (!isfinite(number)) {
        gr_buffer_text(out, signbit(number) ? "-" : "");
        gr_buffer_text(out, type == GR_GRAPH_F64 ? "(double)" : "");
        gr_buffer_text(out, isnan(number) ? "NAN" : "INFINITY");
        return;
    }
    if (type == GR_GRAPH_F32)
        gr_format_float((float)number, text);
    else
        gr_format_double(number, text);
    gr_buffer_text(out, text);
    gr_buffer_text(out, strpbrk(text, ".e") ? "" : ".0");
    gr_buffer_text(out, type == GR_GRAPH_F32 ? "f" : "");
}

static void open_table(const gr_program *source, int type, const char *name, size_t count)
{
    static const char *const types[GR_TABLE_TYPES] = { "float", "double", "bool", "uint32_t",
                                                       "int32_t" };

    gr_buffer_format(source->out, "static const %s ", types[type]);
    gr_program_put(source, "@_");
    gr_buffer_format(source->out, "%s[%zu] = {\n", name, count);
}

static void put_split(const gr_program *source, size_t *start, const gr_forest *forest, size_t tree,
                      const gr_split *split)
{
    gr_buffer item = { .used = 0 };

    gr_buffer_text(&item, "{");
    put_number(&item, GR_GRAPH_F32, (double)split->threshold);
    gr_buffer_format(&item, ",%" PRIu64 ",{%d,%d}}",
                     2 * (uint64_t)split->feature + (split->missing_left ? 1 : 0),
                     gr_program_child(forest, tree, split->left),
                     gr_program_child(forest, tree, split->right));
    gr_program_item(source->out, start, item.bytes.at, item.used, "    ");
    source->out->failed |= item.failed;
    gr_buffer_free(&item);
}

static void put_splits(const gr_program *source, size_t value)
{
    const gr_forest *forest = source->graph->values[value].forest;
    const size_t count = forest->trees ? (size_t)forest->starts[forest->trees] : 0;
    size_t start = 0;

    gr_program_put(source, "static const @_split @_t");
    gr_buffer_format(source->out, "%zu_splits[%zu] = {\n", value, count ? count : 1);
    for (size_t t = 0; t < forest->trees; t++)
        for (size_t s = forest->starts[t]; s < forest->starts[t + 1]; s++)
            put_split(source, &start, forest, t, &forest->splits[s]);
    gr_program_put(source, count ? "\n};\n" : "    {0.0f,0,{-1,-1}},\n};\n");
}

/* A string of ASCII characters. ? would start a trigraph. */
static void put_string(gr_buffer *out, const char *text)
{
    gr_buffer_text(out, "\"");
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            gr_buffer_format(out, "\\%03o", (unsigned)(unsigned char)*text);
        else if (strchr("\"\\?", *text))
            gr_buffer_format(out, "\\%c", *text);
        else
            gr_buffer_put(out, text, 1);
    gr_buffer_text(out, "\"");
}

static void put_head(const gr_program *source)
{
    const bool allocates = source->plan.bytes > MAX_STACK;

    gr_buffer_text(source->out,
                   "/* A ranking model as a C99 program, written by gradus " GRADUS_VERSION
                   ".\n *\n * Method:   ");
    gr_program_put_plain(source, source->model->method);
    gr_buffer_format(source->out, "\n * Features: %zu, as float; NAN: missing\n",
                     source->graph->features);
    gr_program_put(
        source,
        " * Compile:  cc -std=c99 -O2 -ffp-contract=off -c FILE\n"
        " *\n"
        " * Scores are those of gradus to the last bit if the compiler keeps to IEEE 754: never\n"
        " * compile with -ffast-math, and not for a processor without double arithmetic. The\n"
        " * functions have no state; any number of threads may call them.");
    if (gr_program_uses(source, GR_OP_SQUARE_ROOT))
        gr_buffer_text(source->out, " Link with -lm (sqrt).");
    if (allocates)
        gr_buffer_format(
            source->out,
            "\n * Every call allocates %zu bytes; results are NAN if memory is exhausted.",
            source->plan.bytes);
    gr_program_put(source, "\n *\n"
                           " * To declare the functions in another file:\n"
                           " *     #define @@_DECLARATIONS\n"
                           " *     #include \"FILE\"\n"
                           " */\n");
}

static void put_declarations(const gr_program *source)
{
    const gr_graph *graph = source->graph;
    const bool has_both = graph->probabilities != SIZE_MAX;

    gr_program_put(source, "#ifndef @@_FEATURES\n");
    gr_program_put(source, "#define @@_FEATURES ");
    gr_buffer_count(source->out, graph->features);
    if (has_both) {
        gr_program_put(source, "\n#define @@_LEVELS ");
        gr_buffer_count(source->out, graph->levels);
    }
    gr_program_put(source, "\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                           "extern const char *const @_feature_names[@@_FEATURES];\n"
                           "/* The score of a document: larger is better. */\n"
                           "double @_score(const float *features);\n");
    if (has_both)
        gr_program_put(source,
                       "/* The labels that a document can have, and their probabilities. */\n"
                       "extern const double @_labels[@@_LEVELS];\n"
                       "void @_probabilities(const float *features, double *probabilities);\n");
    gr_program_put(source, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n\n");
}

static void put_start(const gr_program *source)
{
    gr_program_put(source, "#ifndef @@_DECLARATIONS\n"
                           "#include <float.h>\n#include <math.h>\n#include <stdbool.h>\n"
                           "#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
                           "#include <string.h>\n\n"
                           "#if FLT_EVAL_METHOD != 0 || defined __FAST_MATH__\n"
                           "#error \"every operation must be rounded to its type\"\n"
                           "#endif\n"
                           "#if defined __clang__\n"
                           "#pragma STDC FP_CONTRACT OFF\n"
                           "#elif defined _MSC_VER\n"
                           "#pragma fp_contract(off)\n"
                           "#elif defined __GNUC__\n"
                           "#pragma GCC optimize(\"fp-contract=off\")\n"
                           "#endif\n\n");
}

static void put_names(const gr_program *source)
{
    const gr_graph *graph = source->graph;
    gr_buffer item = { .used = 0 };
    char made[GRADUS_NUMBER_SIZE];
    size_t start = 0;

    gr_program_put(source, "const char *const @_feature_names[@@_FEATURES] = {\n");
    for (size_t f = 0; f < graph->features; f++) {
        item.used = 0;
        put_string(&item, gr_feature_label(source->model, f, made));
        gr_program_item(source->out, &start, item.bytes.at, item.used, "    ");
        source->out->failed |= item.failed;
    }
    gr_program_put(source, "\n};\n\n");
    gr_buffer_free(&item);
    if (graph->probabilities == SIZE_MAX)
        return;
    gr_program_put(source, "const double @_labels[@@_LEVELS] = { ");
    for (size_t level = 0; level < graph->levels; level++) {
        gr_buffer_text(source->out, level ? ", " : "");
        put_number(source->out, GR_GRAPH_F64, graph->level_labels[level]);
    }
    gr_buffer_text(source->out, " };\n\n");
}

static const char *const array_names[GR_GRAPH_TYPES] = { "f", "d", "b" };

/* The structure that the functions share. */
static void put_structure(const gr_program *source)
{
    const bool has_both = source->graph->probabilities != SIZE_MAX;

    gr_program_put(source, "typedef struct @_values {\n    const float *x;\n");
    for (size_t type = 0; type < GR_GRAPH_TYPES; type++)
        if (source->plan.sizes[type])
            gr_buffer_format(source->out, "    %s *%s;\n", source->language->types[type],
                             array_names[type]);
    gr_program_put(source, has_both ? "    bool score, probabilities; /* needed */\n" : "");
    gr_program_put(source, "} @_values;\n\n");
}

static void open_part(const gr_program *source, size_t part)
{
    gr_program_put(source, "static void @_part");
    gr_buffer_count(source->out, part);
    gr_program_put(source, "(const @_values *at)\n{\n");
}

static void declare(const gr_program *source, size_t value)
{
    const gr_graph_value *declared = &source->graph->values[value];

    if (declared->op == GR_OP_INPUT)
        gr_buffer_text(source->out, "    const float *const x = at->x;\n");
    else
        gr_buffer_format(source->out, "    %s *const v%zu = at->%s + %zu;\n",
                         source->language->types[declared->type], value,
                         array_names[declared->type], source->plan.values[value].offset);
}

static void put_failure(const gr_program *source)
{
    gr_program_put(source, "    if (!memory) {\n");
    if (source->graph->probabilities == SIZE_MAX)
        gr_program_put(source, "        *score = (double)NAN;\n");
    else
        gr_program_put(source, "        if (score)\n"
                               "            *score = (double)NAN;\n"
                               "        for (size_t i = 0; probabilities && i < @@_LEVELS; i++)\n"
                               "            probabilities[i] = (double)NAN;\n");
    gr_program_put(source, "        return;\n    }\n");
}

/* The arrays on the stack, or allocated as one block, doubles first. */
static void put_arrays(const gr_program *source)
{
    static const int order[GR_GRAPH_TYPES] = { GR_GRAPH_F64, GR_GRAPH_F32, GR_GRAPH_BOOL };
    const bool allocates = source->plan.bytes > MAX_STACK;
    size_t offset = 0;

    if (allocates) {
        gr_buffer_format(source->out, "    char *const memory = malloc(%zu);\n\n",
                         source->plan.bytes);
        put_failure(source);
    }
    for (size_t i = 0; i < GR_GRAPH_TYPES; i++) {
        const char *type = source->language->types[order[i]], *name = array_names[order[i]];
        const size_t size = source->plan.sizes[order[i]];

        if (size && allocates)
            gr_buffer_format(source->out, "    %s *const %s = (%s *)(void *)(memory + %zu);\n",
                             type, name, type, offset);
        else if (size)
            gr_buffer_format(source->out, "    %s %s[%zu];\n", type, name, size);
        offset += size * (order[i] == GR_GRAPH_F64 ? sizeof(double) : sizeof(float));
    }
    gr_buffer_text(source->out, "    const ");
    gr_program_put(source, "@_values values = { x");
    for (size_t type = 0; type < GR_GRAPH_TYPES; type++)
        if (source->plan.sizes[type])
            gr_buffer_format(source->out, ", %s", array_names[type]);
    gr_buffer_text(source->out, source->graph->probabilities == SIZE_MAX
                                    ? " };\n\n"
                                    : ", score != NULL, probabilities != NULL };\n\n");
}

/* A result: a part of an array, or a constant. */
static void put_result(const gr_program *source, size_t value, const char *subscript)
{
    const size_t owner = source->plan.values[value].owner;
    const gr_graph_type type = source->graph->values[value].type;

    if (gr_program_stores(source->graph, &source->plan, owner))
        gr_buffer_format(source->out, "%s[%zu%s];\n", array_names[type],
                         source->plan.values[owner].offset, *subscript ? " + i" : "");
    else {
        gr_program_put_value(source, value);
        gr_buffer_text(source->out, *subscript ? "[i];\n" : "[0];\n");
    }
}

static void put_run(const gr_program *source, size_t parts)
{
    const bool has_both = source->graph->probabilities != SIZE_MAX;

    gr_program_put(source, has_both ? "/* score, probabilities: NULL: not needed. */\n"
                                      "static void @_run(const float *x, double *score, "
                                      "double *probabilities)\n{\n"
                                    : "static void @_run(const float *x, double *score)\n{\n");
    put_arrays(source);
    for (size_t part = 1; part <= parts; part++) {
        gr_program_put(source, "    @_part");
        gr_buffer_format(source->out, "%zu(&values);\n", part);
    }
    if (parts == 0)
        gr_program_put(source, "    (void)values;\n");
    gr_buffer_text(source->out, has_both ? "    if (score)\n        *score = " : "    *score = ");
    put_result(source, source->graph->score, "");
    if (has_both) {
        gr_program_put(source, "    for (size_t i = 0; probabilities && i < @@_LEVELS; i++)\n"
                               "        probabilities[i] = ");
        put_result(source, source->graph->probabilities, "i");
    }
    gr_buffer_text(source->out,
                   source->plan.bytes > MAX_STACK ? "    free(memory);\n}\n\n" : "}\n\n");
}

static void write_c(const gr_program *source)
{
    const bool has_both = source->graph->probabilities != SIZE_MAX;

    put_head(source);
    put_declarations(source);
    put_start(source);
    put_names(source);
    gr_program_put_helpers(source);
    gr_program_put_tables(source);
    gr_buffer_text(source->out, "\n");
    put_structure(source);
    put_run(source, gr_program_put_parts(source));
    gr_program_put(source,
                   has_both ? "double @_score(const float *features)\n"
                              "{\n"
                              "    double score = 0.0;\n\n"
                              "    @_run(features, &score, NULL);\n"
                              "    return score;\n"
                              "}\n\n"
                              "void @_probabilities(const float *features, double *probabilities)\n"
                              "{\n"
                              "    @_run(features, NULL, probabilities);\n"
                              "}\n"
                            : "double @_score(const float *features)\n"
                              "{\n"
                              "    double score = 0.0;\n\n"
                              "    @_run(features, &score);\n"
                              "    return score;\n"
                              "}\n");
    gr_program_put(source, "#endif\n");
}

const gr_language gr_language_c = {
    .format = "c",
    .index = "size_t",
    .prefix = "@_",
    .types = { "float", "double", "bool" },
    .suffixes = { "f", "", "" },
    .rounds = { "", "", "" },
    .helpers = helpers,
    .number = put_number,
    .literal = put_number,
    .open_table = open_table,
    .close_table = "\n};\n",
    .splits = put_splits,
    .open_part = open_part,
    .declare = declare,
    .flags = "at->",
    .write = write_c,
    .ops = {
        [GR_OP_INPUT] = BLOCK(""),
        [GR_OP_CONSTANT] = BLOCK(""),
        [GR_OP_FOREST] = { .text = "for (size_t k = 0; k < $n; k++)\n"
                                   "    $o[k] = $t_bases[k];\n" EIGHT_TREES
                                   "    for (size_t k = 0; k < count; k++)\n"
                                   "        $o[(t + k) % $n] += (double)$t_leaves[leaves[k]];\n"
                                   "}",
                           .is_block = true,
                           .helpers = HELPER_TREES },
        [GR_OP_LEAVES] = { .text = EIGHT_TREES "    for (size_t k = 0; k < count; k++)\n"
                                               "        $o[t + k] = leaves[k] - $t_starts[t + k];\n"
                                               "}",
                           .is_block = true,
                           .helpers = HELPER_TREES },
        [GR_OP_ADD] = EACH("$a + $b"),
        [GR_OP_SUB] = EACH("$a - $b"),
        [GR_OP_MUL] = EACH("$a * $b"),
        [GR_OP_DIV] = EACH("$a / $b"),
        [GR_OP_MAX] = EACH("$a > $b ? $a : $b"),
        [GR_OP_MIN] = EACH("$a < $b ? $a : $b"),
        [GR_OP_NEG] = EACH("-$a"),
        [GR_OP_ABS] = EACH("$a > 0 ? $a : 0 - $a"),
        [GR_OP_ROUND] = EACH_CALLS("($T)@_round((double)$a)", HELPER_ROUND),
        [GR_OP_POW2] = EACH_CALLS("($T)@_pow2((double)$a)", HELPER_POWER | HELPER_POW2),
        [GR_OP_SQUARE_ROOT] = EACH("sqrt$S($a)"),
        [GR_OP_EXP] = EACH_CALLS("@_exp($a)", HELPER_ROUND | HELPER_POWER | HELPER_EXP),
        [GR_OP_LOG] = EACH_CALLS("@_log($a)", HELPER_LOG),
        [GR_OP_TO_F32] = EACH_CALLS("@_narrow($a)", HELPER_NARROW),
        [GR_OP_TO_F64] = EACH("(double)$a"),
        [GR_OP_LESS] = EACH("$a < $b"),
        [GR_OP_LESS_EQUAL] = EACH("$a <= $b"),
        [GR_OP_IS_FINITE] = EACH("isfinite($a)"),
        [GR_OP_IS_NAN] = EACH("isnan($a)"),
        [GR_OP_AND] = EACH("$a && $b"),
        [GR_OP_OR] = EACH("$a || $b"),
        [GR_OP_NOT] = EACH("!$a"),
        [GR_OP_WHERE] = EACH("$a ? $b : $c"),
        [GR_OP_SUM] = BLOCK(FIRST_ROW OTHER_ROWS "        $o[j] += $a[i * $n + j];"),
        [GR_OP_RUNNING_SUM] =
            BLOCK(FIRST_ROW OTHER_ROWS
                  "        $o[i * $n + j] = $o[(i - 1) * $n + j] + $a[i * $n + j];"),
        [GR_OP_TOP] = BLOCK(FIRST_ROW OTHER_ROWS "        if ($a[i * $n + j] > $o[j])\n"
                                                 "            $o[j] = $a[i * $n + j];"),
        [GR_OP_BOTTOM] = BLOCK(FIRST_ROW OTHER_ROWS "        if ($a[i * $n + j] < $o[j])\n"
                                                    "            $o[j] = $a[i * $n + j];"),
        [GR_OP_SORT] = BLOCK(FIRST_ROW OTHER_ROWS
                             "    {\n"
                             "        const $T moved = $a[i * $n + j];\n"
                             "        size_t to = i;\n"
                             "        for (; to > 0 && $o[(to - 1) * $n + j] < moved; to--)\n"
                             "            $o[to * $n + j] = $o[(to - 1) * $n + j];\n"
                             "        $o[to * $n + j] = moved;\n"
                             "    }"),
        [GR_OP_DOT] = BLOCK(COLUMNS "    $o[j] = $c[j];\n"
                                    "for (size_t k = 0; k < $k; k++)\n"
                                    "    " COLUMNS "        $o[j] += $a[k] * $b[k * $n + j];"),
        [GR_OP_MATMUL] = BLOCK(COLUMNS "    $o[j] = 0.0;\n"
                                       "for (size_t k = 0; k < $k; k++)\n"
                                       "    " COLUMNS "        $o[j] += $a[k] * $b[k * $n + j];"),
        [GR_OP_PICK] = BLOCK(ROWS "    " COLUMNS "        $o[i * $n + j] = $a[i * $k + $p[j]];"),
        [GR_OP_RESHAPE] = BLOCK(""), /* another name of its input */
        [GR_OP_JOIN] =
            BLOCK(ROWS "    " COLUMNS
                       "        $o[i * $n + j] = j < $k ? $a[i * $k + j] : $b[i * $w + j - $k];"),
        [GR_OP_LOOKUP] = BLOCK(ROWS "    " COLUMNS
                                    "        $o[i * $n + j] = $a[(size_t)$b[i] * $n + j];"),
        [GR_OP_TAKE] = BLOCK(ROWS "    " COLUMNS
                                  "        $o[i * $n + j] = $a[(size_t)$b[i * $n + j]];"),
    },
};

static gradus_status write_model(const gradus_model *model, const gr_export_options *options,
                                 gr_buffer *out, gradus_error *err)
{
    return gr_program_export(&gr_language_c, model, options, out, err);
}

static void identifier(const char *name, char made[GR_IDENTIFIER_SIZE])
{
    gr_program_name(&gr_language_c, name, made);
}

static const char check_program[] =
    "#include \"MODEL\"\n"
    "#include <stdio.h>\n"
    "static char line[1 << 17];\n"
    "static size_t columns[2000];\n"
    "static float row[sizeof PREFIX_feature_names / sizeof *PREFIX_feature_names];\n"
    "int main(void)\n"
    "{\n"
    "    FILE *file = fopen(\"PARITY\", \"r\");\n"
    "    size_t count = 0, rows = 0, wrong = 0;\n"
    "    char *at;\n"
    "    while (file && fgets(line, sizeof line, file))\n"
    "        if (line[0] == 's') {\n"
    "            for (at = strchr(line, ','); at; at = strchr(at + 1, ','))\n"
    "                columns[count++] = (size_t)strtoul(at + 1, NULL, 10);\n"
    "        } else if (line[0] != '#') {\n"
    "            const double score = strtod(line, &at);\n"
    "            for (size_t c = 0; c < count; c++)\n"
    "                row[columns[c]] = (float)strtod(at + 1, &at);\n"
    "            rows++;\n"
    "            wrong += PREFIX_score(row) != score;\n"
    "        }\n"
    "    printf(\"%zu rows, %zu wrong\\n\", rows, wrong);\n"
    "    return rows == 0 || wrong > 0;\n"
    "}\n";

const gr_format gr_format_c = {
    .about = { "c", "a C99 file without dependencies",
               "A function that computes the score of a row, and one for the probabilities of its "
               "labels if the model has them. Bit-equal to gradus if compiled without -ffast-math and, "
               "for processors with fused multiply-add, with -ffp-contract=off. Holds every model "
               "whose score depends on the features of the row alone." },
    .used_by = "C and C++ programs",
    .extension = "c",
    .methods = GR_GRAPH_METHODS,
    .tolerance = 0.0,
    .check = check_program,
    .identifier = identifier,
    .write = write_model,
};
