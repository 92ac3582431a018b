/* SPDX-License-Identifier: Apache-2.0 */
/* The format javascript: a model as one script for browsers and CommonJS, with the bits of gradus.
 * Storing into a Float32Array rounds to float. Math.exp and Math.log may differ between engines; the
 * functions here are those of base/math.c. The text is ASCII and has no "<" in strings, so that it can
 * be part of an HTML page in any encoding. */
#include "base/json.h"
#include "base/text.h"
#include "exchange/feature_labels.h"
#include "exchange/source_text.h"

#include <math.h>
#include <string.h>

enum {
    HELPER_ROUND = 1,
    HELPER_BITS = 2,
    HELPER_POWER = 4,
    HELPER_POW2 = 8,
    HELPER_EXP = 16,
    HELPER_LOG = 32,
    HELPER_TREES = 64
};

static const char *const helpers[] = {
    "// The nearest whole number, half to even.\n"
    "function round(x) {\n"
    "    const big = 4503599627370496; // 2^52\n"
    "    if (!(x < big && x > -big) || x === 0) return x;\n"
    "    return x < 0 ? -((big - x) - big) : (big + x) - big;\n"
    "}\n\n",
    "const bits = new DataView(new ArrayBuffer(8));\n\n",
    "// 2^k for -1022 <= k <= 1023.\n"
    "function power(k) {\n"
    "    bits.setInt32(0, (k + 1023) << 20);\n"
    "    bits.setInt32(4, 0);\n"
    "    return bits.getFloat64(0);\n"
    "}\n\n",
    "// 2^x for a whole number x.\n"
    "function pow2(x) {\n"
    "    const k = x > 2000 ? 2000 : x < -2000 ? -2000 : x;\n"
    "    const half = Math.trunc(k / 2);\n"
    "    return Number.isNaN(x) ? x : power(half) * power(k - half);\n"
    "}\n\n",
    "// e^x = 2^k e^r with |r| <= ln(2)/2; e^r by its Taylor series.\n"
    "const expTerms = [\n"
    "        " GR_SOURCE_EXP_TERMS "\n"
    "];\n"
    "function exp(x) {\n"
    "    if (Number.isNaN(x)) return x;\n"
    "    if (x > 709.782712893384) return Infinity;\n"
    "    if (x < -745.1332191019412) return 0;\n"
    "    const k = round(x * " GR_SOURCE_LOG2_E ");\n"
    "    const high = x - k * " GR_SOURCE_LN2_HIGH ", low = k * " GR_SOURCE_LN2_LOW ";\n"
    "    const r = high - low;\n"
    "    let q = expTerms[11];\n"
    "    for (let i = 10; i >= 0; i--) q = expTerms[i] + r * q;\n"
    "    const value = 1 + (high + (r * r * q - low));\n"
    "    const half = Math.trunc(k / 2);\n"
    "    return value * power(half) * power(k - half);\n"
    "}\n\n",
    "// x = 2^k (1 + f); log(1 + f) = 2 atanh(s) with s = f / (2 + f), by its series.\n"
    "const logTerms = [\n"
    "        " GR_SOURCE_LOG_TERMS "\n"
    "];\n"
    "function log(x) {\n"
    "    if (!(x > 0) || x === Infinity) return x === 0 ? -Infinity : x < 0 ? NaN : x;\n"
    "    let k = -1022;\n"
    "    if (x < 2.2250738585072014e-308) {\n"
    "        x *= 18014398509481984; // 2^54\n"
    "        k -= 54;\n"
    "    }\n"
    "    bits.setFloat64(0, x);\n"
    "    const top = bits.getInt32(0);\n"
    "    k += top >> 20;\n"
    "    bits.setInt32(0, (top & 0xFFFFF) | 0x3FE00000);\n"
    "    x = bits.getFloat64(0);\n"
    "    if (x < " GR_SOURCE_HALF_ROOT ") {\n"
    "        x *= 2;\n"
    "        k--;\n"
    "    }\n"
    "    const f = x - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;\n"
    "    let r = logTerms[10];\n"
    "    for (let i = 9; i >= 0; i--) r = logTerms[i] + z * r;\n"
    "    r = half - s * (half + z * r);\n"
    "    return k * " GR_SOURCE_LN2_HIGH " - ((r - k * " GR_SOURCE_LN2_LOW ") - f);\n"
    "}\n\n",
    "// The leaf that a row falls in, from the first split of a tree. A row goes left if its value is\n"
    "// below the threshold. features: 2 * feature, plus 1 if missing values go left. children: two\n"
    "// per split, a split or ~leaf.\n"
    "function leafOf(thresholds, features, children, at, x) {\n"
    "    while (at >= 0) {\n"
    "        const value = x[features[at] >>> 1];\n"
    "        const left = value < thresholds[at] || (value !== value && (features[at] & 1) === 1);\n"
    "        at = children[left ? 2 * at : 2 * at + 1];\n"
    "    }\n"
    "    return ~at;\n"
    "}\n\n",
    NULL,
};

#define ROWS "for (let i = 0; i < $m; i++)\n"
#define COLUMNS "for (let j = 0; j < $n; j++)\n"
#define FIRST_ROW COLUMNS "    $o[j] = $a[j];\n"
#define OTHER_ROWS "for (let i = 1; i < $h; i++)\n    " COLUMNS
#define LEAF "leafOf($t_thresholds, $t_features, $t_children, $t_roots[t], $a)"

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

/* Words that cannot be variables, and properties of windows that a variable would change. */
static const char *const taken[] = {
    "arguments",   "await",      "break",       "case",         "catch",        "class",
    "const",       "continue",   "debugger",    "default",      "delete",       "do",
    "else",        "enum",       "eval",        "export",       "extends",      "false",
    "finally",     "for",        "function",    "if",           "implements",   "import",
    "in",          "instanceof", "interface",   "let",          "new",          "null",
    "package",     "private",    "protected",   "public",       "return",       "static",
    "super",       "switch",     "this",        "throw",        "true",         "try",
    "typeof",      "var",        "void",        "while",        "with",         "yield",
    "Infinity",    "NaN",        "undefined",   "Array",        "Math",         "Number",
    "Object",      "DataView",   "ArrayBuffer", "Float32Array", "Float64Array", "Uint8Array",
    "Uint32Array", "Int32Array", "RangeError",  "module",       "exports",      "require",
    "window",      "document",   "location",    "name",         "top",          "self",
    "parent",      "status",     "event",       "history",      "length",       "origin",
    "closed",      "frames",     "opener",      "screen",       "navigator",    NULL,
};

static void put_literal(gr_buffer *out, int type, double number)
{
    (void)type;
    if (isfinite(number)) {
        gr_buffer_double(out, number);
        return;
    }
    gr_buffer_text(out, isnan(number) ? "NaN" : number < 0.0 ? "-Infinity" : "Infinity");
}

/* A number of a typed array. The shortest text of a float is read as double and then rounded; in the
 * rare case that this gives its neighbour, all digits of the double are written. */
static void put_number(gr_buffer *out, int type, double number)
{
    char text[GRADUS_NUMBER_SIZE];
    double read = 0.0;

    if (type == GR_GRAPH_F32 && isfinite(number)) {
        const size_t length = gr_format_float((float)number, text);

        gr_parse_double(text, text + length, &read);
        if ((double)(float)read == number) {
            gr_buffer_put(out, text, length);
            return;
        }
    }
    put_literal(out, type, number);
}

static const char *const array_types[GR_TABLE_TYPES] = { "Float32Array", "Float64Array",
                                                         "Uint8Array", "Uint32Array",
                                                         "Int32Array" };

static void open_table(const gr_source *source, int type, const char *name, size_t count)
{
    (void)count;
    gr_buffer_format(source->out, "const %s = new %s([\n", name, array_types[type]);
}

typedef enum split_part { PART_THRESHOLD, PART_FEATURE, PART_LEFT, PART_RIGHT } split_part;

static void put_item(const gr_source *source, size_t *start, int type, double number)
{
    gr_buffer item = { .used = 0 };

    put_number(&item, type, number);
    gr_source_item(source->out, start, item.bytes.at, item.used, "    ");
    source->out->failed |= item.failed;
    gr_buffer_free(&item);
}

static void put_split_part(const gr_source *source, size_t value, const char *name, int type,
                           const split_part *parts, size_t part_count)
{
    const gr_forest *forest = source->graph->values[value].forest;
    size_t start = 0;

    gr_buffer_format(source->out, "const t%zu_%s = new %s([\n", value, name, array_types[type]);
    for (size_t t = 0; t < forest->trees; t++)
        for (size_t s = forest->starts[t]; s < forest->starts[t + 1]; s++) {
            const gr_split *split = &forest->splits[s];
            const double numbers[] = {
                [PART_THRESHOLD] = (double)split->threshold,
                [PART_FEATURE] = 2.0 * split->feature + (split->missing_left ? 1 : 0),
                [PART_LEFT] = gr_source_child(forest, t, split->left),
                [PART_RIGHT] = gr_source_child(forest, t, split->right),
            };

            for (size_t p = 0; p < part_count; p++)
                put_item(source, &start, type, numbers[parts[p]]);
        }
    gr_buffer_text(source->out, start ? "\n]);\n" : "]);\n");
}

static void put_splits(const gr_source *source, size_t value)
{
    static const split_part parts[] = { PART_THRESHOLD, PART_FEATURE, PART_LEFT, PART_RIGHT };

    put_split_part(source, value, "thresholds", GR_GRAPH_F32, &parts[0], 1);
    put_split_part(source, value, "features", GR_TABLE_UINT32, &parts[1], 1);
    put_split_part(source, value, "children", GR_TABLE_INT32, &parts[2], 2);
}

/* The code point of a UTF-8 character of `length` bytes. */
static uint32_t code_point(const char *at, size_t length)
{
    const unsigned char first = (unsigned char)*at;
    uint32_t code = length == 1 ? first : first & (0x7FU >> length);

    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)at[i] & 0x3FU);
    return code;
}

/* A string of ASCII characters. Bytes that are not UTF-8 become U+FFFD. */
static void put_string(gr_buffer *out, const char *text)
{
    const char *end = text + strlen(text);

    gr_buffer_text(out, "'");
    while (text < end) {
        const size_t length = gr_utf8_length(text, end);
        const uint32_t code = length ? code_point(text, length) : 0xFFFD;

        if (code > 0xFFFF)
            gr_buffer_format(out, "\\u%04x\\u%04x", 0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF));
        else if (code < ' ' || code > '~' || strchr("'\\<>&", (int)code))
            gr_buffer_format(out, "\\u%04x", code);
        else
            gr_buffer_put(out, text, 1);
        text += length ? length : 1;
    }
    gr_buffer_text(out, "'");
}

static void put_head(const gr_source *source)
{
    const bool has_both = source->graph->probabilities != SIZE_MAX;

    gr_buffer_text(source->out,
                   "/* A ranking model, written by gradus " GRADUS_VERSION ".\n *\n * Method:   ");
    gr_source_put_plain(source, source->model->method);
    gr_buffer_format(source->out,
                     "\n * Features: %zu, rounded to float; NaN, null, undefined: missing\n",
                     source->graph->features);
    gr_source_put(source,
                  " *\n"
                  " * In node:    const @ = require('./FILE');\n"
                  " * In a page:  a script element with src=\"FILE\" defines @.\n"
                  " *\n"
                  " * @.score(features)          score of a document, from an array of numbers;\n"
                  " *                            larger is better\n"
                  " * @.rank(rows)               positions of the documents, best first\n"
                  " * @.featureNames\n");
    if (has_both)
        gr_source_put(source, " * @.probabilities(features)  probabilities of @.labels\n");
    gr_source_put(source, " *\n * Scores are those of gradus to the last bit. */\n"
                          "var @ = (function () {\n'use strict';\n\n");
}

static void put_names(const gr_source *source)
{
    const gr_graph *graph = source->graph;
    gr_buffer item = { .used = 0 };
    char made[GRADUS_NUMBER_SIZE];
    size_t start = 0;

    gr_buffer_text(source->out, "const featureNames = [\n");
    for (size_t f = 0; f < graph->features; f++) {
        item.used = 0;
        put_string(&item, gr_feature_label(source->model, f, made));
        gr_source_item(source->out, &start, item.bytes.at, item.used, "    ");
        source->out->failed |= item.failed;
    }
    gr_buffer_text(source->out, "\n];\n");
    gr_buffer_free(&item);
    if (graph->probabilities != SIZE_MAX) {
        gr_buffer_text(source->out, "const labels = [");
        for (size_t level = 0; level < graph->levels; level++) {
            gr_buffer_text(source->out, level ? ", " : "");
            put_literal(source->out, GR_GRAPH_F64, graph->level_labels[level]);
        }
        gr_buffer_text(source->out, "];\n");
    }
    gr_buffer_text(source->out, "\n");
}

/* The arrays of values: one per type, and a view of it per value. */
static void put_arrays(const gr_source *source)
{
    static const char *const names[GR_GRAPH_TYPES] = { "f", "d", "b" };
    const gr_graph *graph = source->graph;

    gr_buffer_format(source->out, "const x = new Float32Array(%zu);\n", graph->features);
    for (size_t type = 0; type < GR_GRAPH_TYPES; type++)
        if (source->plan.sizes[type])
            gr_buffer_format(source->out, "const %s = new %s(%zu);\n", names[type],
                             array_types[type], source->plan.sizes[type]);
    for (size_t v = 0; v < graph->count; v++)
        if (gr_source_stores(graph, &source->plan, v)) {
            const gr_graph_value *value = &graph->values[v];
            const size_t offset = source->plan.values[v].offset;

            gr_buffer_format(source->out, "const v%zu = %s.subarray(%zu, %zu);\n", v,
                             names[value->type], offset, offset + value->rows * value->columns);
        }
    gr_buffer_text(source->out, "\n");
}

static void put_results(const gr_source *source)
{
    const gr_graph *graph = source->graph;
    const bool has_both = graph->probabilities != SIZE_MAX;

    gr_buffer_text(source->out, "function score(features) {\n"
                                "    load(features);\n");
    gr_buffer_text(source->out,
                   has_both ? "    run(true, false);\n    return " : "    run();\n    return ");
    gr_source_put_value(source, graph->score);
    gr_buffer_text(source->out, "[0];\n}\n\n");
    if (has_both) {
        gr_buffer_text(source->out, "function probabilities(features) {\n"
                                    "    load(features);\n"
                                    "    run(false, true);\n"
                                    "    return Array.from(");
        gr_source_put_value(source, graph->probabilities);
        gr_buffer_text(source->out, ");\n}\n\n");
    }
    gr_buffer_text(
        source->out,
        "function rank(rows) {\n"
        "    const scores = Array.from(rows, score);\n"
        "    return scores.map((s, i) => i).sort((i, j) => scores[j] - scores[i] || i - j);\n"
        "}\n\n");
    gr_buffer_text(source->out,
                   has_both ? "return { score, probabilities, rank, featureNames, labels };\n"
                            : "return { score, rank, featureNames };\n");
    gr_source_put(source,
                  "})();\n"
                  "if (typeof module === 'object' && module.exports) module.exports = @;\n");
}

static void open_part(const gr_source *source, size_t part)
{
    const bool has_both = source->graph->probabilities != SIZE_MAX;

    gr_buffer_format(source->out, "function part%zu(%s) {\n", part,
                     has_both ? "score, probabilities" : "");
}

static void write_javascript(const gr_source *source)
{
    const bool has_both = source->graph->probabilities != SIZE_MAX;

    put_head(source);
    put_names(source);
    gr_source_put_helpers(source);
    gr_source_put_tables(source);
    put_arrays(source);
    gr_buffer_text(
        source->out,
        "function load(features) {\n"
        "    if (!features || !(features.length >= x.length))\n"
        "        throw new RangeError('expected ' + x.length + ' features');\n"
        "    for (let i = 0; i < x.length; i++) {\n"
        "        const value = features[i];\n"
        "        x[i] = value === null || value === undefined ? NaN : Math.fround(value);\n"
        "    }\n"
        "}\n\n");
    const size_t parts = gr_source_put_parts(source);
    gr_buffer_text(source->out,
                   has_both ? "function run(score, probabilities) {\n" : "function run() {\n");
    for (size_t part = 1; part <= parts; part++)
        gr_buffer_format(source->out, "    part%zu(%s);\n", part,
                         has_both ? "score, probabilities" : "");
    gr_buffer_text(source->out, "}\n\n");
    put_results(source);
}

const gr_language gr_language_javascript = {
    .format = "javascript",
    .index = "let",
    .prefix = "",
    .types = { "", "", "" },
    .rounds = { "Math.fround", "", "" },
    .helpers = helpers,
    .taken = taken,
    .number = put_number,
    .literal = put_literal,
    .open_table = open_table,
    .close_table = "\n]);\n",
    .splits = put_splits,
    .open_part = open_part,
    .flags = "",
    .write = write_javascript,
    .ops = {
        [GR_OP_INPUT] = BLOCK(""),
        [GR_OP_CONSTANT] = BLOCK(""),
        [GR_OP_FOREST] = { .text = "for (let k = 0; k < $n; k++)\n"
                                   "    $o[k] = $t_bases[k];\n"
                                   "for (let t = 0; t < $q; t++)\n"
                                   "    $o[t % $n] += $t_leaves[" LEAF "];",
                           .is_block = true,
                           .helpers = HELPER_TREES },
        [GR_OP_LEAVES] = { .text = "for (let t = 0; t < $q; t++)\n"
                                   "    $o[t] = " LEAF " - $t_starts[t];",
                           .is_block = true,
                           .helpers = HELPER_TREES },
        [GR_OP_ADD] = EACH("$a + $b"),
        [GR_OP_SUB] = EACH("$a - $b"),
        [GR_OP_MUL] = EACH("$a * $b"),
        [GR_OP_DIV] = EACH("$a / $b"),
        [GR_OP_MAX] = EACH("$a > $b ? $a : $b"),
        [GR_OP_MIN] = EACH("$a < $b ? $a : $b"),
        [GR_OP_NEG] = EACH("-$a"),
        [GR_OP_ABS] = EACH("Math.abs($a)"),
        [GR_OP_ROUND] = EACH_CALLS("round($a)", HELPER_ROUND),
        [GR_OP_POW2] = EACH_CALLS("pow2($a)", HELPER_BITS | HELPER_POWER | HELPER_POW2),
        [GR_OP_SQUARE_ROOT] = EACH("Math.sqrt($a)"),
        [GR_OP_EXP] =
            EACH_CALLS("exp($a)", HELPER_ROUND | HELPER_BITS | HELPER_POWER | HELPER_EXP),
        [GR_OP_LOG] = EACH_CALLS("log($a)", HELPER_BITS | HELPER_LOG),
        [GR_OP_TO_F32] = EACH("$a"),
        [GR_OP_TO_F64] = EACH("$a"),
        [GR_OP_LESS] = EACH("$a < $b ? 1 : 0"),
        [GR_OP_LESS_EQUAL] = EACH("$a <= $b ? 1 : 0"),
        [GR_OP_IS_FINITE] = EACH("Number.isFinite($a) ? 1 : 0"),
        [GR_OP_IS_NAN] = EACH("Number.isNaN($a) ? 1 : 0"),
        [GR_OP_AND] = EACH("$a & $b"),
        [GR_OP_OR] = EACH("$a | $b"),
        [GR_OP_NOT] = EACH("1 - $a"),
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
                             "        const moved = $a[i * $n + j];\n"
                             "        let to = i;\n"
                             "        for (; to > 0 && $o[(to - 1) * $n + j] < moved; to--)\n"
                             "            $o[to * $n + j] = $o[(to - 1) * $n + j];\n"
                             "        $o[to * $n + j] = moved;\n"
                             "    }"),
        [GR_OP_DOT] =
            BLOCK(COLUMNS "    $o[j] = $c[j];\n"
                          "for (let k = 0; k < $k; k++)\n"
                          "    " COLUMNS "        $o[j] += $R($a[k] * $b[k * $n + j]);"),
        [GR_OP_MATMUL] = BLOCK(COLUMNS "    $o[j] = 0;\n"
                                       "for (let k = 0; k < $k; k++)\n"
                                       "    " COLUMNS "        $o[j] += $a[k] * $b[k * $n + j];"),
        [GR_OP_PICK] = BLOCK(ROWS "    " COLUMNS "        $o[i * $n + j] = $a[i * $k + $p[j]];"),
        [GR_OP_RESHAPE] = BLOCK(""), /* another name of its input */
        [GR_OP_JOIN] =
            BLOCK(ROWS "    " COLUMNS
                       "        $o[i * $n + j] = j < $k ? $a[i * $k + j] : $b[i * $w + j - $k];"),
        [GR_OP_LOOKUP] = BLOCK(ROWS "    " COLUMNS "        $o[i * $n + j] = $a[$b[i] * $n + j];"),
        [GR_OP_TAKE] = BLOCK(ROWS "    " COLUMNS "        $o[i * $n + j] = $a[$b[i * $n + j]];"),
    },
};

static gradus_status write_model(const gradus_model *model, const gr_export_options *options,
                                 gr_buffer *out, gradus_error *err)
{
    return gr_source_export(&gr_language_javascript, model, options, out, err);
}

static const char check_program[] =
    "const model = require('./MODEL');\n"
    "const text = require('fs').readFileSync('PARITY', 'utf8');\n"
    "const [head, ...rows] = text.trim().split('\\n').filter(line => line[0] !== '#');\n"
    "const columns = head.split(',').slice(1).map(Number);\n"
    "const row = new Float32Array(model.featureNames.length);\n"
    "let wrong = 0;\n"
    "for (const line of rows) {\n"
    "    const [score, ...values] = line.split(',').map(Number);\n"
    "    columns.forEach((f, i) => { row[f] = values[i]; });\n"
    "    if (model.score(row) !== score) wrong++;\n"
    "}\n"
    "console.log(rows.length + ' rows, ' + wrong + ' wrong');\n"
    "process.exitCode = wrong > 0 ? 1 : 0;\n";

const gr_format gr_format_javascript = {
    .about = { "javascript", "a script for browsers and node",
               "An object with functions that compute the score of a row, the order of several rows, "
               "and the probabilities of the labels of a row if the model has them. Bit-equal to "
               "gradus. Holds every model whose score depends on the features of the row alone." },
    .used_by = "node, browsers; the report page",
    .extension = "js",
    .methods = GR_GRAPH_METHODS,
    .tolerance = 0.0,
    .check = check_program,
    .write = write_model,
};
