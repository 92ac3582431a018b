/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: values have the contents they claim, and writing them and reading back gives the same. */
#include "fuzz_target.h"

#include "base/json.h"

#include <string.h>

/* Writes a value with all its contents. */
static void copy_value(gr_json_writer *writer, const gr_json *value)
{
    double number;
    uint64_t count;

    switch (value->kind) {
    case GR_JSON_NULL:
        gr_json_put_null(writer, value->key);
        return;
    case GR_JSON_FLAG:
        gr_json_put_flag(writer, value->key, value->flag);
        return;
    case GR_JSON_TEXT:
        gr_json_put_text(writer, value->key, value->text);
        return;
    case GR_JSON_NUMBER:
        if (gr_json_count(value, &count))
            gr_json_put_count(writer, value->key, count);
        else
            gr_json_put_number(writer, value->key, gr_json_number(value, &number) ? number : 0.0);
        return;
    case GR_JSON_LIST:
    case GR_JSON_OBJECT:
        break;
    }
    const bool list = value->kind == GR_JSON_LIST;
    const gr_json *item = gr_json_first(value);

    gr_json_open(writer, value->key, list ? '[' : '{');
    for (size_t i = 0; i < value->count; i++, item = gr_json_next(item)) {
        must(item < value + value->span && !item->key == list, "items follow their list");
        must(list || gr_json_find(value, item->key) == item, "members are found");
        copy_value(writer, item);
    }
    must(item == value + value->span, "a value ends where its items do");
    gr_json_close(writer, list ? ']' : '}');
}

static void check_same(const gr_json *one, const gr_json *two)
{
    must(one->span == two->span, "a copy has the same values");
    for (size_t i = 0; i < one->span; i++) {
        must(one[i].kind == two[i].kind && one[i].count == two[i].count, "of the same kinds");
        must(one[i].kind != GR_JSON_TEXT || strcmp(one[i].text, two[i].text) == 0,
             "with the same texts");
        must(!one[i].key || strcmp(one[i].key, two[i].key) == 0, "and the same keys");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_json *root = gr_json_parse((const char *)bytes, size, &err), *copy;
    gr_json_writer writer = { 0 };

    must_explain(!root, &err);
    if (!root)
        return 0;
    copy_value(&writer, root);
    must(gr_json_done(&writer, &err) == GRADUS_OK, "what was read can be written");
    copy = gr_json_parse(writer.bytes.at, writer.used, &err);
    must(copy != NULL, "what was written can be read");
    check_same(root, copy);
    gr_json_free(copy);
    gr_json_free(root);
    gr_json_writer_free(&writer);
    return 0;
}
