/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX files, read back by a decoder of the tests: the wire format, the messages, the order of
 * nodes, properties, refusals and failing allocations. */
#include "failing_alloc.h"
#include "onnx_decode.h"
#include "random_forest.h"
#include "sample_model.h"

#include "exchange/format.h"
#include "exchange/onnx_model.h"
#include "exchange/onnx_proto.h"

#include <stdlib.h>
#include <string.h>

static void test_wire_format(void **state)
{
    static const uint8_t expected[] = {
        0x08, 0x00,                                                       /* 1: 0 */
        0x10, 0x7f,                                                       /* 2: 127 */
        0x78, 0x80, 0x01,                                                 /* 15: 128 */
        0x80, 0x01, 0xac, 0x02,                                           /* 16: 300 */
        0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* 1: -1 */
        0x12, 0x02, 'h',  'i',                                            /* 2: "hi" */
        0x1a, 0x00,                                                       /* 3: empty message */
        0x22, 0x05, 0x2a, 0x03, 0x30, 0x96, 0x01,                         /* 4: { 5: { 6: 150 } } */
    };
    gr_buffer out = { 0 };
    size_t outer, inner;

    (void)state;
    gr_proto_number(&out, 1, 0);
    gr_proto_number(&out, 2, 127);
    gr_proto_number(&out, 15, 128);
    gr_proto_number(&out, 16, 300);
    gr_proto_number(&out, 1, -1);
    gr_proto_text(&out, 2, "hi");
    gr_proto_end(&out, gr_proto_begin(&out, 3));
    outer = gr_proto_begin(&out, 4);
    inner = gr_proto_begin(&out, 5);
    gr_proto_number(&out, 6, 150);
    gr_proto_end(&out, inner);
    gr_proto_end(&out, outer);
    assert_int_equal(out.used, sizeof expected);
    assert_memory_equal(out.bytes.at, expected, sizeof expected);
    gr_buffer_free(&out);
}

/* Lengths around the limits of one and two bytes. */
static void test_lengths(void **state)
{
    static const size_t lengths[] = { 1, 126, 127, 128, 129, 16383, 16384, 16385, 3000000 };

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        gr_buffer out = { 0 };
        size_t start = gr_proto_begin(&out, 7);
        field found = { 0 };
        message from;

        for (size_t b = 0; b < lengths[i]; b++)
            gr_onnx_put_byte(&out, (uint8_t)(b * 7));
        gr_proto_end(&out, start);
        from = whole(&out);
        assert_true(next_field(&from, &found) && from.at == from.end);
        assert_int_equal(found.value, lengths[i]);
        for (size_t b = 0; b < lengths[i]; b++)
            if (found.bytes[b] != (uint8_t)(b * 7))
                fail();
        gr_buffer_free(&out);
    }
}

/* A graph with every operation, all of which its probabilities depend on. */
typedef struct sample_graph {
    gr_graph graph;
    gr_forest forest;
    size_t joined;
} sample_graph;

static size_t use(sample_graph *sample, size_t v)
{
    gr_graph *graph = &sample->graph;
    const gr_graph_value value = graph->values[v];
    size_t number = value.type == GR_GRAPH_F64 ? v : gr_op1(graph, GR_OP_TO_F64, v);

    number = gr_graph_reshape(graph, number, 1, value.rows * value.columns);
    sample->joined = gr_op2(graph, GR_OP_JOIN, sample->joined, number);
    return v;
}

static void use_elementwise(sample_graph *sample, size_t a, size_t single)
{
    gr_graph *graph = &sample->graph;
    size_t less, equal;

    for (int op = GR_OP_ADD; op <= GR_OP_MIN; op++)
        use(sample, gr_op_number(graph, (gr_graph_op)op, a, 2.5));
    for (int op = GR_OP_NEG; op <= GR_OP_LOG; op++)
        use(sample, gr_op1(graph, (gr_graph_op)op, a));
    use(sample, gr_op1(graph, GR_OP_TO_F32, a));
    less = use(sample, gr_op_number(graph, GR_OP_LESS, a, 1.0));
    equal = use(sample, gr_op_number(graph, GR_OP_LESS_EQUAL, a, 1.0));
    use(sample, gr_op1(graph, GR_OP_IS_FINITE, single));
    use(sample, gr_op1(graph, GR_OP_IS_NAN, single));
    use(sample, gr_op2(graph, GR_OP_AND, less, equal));
    use(sample, gr_op2(graph, GR_OP_OR, less, equal));
    use(sample, gr_op1(graph, GR_OP_NOT, less));
    use(sample, gr_op3(graph, GR_OP_WHERE, less, a, a));
}

static void use_matrices(sample_graph *sample, size_t a, size_t leaves)
{
    static const double table[6] = { 1, 2, 3, 4, 5, 6 };
    static const uint32_t picked[2] = { 1, 0 };
    gr_graph *graph = &sample->graph;
    size_t upright = gr_graph_upright(graph, a);
    size_t square = gr_graph_constant(graph, GR_GRAPH_F64, 2, 3, table);
    size_t row = gr_graph_constant(graph, GR_GRAPH_F64, 1, 3, table);
    size_t zero = gr_op_number(graph, GR_OP_MUL, leaves, 0.0);
    size_t start = gr_graph_constant(graph, GR_GRAPH_F64, 1, 2, table);

    for (int op = GR_OP_SUM; op <= GR_OP_SORT; op++)
        use(sample, gr_op1(graph, (gr_graph_op)op, upright));
    use(sample, gr_op1(graph, GR_OP_SORT, gr_graph_upright(graph, row)));
    use(sample, gr_op3(graph, GR_OP_DOT, a, square, row));
    use(sample, gr_op2(graph, GR_OP_MATMUL, a, square));
    use(sample, gr_graph_pick(graph, a, picked, 2));
    use(sample, gr_op2(graph, GR_OP_LOOKUP, square, zero));
    use(sample, gr_op2(graph, GR_OP_TAKE, a, zero));
    use(sample, gr_op2(graph, GR_OP_TAKE, row, zero));
    use(sample, gr_op2(graph, GR_OP_TAKE, a, gr_op_number(graph, GR_OP_MUL, start, 0.0)));
}

static void make_sample(sample_graph *sample)
{
    static const forest_plan plan = { 4, 2, 90, 5, false, 0, SHAPE_RANDOM };
    gr_rng rng = gr_rng_for(5, "onnx", 0);
    gr_graph *graph = &sample->graph;
    size_t sums, leaves, other;

    *sample = (sample_graph){ 0 };
    random_forest(&rng, &plan, &sample->forest);
    gr_graph_start(graph, plan.features);
    sample->joined = gr_graph_number(graph, GR_GRAPH_F64, 0.5);
    sums = use(sample, gr_graph_trees(graph, GR_OP_FOREST, 0, &sample->forest));
    leaves = use(sample, gr_graph_trees(graph, GR_OP_LEAVES, 0, &sample->forest));
    other = gr_op_number(graph, GR_OP_ADD, 0, 1.0);
    use(sample, gr_graph_trees(graph, GR_OP_FOREST, other, &sample->forest));
    use_elementwise(sample, sums, 0);
    use_matrices(sample, sums, leaves);
    graph->score = gr_graph_number(graph, GR_GRAPH_F64, 1.5);
    graph->probabilities = sample->joined;
    graph->levels = graph->values[sample->joined].columns;
    assert_false(graph->failed);
}

static void free_sample(sample_graph *sample)
{
    gr_graph_free(&sample->graph);
    gr_forest_free(&sample->forest);
}

static const gr_onnx_property properties[] = { { "method", "m" }, { "empty", "" } };
static const gr_onnx_about about = { "2nd model!", "text", properties, 2 };

/* Whether a tensor has a name before the item `limit` of the graph: as an input, a constant, or an
 * output of a node. */
static bool is_known(message graph, const field *name, const uint8_t *limit)
{
    field item, output;

    if (field_is(name, "features"))
        return true;
    while (next_field(&graph, &item) && item.bytes < limit) {
        message from = inside(&item);

        if (item.number == 5) {
            output = get_field(from, 8);
            if (output.value == name->value && !memcmp(output.bytes, name->bytes, name->value))
                return true;
        }
        for (size_t i = 0; item.number == 1 && find_field(from, 2, i, &output); i++)
            if (output.value == name->value && !memcmp(output.bytes, name->bytes, name->value))
                return true;
    }
    return false;
}

/* Nodes follow what they use, and every name is defined once. */
static void check_order(message graph)
{
    message items = graph;
    field item, name;

    while (next_field(&items, &item)) {
        message from = item.wire == 2 ? inside(&item) : (message){ 0 };

        if (item.number == 5) {
            name = get_field(from, 8);
            assert_false(is_known(graph, &name, item.bytes));
            assert_true(tensor_count(from) > 0);
        }
        if (item.number != 1)
            continue;
        for (size_t i = 0; find_field(from, 1, i, &name); i++)
            assert_true(is_known(graph, &name, item.bytes));
        for (size_t i = 0; find_field(from, 2, i, &name); i++)
            assert_false(is_known(graph, &name, item.bytes));
    }
}

static void check_value(message graph, unsigned number, size_t index, const char *name,
                        uint64_t type, uint64_t columns)
{
    field item, inner;
    message shape, dim;

    assert_true(find_field(graph, number, index, &item));
    inner = get_field(inside(&item), 1);
    assert_true(field_is(&inner, name));
    inner = get_field(inside(&item), 2);
    inner = get_field(inside(&inner), 1);
    assert_int_equal(get_field(inside(&inner), 1).value, type);
    inner = get_field(inside(&inner), 2);
    shape = inside(&inner);
    assert_int_equal(count_fields(shape, 1), 2);
    assert_true(find_field(shape, 1, 0, &item));
    inner = get_field(inside(&item), 2);
    assert_true(field_is(&inner, "N"));
    assert_true(find_field(shape, 1, 1, &item));
    dim = inside(&item);
    assert_int_equal(get_field(dim, 1).value, columns);
}

static void check_head(message file, uint64_t ir, uint64_t opset_ml)
{
    field item, domain;

    assert_int_equal(get_field(file, 1).value, ir);
    item = get_field(file, 2);
    assert_true(field_is(&item, "gradus"));
    item = get_field(file, 3);
    assert_true(field_is(&item, GRADUS_VERSION));
    item = get_field(file, 6);
    assert_true(field_is(&item, "text"));
    assert_int_equal(count_fields(file, 8), 2);
    assert_true(find_field(file, 8, 0, &item));
    domain = get_field(inside(&item), 1);
    assert_true(field_is(&domain, ""));
    assert_int_equal(get_field(inside(&item), 2).value, 13);
    assert_true(find_field(file, 8, 1, &item));
    domain = get_field(inside(&item), 1);
    assert_true(field_is(&domain, "ai.onnx.ml"));
    assert_int_equal(get_field(inside(&item), 2).value, opset_ml);
    assert_int_equal(count_fields(file, 14), 2);
}

static void test_model(void **state)
{
    static const uint64_t opsets[] = { 5, 3 }, versions[] = { 10, 8 };
    sample_graph sample;

    (void)state;
    make_sample(&sample);
    for (size_t i = 0; i < 2; i++) {
        gr_buffer out = { 0 }, again = { 0 };
        field item;
        message graph;

        assert_int_equal(gr_onnx_model_write(&out, &sample.graph, opsets[i], &about, NULL),
                         GRADUS_OK);
        assert_int_equal(gr_onnx_model_write(&again, &sample.graph, opsets[i], &about, NULL),
                         GRADUS_OK);
        assert_int_equal(out.used, again.used);
        assert_memory_equal(out.bytes.at, again.bytes.at, out.used);
        check_head(whole(&out), versions[i], opsets[i]);
        item = get_field(whole(&out), 7);
        graph = inside(&item);
        item = get_field(graph, 2);
        assert_true(field_is(&item, "_2nd_model_"));
        check_value(graph, 11, 0, "features", GR_ONNX_FLOAT, 4);
        check_value(graph, 12, 0, "score", GR_ONNX_DOUBLE, 1);
        check_value(graph, 12, 1, "probabilities", GR_ONNX_DOUBLE, sample.graph.levels);
        check_order(graph);
        gr_buffer_free(&again);
        gr_buffer_free(&out);
    }
    free_sample(&sample);
}

/* The names of a model go into its properties. */
static void test_properties(void **state)
{
    static const struct {
        const char *key, *value;
    } expected[] = { { "method", NULL },
                     { "first_feature_id", NULL },
                     { "feature_names", "[\"bm25\\u00ff\", \"\", \"bm25\\u00ff o\"]" } };
    const gr_export_options options = { .opset_ml = 5, .name = "" };
    size_t named = 0;

    (void)state;
    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        gradus_model *model = sample_model(&sample_kinds[k]);
        gr_buffer out = { 0 };
        gradus_status status = gr_format_onnx.write(model, &options, &out, NULL);

        assert_true(status == (sample_kinds[k].by_query ? GRADUS_BAD_ARGUMENT : GRADUS_OK));
        for (size_t p = 0; status == GRADUS_OK && p < 3; p++) {
            field item, text;

            if (p == 2 && !sample_kinds[k].named)
                continue;
            assert_true(find_field(whole(&out), 14, p, &item));
            text = get_field(inside(&item), 1);
            assert_true(field_is(&text, expected[p].key));
            text = get_field(inside(&item), 2);
            assert_true(field_is(&text, p == 0 ? model->method : p == 1 ? "1" : expected[p].value));
            named += p == 2;
        }
        gr_buffer_free(&out);
        gr_model_free(model);
    }
    assert_true(named > 0);
}

static void test_refusals(void **state)
{
    sample_graph sample;
    gr_buffer out = { 0 };
    gradus_error err;

    (void)state;
    make_sample(&sample);
    for (uint64_t opset = 0; opset < 8; opset++)
        if (opset != 3 && opset != 5)
            assert_int_equal(gr_onnx_model_write(&out, &sample.graph, opset, &about, &err),
                             GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "'opset-ml' is 7, but must be 3 or 5");
    assert_int_equal(out.used, 0);
    free_sample(&sample);
    gr_buffer_free(&out);
}

static gradus_model *kept;

static gradus_status export_kept(gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    for (uint64_t opset = 3; opset <= 5 && status == GRADUS_OK; opset += 2) {
        const gr_export_options options = { .opset_ml = opset, .name = "m" };
        gr_buffer out = { 0 };

        status = gr_format_onnx.write(kept, &options, &out, err);
        gr_buffer_free(&out);
    }
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        if (sample_kinds[k].by_query)
            continue;
        kept = sample_model(&sample_kinds[k]);
        assert_true(exhaust("export to onnx", export_kept) > 10);
        gr_model_free(kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire_format), cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_model),       cmocka_unit_test(test_properties),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_failing_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
