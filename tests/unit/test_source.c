/* SPDX-License-Identifier: Apache-2.0 */
/* Generated C and JavaScript: a graph with every operation, in all types and shapes, is written,
 * compiled and run, and must give the numbers of gr_graph_run. */
#include "checks.h"
#include "failing_alloc.h"
#include "sample_graph.h"
#include "temporary_files.h"

#include "base/text.h"
#include "exchange/source_text.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 12 };

static const gr_language *const languages[] = { &gr_language_c, &gr_language_javascript };
enum { LANGUAGES = sizeof languages / sizeof *languages };

static float *make_rows(const sample_graph *s, size_t rows)
{
    gr_rng rng = gr_rng_for(7, "rows", s->graph.features);
    const forest_plan plan = { .features = GRAPH_FEATURES };
    float *values = random_rows(&rng, &plan, &s->forests[1], rows, s->graph.features);

    for (size_t i = s->graph.features * rows / 2; i < s->graph.features * rows; i++)
        values[i] = i % 41 == 0 ? FLT_MAX : i % 43 == 0 ? -FLT_MIN / 4 : (float)gr_rng_normal(&rng);
    return values;
}

static gradus_model model_of(void)
{
    return (gradus_model){ .method = (char *)"test */ </script> ?\?/", .first_id = 1 };
}

/* Writes the file of a graph into the folder. */
static void write_source(const gr_language *language, const gradus_model *model,
                         const gr_graph *graph, const char *name, const char *file)
{
    gr_buffer out = { .used = 0 };
    char path[128];
    FILE *stream;

    assert_int_equal(gr_program_write(language, model, graph, name, &out, NULL), GRADUS_OK);
    stream = fopen(in_folder(path, test_folder, file), "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(out.bytes.at, 1, out.used, stream), out.used);
    fclose(stream);
    gr_buffer_free(&out);
}

/* Runs a command in the folder. */
static int run_there(const char *command)
{
    char whole[600];

    assert_in_range(snprintf(whole, sizeof whole, "cd %s && %s", test_folder, command), 1, 599);
    return system(whole);
}

static bool has_command(const char *name)
{
    char command[100];

    snprintf(command, sizeof command, "command -v %s > /dev/null", name);
    return run_there(command) == 0;
}

static void remove_files(void)
{
    assert_int_equal(run_there("rm -f *"), 0);
}

/* The rows as bits of floats, one number per line. */
static void write_rows(const float *rows, size_t count)
{
    char path[128];
    FILE *stream = fopen(in_folder(path, test_folder, "rows.txt"), "w");

    assert_non_null(stream);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &rows[i], sizeof bits);
        fprintf(stream, "%" PRIu32 "\n", bits);
    }
    fclose(stream);
}

static const char c_main[] = "#define MODEL_DECLARATIONS\n"
                             "#include \"model.c\"\n"
                             "#include <inttypes.h>\n"
                             "#include <stdio.h>\n"
                             "#include <string.h>\n"
                             "static double results[MODEL_LEVELS + 1];\n"
                             "static float row[MODEL_FEATURES];\n"
                             "int main(void)\n"
                             "{\n"
                             "    uint32_t word;\n"
                             "    for (size_t f = 0; scanf(\"%\" SCNu32, &word) == 1; f++) {\n"
                             "        memcpy(&row[f % MODEL_FEATURES], &word, sizeof word);\n"
                             "        if ((f + 1) % MODEL_FEATURES)\n"
                             "            continue;\n"
                             "        model_probabilities(row, results);\n"
                             "        results[MODEL_LEVELS] = model_score(row);\n"
                             "        for (size_t i = 0; i <= MODEL_LEVELS; i++) {\n"
                             "            uint64_t bits;\n"
                             "            memcpy(&bits, &results[i], sizeof bits);\n"
                             "            printf(\"%\" PRIu64 \"\\n\", bits);\n"
                             "        }\n"
                             "    }\n"
                             "    return 0;\n"
                             "}\n";

static const char node_main[] =
    "const model = require('./model.js');\n"
    "const words = require('fs').readFileSync('rows.txt', 'utf8').trim().split('\\n').map(Number);\n"
    "const rows = new Float32Array(new Uint32Array(words).buffer);\n"
    "const n = model.featureNames.length, lines = [];\n"
    "for (let r = 0; r * n < rows.length; r++) {\n"
    "    const row = Array.from(rows.subarray(r * n, (r + 1) * n), v => isNaN(v) ? null : v);\n"
    "    const results = model.probabilities(row).concat(model.score(row));\n"
    "    lines.push(...new BigUint64Array(new Float64Array(results).buffer));\n"
    "}\n"
    "console.log(lines.join('\\n'));\n";

static uint64_t bits_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void check_result(double found, double expected, size_t row, size_t value)
{
    if ((!isnan(found) || !isnan(expected)) && bits_of(found) != bits_of(expected))
        fail_msg("row %zu, result %zu: %a, not %a", row, value, found, expected);
}

/* Compares the numbers that a program has written with those of the graph. */
static void check_output(const gr_graph *graph, const float *rows, size_t row_count)
{
    double **results = gr_new_array(graph->count, sizeof *results);
    char path[128];
    FILE *stream = fopen(in_folder(path, test_folder, "out.txt"), "r");

    assert_non_null(stream);
    assert_non_null(results);
    for (size_t r = 0; r < row_count; r++) {
        assert_int_equal(gr_graph_run(graph, rows + r * graph->features, results, NULL), GRADUS_OK);
        for (size_t i = 0; i <= graph->levels; i++) {
            uint64_t bits;
            double found;

            assert_int_equal(fscanf(stream, "%" SCNu64, &bits), 1);
            memcpy(&found, &bits, sizeof found);
            check_result(found,
                         i < graph->levels ? results[graph->probabilities][i]
                                           : results[graph->score][0],
                         r, i);
        }
        free(results[0]);
    }
    fclose(stream);
    free(results);
}

#define STRICT "-Wall -Wextra -Wconversion -Wshadow -Werror "

static void check_c(const sample_graph *s, const float *rows, size_t row_count,
                    const char *compiler)
{
    const gradus_model model = model_of();
    char path[128], command[400];

    write_source(&gr_language_c, &model, &s->graph, NULL, "model.c");
    write_whole(in_folder(path, test_folder, "main.c"), c_main);
    write_rows(rows, row_count * s->graph.features);
    snprintf(command, sizeof command,
             "%s model.c main.c -lm -o model && ./model < rows.txt > out.txt", compiler);
    print_message("%s\n", compiler);
    assert_int_equal(run_there(command), 0);
    check_output(&s->graph, rows, row_count);
    remove_files();
}

static void check_javascript(const sample_graph *s, const float *rows, size_t row_count)
{
    const gradus_model model = model_of();
    char path[128];

    write_source(&gr_language_javascript, &model, &s->graph, NULL, "model.js");
    write_whole(in_folder(path, test_folder, "main.js"), node_main);
    write_rows(rows, row_count * s->graph.features);
    assert_int_equal(run_there("node main.js > out.txt"), 0);
    check_output(&s->graph, rows, row_count);
    remove_files();
}

static void test_every_operation_has_a_text(void **state)
{
    (void)state;
    for (size_t l = 0; l < LANGUAGES; l++)
        for (size_t op = 0; op < GR_GRAPH_OPS; op++)
            if (!languages[l]->ops[op].text)
                fail_msg("%s lacks %s", languages[l]->format, gr_graph_op_name((gr_graph_op)op));
}

static void test_c_gives_the_numbers_of_the_graph(void **state)
{
    static const char *const compilers[] = {
        "gcc -std=c99 -O0 " STRICT,
        "gcc -std=c99 -O3 -march=native -ffp-contract=off " STRICT,
        "gcc -std=gnu11 -O1 -march=native " STRICT,
        "gcc -std=c99 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all " STRICT,
        "clang -std=c99 -O3 -march=native -ffp-contract=off " STRICT,
        "clang -std=gnu17 -O1 -march=native " STRICT,
    };
    sample_graph s;
    size_t tried = 0;

    (void)state;
    make_every_operation(&s);
    float *rows = make_rows(&s, ROWS);
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        if (!has_command(strncmp(compilers[i], "gcc", 3) == 0 ? "gcc" : "clang"))
            continue;
        check_c(&s, rows, ROWS, compilers[i]);
        tried++;
        if (getenv("FEW_COMPILERS"))
            break;
    }
    free(rows);
    free_sample(&s);
    if (tried == 0)
        SKIP_TEST("no compiler");
}

static void test_javascript_gives_the_numbers_of_the_graph(void **state)
{
    sample_graph s;

    (void)state;
    if (!has_command("node"))
        SKIP_TEST("no node");
    make_every_operation(&s);
    float *rows = make_rows(&s, ROWS);
    check_javascript(&s, rows, ROWS);
    free(rows);
    free_sample(&s);
}

enum { FUNCTION_POINTS = 4096 };

/* exp and log of many numbers, in memory that is too large for the stack. */
static void test_exp_and_log_have_the_bits_of_gradus(void **state)
{
    sample_graph s;

    (void)state;
    start_sample(&s, FUNCTION_POINTS);
    const size_t x = gr_op1(&s.graph, GR_OP_TO_F64, 0);
    const size_t scaled = gr_op_number(&s.graph, GR_OP_MUL, x, 1.0 / 3);
    gather(&s, gr_op1(&s.graph, GR_OP_EXP, scaled));
    gather(&s, gr_op1(&s.graph, GR_OP_LOG, scaled));
    gather(&s, gr_op1(&s.graph, GR_OP_LOG, gr_op1(&s.graph, GR_OP_EXP, x))); /* subnormals */
    finish_sample(&s);
    float *rows = gr_new_array(2 * FUNCTION_POINTS, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < 2 * FUNCTION_POINTS; i++)
        rows[i] = i < FUNCTION_POINTS ? (float)((gr_rng_uniform(&s.rng) - 0.5) * 1500)
                                      : (float)exp((gr_rng_uniform(&s.rng) - 0.5) * 200);
    if (has_command("cc"))
        check_c(&s, rows, 2, "cc -std=c99 -O2 -ffp-contract=off " STRICT);
    if (has_command("node"))
        check_javascript(&s, rows, 2);
    free(rows);
    free_sample(&s);
}

/* A chain of values needs memory for the current one and its input. */
static void test_memory_of_values_is_used_again(void **state)
{
    sample_graph s;
    gr_program_plan plan;

    (void)state;
    start_sample(&s, 100);
    size_t value = gr_op1(&s.graph, GR_OP_TO_F64, 0);
    for (size_t i = 0; i < 50; i++)
        value = gr_op_number(&s.graph, GR_OP_ADD, value, (double)i);
    gr_op1(&s.graph, GR_OP_EXP, value); /* not needed */
    s.graph.score = gr_graph_part(&s.graph, value, 99, 1);
    assert_int_equal(gr_program_plan_make(&s.graph, &plan, NULL), GRADUS_OK);
    assert_in_range(plan.sizes[GR_GRAPH_F64], 200, 201);
    assert_int_equal(plan.sizes[GR_GRAPH_F32], 0);
    gr_program_plan_free(&plan);
    free_sample(&s);
}

static void make_simple(sample_graph *s, size_t features)
{
    start_sample(s, features);
    const size_t first = gr_op1(&s->graph, GR_OP_TO_F64, gr_graph_part(&s->graph, 0, 0, 1));
    s->graph.score = gr_op_number(&s->graph, GR_OP_MUL, first, 3.0);
}

static char *text_of(const gr_language *language, const gradus_model *model, const gr_graph *graph,
                     const char *name)
{
    gr_buffer out = { .used = 0 };

    assert_int_equal(gr_program_write(language, model, graph, name, &out, NULL), GRADUS_OK);
    gr_buffer_put(&out, "", 1);
    char *text = strdup(out.bytes.at);
    assert_non_null(text);
    gr_buffer_free(&out);
    return text;
}

static void test_names_become_identifiers(void **state)
{
    static const struct {
        const char *name, *c, *javascript;
    } cases[] = {
        { NULL, "double model_score(", "var model = " },
        { "my-model 2", "double my_model_2_score(", "var my_model_2 = " },
        { "2nd", "double model_2nd_score(", "var model_2nd = " },
        { "", "double model__score(", "var model_ = " },
        { "\xC3\xA9", "double model____score(", "var model___ = " },
        { "class", "double class_score(", "var class_model = " },
        { "location", "double location_score(", "var location_model = " },
        { "a</script>*/", "double a__script____score(", "var a__script___ = " },
    };
    const gradus_model model = model_of();
    sample_graph s;

    (void)state;
    make_simple(&s, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t l = 0; l < LANGUAGES; l++) {
            char *text = text_of(languages[l], &model, &s.graph, cases[i].name);
            const char *wanted = l == 0 ? cases[i].c : cases[i].javascript;

            if (!strstr(text, wanted))
                fail_msg("'%s' is not in the file", wanted);
            free(text);
        }
    free_sample(&s);
}

static void test_same_graph_gives_the_same_bytes(void **state)
{
    const gradus_model model = model_of();

    (void)state;
    for (size_t l = 0; l < LANGUAGES; l++) {
        char *texts[2];

        for (size_t i = 0; i < 2; i++) {
            sample_graph s;

            make_every_operation(&s);
            texts[i] = text_of(languages[l], &model, &s.graph, NULL);
            free_sample(&s);
        }
        assert_string_equal(texts[0], texts[1]);
        assert_null(strstr(texts[0], "test */"));
        assert_null(strstr(texts[0], "</"));
        for (const char *at = texts[0]; *at; at++)
            assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
        free(texts[0]);
        free(texts[1]);
    }
}

static const char *const odd_names[] = { "plain",
                                         "\"quoted\" 'text' \\",
                                         "what?\?/?",
                                         "</script><!--",
                                         "\xE2\x80\xA8|\xE2\x80\xA9",
                                         "na\xC3\xAFve \xF0\x9F\x98\x80",
                                         "tab\tline\nend",
                                         "1\0012" };
enum { ODD_NAMES = sizeof odd_names / sizeof *odd_names };

static void check_names_in_c(const gradus_model *model, const gr_graph *graph, const char *wanted)
{
    char path[128];

    write_source(&gr_language_c, model, graph, NULL, "model.c");
    write_whole(in_folder(path, test_folder, "main.c"),
                "#define MODEL_DECLARATIONS\n#include \"model.c\"\n#include <stdio.h>\n"
                "int main(void)\n{\n    for (int f = 0; f < MODEL_FEATURES; f++)\n"
                "        puts(model_feature_names[f]);\n    return 0;\n}\n");
    assert_int_equal(
        run_there("cc -std=c99 " STRICT "model.c main.c -o model && ./model > out.txt"), 0);
    char *found = read_whole(in_folder(path, test_folder, "out.txt"));
    assert_string_equal(found, wanted);
    free(found);
    remove_files();
}

static void check_names_in_javascript(const gradus_model *model, const gr_graph *graph,
                                      const char *wanted)
{
    char path[128];

    write_source(&gr_language_javascript, model, graph, NULL, "model.js");
    assert_int_equal(run_there("node -e \"for (const n of require('./model.js').featureNames) "
                               "console.log(n)\" > out.txt"),
                     0);
    char *found = read_whole(in_folder(path, test_folder, "out.txt"));
    assert_string_equal(found, wanted);
    free(found);
    remove_files();
}

static void test_names_of_features_are_strings(void **state)
{
    gr_name_list list = { .count = 0 };
    gradus_model model = model_of();
    char wanted[400] = "";
    sample_graph s;

    (void)state;
    for (size_t f = 0; f < ODD_NAMES; f++) {
        assert_true(gr_name_list_add(&list, odd_names[f], strlen(odd_names[f])));
        gr_text_append(wanted, sizeof wanted, odd_names[f]);
        gr_text_append(wanted, sizeof wanted, "\n");
    }
    model.feature_names = gr_name_list_names(&list);
    make_simple(&s, ODD_NAMES);
    if (has_command("cc"))
        check_names_in_c(&model, &s.graph, wanted);
    if (has_command("node"))
        check_names_in_javascript(&model, &s.graph, wanted);
    free_sample(&s);
    gr_name_list_free(&list);
}

static gradus_status write_both(gradus_error *err)
{
    const gradus_model model = model_of();
    sample_graph s = { .joined = 0 };
    gradus_status status = GRADUS_OK;

    gr_graph_start(&s.graph, 3);
    const size_t first = gr_op1(&s.graph, GR_OP_TO_F64, gr_graph_part(&s.graph, 0, 0, 1));
    s.graph.score = gr_op_number(&s.graph, GR_OP_MUL, first, 3.0);
    if (s.graph.failed)
        status = gr_fail_memory(err, "the graph");
    for (size_t l = 0; status == GRADUS_OK && l < LANGUAGES; l++) {
        gr_buffer out = { .used = 0 };

        status = gr_program_write(languages[l], &model, &s.graph, NULL, &out, err);
        gr_buffer_free(&out);
    }
    gr_graph_free(&s.graph);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(exhaust("sources", write_both) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation_has_a_text),
        cmocka_unit_test(test_c_gives_the_numbers_of_the_graph),
        cmocka_unit_test(test_javascript_gives_the_numbers_of_the_graph),
        cmocka_unit_test(test_exp_and_log_have_the_bits_of_gradus),
        cmocka_unit_test(test_memory_of_values_is_used_again),
        cmocka_unit_test(test_names_become_identifiers),
        cmocka_unit_test(test_same_graph_gives_the_same_bytes),
        cmocka_unit_test(test_names_of_features_are_strings),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, set_up_folder, tear_down_folder);
}
