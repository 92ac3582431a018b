/* SPDX-License-Identifier: Apache-2.0 */
/* The format "json": the whole model, for readers and for programs. It is the header of the model
 * file with the contents of the sections as numbers, so that it holds models of every kind. */
#include "exchange/format.h"
#include "model/model_write.h"

enum { JSON_VERSION = 1 };

static gradus_status write_json(const gradus_model *model, const gr_export_options *options,
                                gr_buffer *out, gradus_error *err)
{
    gr_json_writer json = { .layout = GR_JSON_INDENTED };
    gradus_status status;

    gr_json_open(&json, NULL, '{');
    gr_json_put_text(&json, "format", "gradus json");
    gr_json_put_count(&json, "version", JSON_VERSION);
    gr_json_put_text(&json, "name", options->name);
    status = gr_model_put_json(model, &json, err);
    gr_json_close(&json, '}');
    if (status == GRADUS_OK)
        status = gr_json_done(&json, err);
    if (status == GRADUS_OK)
        gr_buffer_put(out, json.bytes.at, json.used);
    gr_json_writer_free(&json);
    return status;
}

static bool is_checked(const gradus_model *model)
{
    return model->node_count == 1 && model->nodes[0].kind == &gr_node_forest &&
           model->scorer.rule == GR_SCORE_OUTPUT && !model->transform.transform;
}

/* For models of one forest whose output is the score. */
static const char check[] =
    "import json, math\n"
    "model = json.load(open(\"MODEL\"))\n"
    "arrays = model[\"nodes\"][0][\"arrays\"]\n"
    "splits, starts = arrays[\"splits\"], arrays[\"starts\"]\n"
    "def score(row):\n"
    "    sum = arrays[\"bases\"][0]\n"
    "    for t in range(len(starts) - 1):\n"
    "        node = 0 if starts[t] < starts[t + 1] else -1\n"
    "        while node >= 0:\n"
    "            i = starts[t] + node\n"
    "            x = row.get(splits[\"feature\"][i], 0.0)\n"
    "            left = splits[\"missing_left\"][i] if math.isnan(x) "
    "else x < splits[\"threshold\"][i]\n"
    "            node = splits[\"left\" if left else \"right\"][i]\n"
    "        sum += arrays[\"leaves\"][starts[t] + t - 1 - node]\n"
    "    return sum\n"
    "head, *rows = [l.split(\",\") for l in open(\"PARITY\") if l[0] != \"#\"]\n"
    "wrong = sum(score(dict(zip(map(int, head[1:]), map(float, r[1:])))) != float(r[0]) "
    "for r in rows)\n"
    "print(len(rows), \"rows,\", wrong, \"wrong:\", \"WRONG\" if wrong else \"ok\")\n"
    "raise SystemExit(wrong > 0)\n";

const gr_format gr_format_json = {
    .about = { "json", "the whole model, readable",
               "Every number of the model and how it was trained: docs/formats/exported-models.md. "
               "Holds every model." },
    .used_by = "scripts, people",
    .extension = "json",
    .tolerance = 0,
    .check = check,
    .is_checked = is_checked,
    .write = write_json,
};
