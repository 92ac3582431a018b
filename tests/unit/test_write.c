/* SPDX-License-Identifier: Apache-2.0 */
/* Writing datasets in every format and reading them back; failures leave no file. */
#include "random_sets.h"

#include "base/sink.h"
#include "data/read.h"
#include "data/write.h"

static char *written_by(gradus_context *context, const gradus_dataset *data, const char *name,
                        const gr_write_options *options, size_t *size)
{
    const gr_write_options defaults = { 0 };
    gradus_error err = { GRADUS_OK, "" };
    char path[128], *bytes;

    in_folder(path, test_folder, name);
    if (gr_write(context, data, path, options ? options : &defaults, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    bytes = file_bytes(path, size);
    unlink(path);
    return bytes;
}

static void writes(const gradus_dataset *data, const char *name, const gr_write_options *options,
                   const char *wanted)
{
    size_t size;
    char *bytes = written_by(NULL, data, name, options, &size);

    assert_string_equal(bytes, wanted);
    free(bytes);
}

/* A hand-made dataset: two queries, names, a weight, a missing value. */
typedef struct by_hand {
    gradus_dataset *data;
    gr_name_list queries, documents, features;
} by_hand;

static const float dense_values[] = { 0.5f, -0.0f, 3.0f, 1e-7f, NAN, 0.0f, INFINITY, 1e20f, 0.1f };
static const float three_labels[] = { 2.0f, 0.0f, 1.5f };
static const uint64_t two_queries[] = { 0, 2, 3 };
static const uint64_t sparse_starts[] = { 0, 2, 2, 3 };
static const uint32_t sparse_columns[] = { 0, 2, 1 };
static const float sparse_entries[] = { 0.25f, 7.0f, NAN };

static gr_names names_of(gr_name_list *list, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gr_name_list_add(list, names[i], strlen(names[i]));
    return gr_name_list_names(list);
}

static by_hand make_by_hand(bool sparse, size_t queries)
{
    const gradus_arrays arrays = {
        .rows = 3,
        .features = 3,
        .values = sparse ? NULL : dense_values,
        .stride = 3,
        .row_starts = sparse ? sparse_starts : NULL,
        .columns = sparse_columns,
        .entries = sparse_entries,
        .labels = three_labels,
        .queries = queries,
        .query_starts = queries ? two_queries : NULL,
    };
    by_hand h = { 0 };

    h.data = gradus_dataset_borrow(&arrays, NULL);
    assert_non_null(h.data);
    return h;
}

static void free_by_hand(by_hand *h)
{
    gradus_dataset_free(h->data);
    gr_name_list_free(&h->queries);
    gr_name_list_free(&h->documents);
    gr_name_list_free(&h->features);
}

static void test_dense_text_names_every_feature(void **state)
{
    by_hand h = make_by_hand(false, 2);

    (void)state;
    writes(h.data, "a.txt", NULL,
           "2 qid:1 1:0.5 2:-0 3:3\n"
           "0 qid:1 1:1e-7 2:nan 3:0\n"
           "1.5 qid:2 1:inf 2:100000000000000000000 3:0.1\n");
    free_by_hand(&h);
}

static void test_zeros_can_be_left_out(void **state)
{
    const gr_write_options options = { .skip_zeros = true };
    by_hand h = make_by_hand(false, 2);

    (void)state;
    writes(h.data, "a.txt", &options,
           "2 qid:1 1:0.5 3:3\n"
           "0 qid:1 1:1e-7 2:nan\n"
           "1.5 qid:2 1:inf 2:100000000000000000000 3:0.1\n");
    free_by_hand(&h);
}

static void test_sparse_text_names_entries(void **state)
{
    by_hand h = make_by_hand(true, 2);

    (void)state;
    writes(h.data, "a", NULL, "2 qid:1 1:0.25 3:7\n0 qid:1\n1.5 qid:2 2:nan\n");
    h.data->first_id = 0;
    writes(h.data, "a", NULL, "2 qid:1 0:0.25 2:7\n0 qid:1\n1.5 qid:2 1:nan\n");
    free_by_hand(&h);
}

static void test_sparse_text_shows_how_many_features_there_are(void **state)
{
    by_hand h = make_by_hand(true, 2);

    (void)state;
    h.data->arrays.features = 100000;
    writes(h.data, "a", NULL, "2 qid:1 1:0.25 3:7 100000:0\n0 qid:1\n1.5 qid:2 2:nan\n");
    free_by_hand(&h);
}

static void test_sparse_text_shows_that_ids_begin_at_0(void **state)
{
    const uint32_t columns[] = { 1, 2, 1 };
    by_hand h = make_by_hand(true, 2);

    (void)state;
    h.data->arrays.columns = columns;
    h.data->first_id = 0;
    writes(h.data, "a", NULL, "2 qid:1 0:0 1:0.25 2:7\n0 qid:1\n1.5 qid:2 1:nan\n");
    free_by_hand(&h);
}

static void test_one_query_without_a_name_has_no_id(void **state)
{
    by_hand h = make_by_hand(true, 0);

    (void)state;
    writes(h.data, "a", NULL, "2 1:0.25 3:7\n0\n1.5 2:nan\n");
    writes(h.data, "a.csv", NULL, "label,f1,f2,f3\n2,0.25,0,7\n0,0,0,0\n1.5,0,nan,0\n");
    free_by_hand(&h);
}

static void name_all(by_hand *h, const char *query)
{
    static const float weights[] = { 1.0f, 0.5f, 3.0f };
    const char *const queries[] = { "a1", query };
    static const char *const documents[] = { "GX0-1", "", "say \"hi\", x" };
    static const char *const features[] = { "bm25", "title, length", " tf" };

    h->data->query_names = names_of(&h->queries, queries, 2);
    h->data->document_names = names_of(&h->documents, documents, 3);
    h->data->feature_names = names_of(&h->features, features, 3);
    h->data->arrays.row_weights = weights;
}

static void test_names_and_weights_in_text(void **state)
{
    by_hand h = make_by_hand(true, 2);

    (void)state;
    name_all(&h, "b2");
    writes(h.data, "a.txt", NULL,
           "2 qid:a1 cost:1 1:0.25 3:7 #docid = GX0-1\n"
           "0 qid:a1 cost:0.5\n"
           "1.5 qid:b2 cost:3 2:nan # say \"hi\", x\n");
    free_by_hand(&h);
}

static void test_names_and_weights_in_csv(void **state)
{
    const gr_write_options bare = { .format = GR_FORMAT_TSV, .no_header = true };
    by_hand h = make_by_hand(true, 2);

    (void)state;
    name_all(&h, "b\n2");
    writes(h.data, "a.csv", NULL,
           "label,qid,weight,docid,bm25,\"title, length\",\" tf\"\n"
           "2,a1,1,GX0-1,0.25,0,7\n"
           "0,a1,0.5,,0,0,0\n"
           "1.5,\"b\n2\",3,\"say \"\"hi\"\", x\",0,nan,0\n");
    writes(h.data, "a.txt", &bare,
           "2\ta1\t1\tGX0-1\t0.25\t0\t7\n"
           "0\ta1\t0.5\t\t0\t0\t0\n"
           "1.5\t\"b\n2\"\t3\t\"say \"\"hi\"\", x\"\t0\tnan\t0\n");
    free_by_hand(&h);
}

static void test_rows_are_written_in_the_order_of_their_file(void **state)
{
    const uint64_t places[] = { 0, 2, 1 };
    by_hand h = make_by_hand(true, 2);

    (void)state;
    h.data->file_rows = places;
    writes(h.data, "a", NULL, "2 qid:1 1:0.25 3:7\n1.5 qid:2 2:nan\n0 qid:1\n");
    free_by_hand(&h);
}

static void refuses(const gradus_dataset *data, const char *name, const char *message)
{
    const gr_write_options options = { 0 };
    gradus_error err = { GRADUS_OK, "" };
    char path[128];

    assert_int_equal(gr_write(NULL, data, in_folder(path, test_folder, name), &options, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, message);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void test_what_a_form_cannot_hold_is_refused(void **state)
{
    static const char *const line_break[] = { "a\nb", "c", "d" };
    static const char *const names[] = { "one", "Weight", "three" };
    by_hand h = make_by_hand(true, 2);

    (void)state;
    name_all(&h, "b 2");
    refuses(h.data, "a.txt",
            "query 'b 2' cannot be written as text: its name has a blank or '#'; write csv or "
            "binary");
    free_by_hand(&h);
    h = make_by_hand(true, 2);
    name_all(&h, "");
    refuses(h.data, "a.txt",
            "query '' cannot be written as text: its name is empty; write csv or binary");
    free_by_hand(&h);
    h = make_by_hand(true, 2);
    h.data->document_names = names_of(&h.documents, line_break, 3);
    refuses(h.data, "a.txt",
            "document 'a\nb' cannot be written as text: its name has a line break; write csv or "
            "binary");
    h.data->feature_names = names_of(&h.features, names, 3);
    refuses(h.data, "a.csv",
            "feature 2 is named 'Weight', which is reserved for another column in csv files");
    free_by_hand(&h);
}

static void test_form_and_packing_follow_the_name(void **state)
{
    static const struct {
        const char *name;
        unsigned char first[4];
        size_t known;
    } cases[] = {
        { "a.txt", "2 qi", 4 },
        { "a.csv", "labe", 4 },
        { "a.tsv", "labe", 4 },
        { "a.bin", "\x89GRA", 4 },
        { "a.gradus", "\x89GRA", 4 },
        { "a.csv.gz", "\x1f\x8b\x08", 3 },
        { "a.zst", "\x28\xb5\x2f\xfd", 4 },
        { "csv", "2 qi", 4 },
    };
    by_hand h = make_by_hand(true, 2);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        char *bytes = written_by(NULL, h.data, cases[i].name, NULL, &size);

        assert_memory_equal(bytes, cases[i].first, cases[i].known);
        free(bytes);
    }
    free_by_hand(&h);
}

static char *streamed(const gradus_dataset *data, const char *name, size_t step, size_t *size)
{
    const gr_write_options options = { 0 };
    const gr_row_shape shape = gr_row_shape_of(data);
    uint64_t *starts = calloc(data->arrays.queries + 1, sizeof *starts);
    gradus_error err = { GRADUS_OK, "" };
    char path[128], *bytes;
    gr_row_writer *writer =
        gr_row_writer_open(in_folder(path, test_folder, name), &options, &shape, NULL, &err);

    assert_non_null(writer);
    for (size_t q = 0; q < data->arrays.queries; q += step) {
        const size_t left = data->arrays.queries - q;
        gradus_dataset *block =
            block_of(data, q, left < step ? data->arrays.queries : q + step, starts);

        assert_int_equal(gr_row_writer_append(writer, block, &err), GRADUS_OK);
        gradus_dataset_free(block);
    }
    assert_int_equal(gr_row_writer_close(writer, &err), GRADUS_OK);
    free(starts);
    bytes = file_bytes(path, size);
    unlink(path);
    return bytes;
}

static void test_bytes_depend_neither_on_blocks_nor_on_threads(void **state)
{
    static const char *const names[] = { "a.txt", "a.csv", "a.tsv", "a.bin" };
    const set_kind kinds[] = {
        { 2500, 50, 350, .first_id = 1, .documents = true },
        { 2500, 50, 350, .first_id = 0, .sparse = true, .query_names = true, .row_weights = true },
    };
    gradus_context *context = gradus_context_new(4, NULL);

    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (size_t n = 0; n < 4; n++) {
            gradus_dataset *data = random_set(&kinds[k], k);
            size_t sizes[3];
            char *bytes[] = { written_by(NULL, data, names[n], NULL, &sizes[0]),
                              written_by(context, data, names[n], NULL, &sizes[1]),
                              streamed(data, names[n], 13, &sizes[2]) };

            for (int i = 1; i < 3; i++) {
                assert_int_equal(sizes[0], sizes[i]);
                assert_memory_equal(bytes[0], bytes[i], sizes[0]);
            }
            for (int i = 0; i < 3; i++)
                free(bytes[i]);
            gradus_dataset_free(data);
        }
    gradus_context_free(context);
}

/* Values as a reader may return them: what is not stored is 0, and no value is infinite. */
static void assert_same_values(const gradus_dataset *a, const gradus_dataset *b)
{
    float *rows[2] = { calloc(a->arrays.features + 1, 4), calloc(a->arrays.features + 1, 4) };

    assert_int_equal(a->arrays.rows, b->arrays.rows);
    assert_int_equal(a->arrays.features, b->arrays.features);
    for (size_t r = 0; r < a->arrays.rows; r++) {
        gr_dataset_row(a, r, rows[0]);
        gr_dataset_row(b, r, rows[1]);
        for (size_t f = 0; f < a->arrays.features; f++)
            if (!(isnan(rows[0][f]) && isnan(rows[1][f])))
                assert_memory_equal(&rows[0][f], &rows[1][f], sizeof(float));
    }
    free(rows[0]);
    free(rows[1]);
}

static void remove_infinite(gradus_dataset *data)
{
    const gr_part part = gr_dataset_is_dense(data) ? GR_VALUES : GR_ENTRIES;
    float *numbers = data->owned[part].at;

    for (uint64_t i = 0; i < gr_part_count(data, part); i++)
        if (isinf(numbers[i]))
            numbers[i] = 0.0625f;
}

/* Queries are named by their index, or a reader would merge those of the same name. */
static void rename_queries(gradus_dataset *data)
{
    gr_name_list list = { 0 };

    gr_array_free(&data->owned[GR_QUERY_BYTES]);
    gr_array_free(&data->owned[GR_QUERY_NAMES]);
    for (size_t q = 0; q < data->arrays.queries; q++) {
        char name[32];

        snprintf(name, sizeof name, "q%zu-x", q);
        gr_name_list_add(&list, name, strlen(name));
    }
    data->owned[GR_QUERY_BYTES] = list.bytes;
    data->owned[GR_QUERY_NAMES] = list.starts;
    gr_dataset_adopt(data);
}

static void test_text_reads_back_as_the_same_set(void **state)
{
    const set_kind kinds[] = {
        { 300, 7, 40, .first_id = 1, .documents = true, .row_weights = true },
        { 300, 7, 40, .first_id = 0 },
        { 300, 50, 40, .first_id = 1, .sparse = true, .documents = true },
        { 300, 50, 40, .first_id = 0, .sparse = true, .row_weights = true },
    };
    char path[128];

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        const gr_write_options options = { 0 };
        gr_read_options how = { 0 };
        gradus_error err = { GRADUS_OK, "" };
        gradus_dataset *data = random_set(&kinds[k], k), *back;

        remove_infinite(data);
        rename_queries(data);
        how.storage = kinds[k].sparse ? GR_STORE_SPARSE : GR_STORE_DENSE;
        assert_int_equal(
            gr_write(NULL, data, in_folder(path, test_folder, "a.txt"), &options, &err), GRADUS_OK);
        back = gr_read(NULL, path, &how, &err);
        if (!back)
            fail_msg("%s", err.message);
        assert_same_values(data, back);
        assert_int_equal(data->first_id, back->first_id);
        assert_int_equal(gr_parts_of(data), gr_parts_of(back));
        assert_same_part(data, back, GR_LABELS);
        assert_same_part(data, back, GR_QUERY_STARTS);
        assert_same_part(data, back, GR_QUERY_BYTES);
        if (kinds[k].documents)
            assert_same_part(data, back, GR_DOCUMENT_BYTES);
        if (kinds[k].row_weights)
            assert_same_part(data, back, GR_ROW_WEIGHTS);
        gradus_dataset_free(back);
        gradus_dataset_free(data);
        unlink(path);
    }
}

static void test_scattered_text_comes_back_byte_for_byte(void **state)
{
    const char text[] = "2 qid:b 1:0.5 2:1\n0 qid:a 1:0 2:3 #docid = x\n1 qid:b 1:7 2:nan\n"
                        "3 qid:c 1:1 2:1\n0 qid:a 1:4 2:4\n";
    const gr_write_options options = { 0 };
    const gr_read_options how = { 0 };
    gradus_error err = { GRADUS_OK, "" };
    char path[128], *bytes;
    size_t size;
    gr_sink *sink = gr_sink_open(in_folder(path, test_folder, "a.txt"), GR_PLAIN, &err);
    gradus_dataset *data;

    (void)state;
    gr_sink_write(sink, text, sizeof text - 1, &err);
    assert_int_equal(gr_sink_close(sink, &err), GRADUS_OK);
    data = gr_read(NULL, path, &how, &err);
    if (!data)
        fail_msg("%s", err.message);
    assert_non_null(data->file_rows);
    unlink(path);
    bytes = written_by(NULL, data, "b.txt", &options, &size);
    assert_string_equal(bytes, text);
    free(bytes);
    gradus_dataset_free(data);
}

static void test_a_full_disk_is_told(void **state)
{
    const gr_write_options options = { 0 };
    const set_kind kind = { 20000, 20, 300, .first_id = 1 };
    gradus_dataset *data = random_set(&kind, 1);
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_int_equal(gr_write(NULL, data, "/dev/full", &options, &err), GRADUS_NO_FILE);
    assert_string_equal(err.message, "cannot write '/dev/full': no space left on device");
    assert_int_equal(gr_write(NULL, data, "/dev/null", &options, NULL), GRADUS_OK);
    assert_int_equal(gr_write(NULL, data, "/no/such/folder/a", &options, NULL), GRADUS_NO_FILE);
    gradus_dataset_free(data);
}

static void test_blocks_of_another_shape_are_refused(void **state)
{
    const gr_write_options options = { 0 };
    by_hand sparse = make_by_hand(true, 2), dense = make_by_hand(false, 2);
    const gr_row_shape shape = gr_row_shape_of(sparse.data);
    gradus_error err = { GRADUS_OK, "" };
    char path[128];
    gr_row_writer *writer =
        gr_row_writer_open(in_folder(path, test_folder, "a.bin"), &options, &shape, NULL, &err);

    (void)state;
    assert_int_equal(gr_row_writer_append(writer, dense.data, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gr_row_writer_close(writer, &err), GRADUS_BAD_ARGUMENT); /* no rows */
    assert_int_not_equal(access(path, F_OK), 0);
    free_by_hand(&sparse);
    free_by_hand(&dense);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_dense_text_names_every_feature),
        one_thread_test(test_zeros_can_be_left_out),
        one_thread_test(test_sparse_text_names_entries),
        one_thread_test(test_sparse_text_shows_how_many_features_there_are),
        one_thread_test(test_sparse_text_shows_that_ids_begin_at_0),
        one_thread_test(test_one_query_without_a_name_has_no_id),
        one_thread_test(test_names_and_weights_in_text),
        one_thread_test(test_names_and_weights_in_csv),
        one_thread_test(test_rows_are_written_in_the_order_of_their_file),
        one_thread_test(test_what_a_form_cannot_hold_is_refused),
        one_thread_test(test_form_and_packing_follow_the_name),
        cmocka_unit_test(test_bytes_depend_neither_on_blocks_nor_on_threads),
        one_thread_test(test_text_reads_back_as_the_same_set),
        one_thread_test(test_scattered_text_comes_back_byte_for_byte),
        one_thread_test(test_a_full_disk_is_told),
        one_thread_test(test_blocks_of_another_shape_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up_folder, tear_down_folder);
}
