/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the server. The first line of the input has the path, and optionally the length of the
 * JSON before binary tensors or the word gzip; the rest is the body. Every request gets an answer:
 * JSON with the right status, or binary tensors. */
#include "fuzz_target.h"

#include "base/json.h"
#include "routes.h"

#include <pthread.h>

static server *shared;
static request *reused; /* as the server reuses requests */

static void write_model(const char *path, const char *method)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *synth = gradus_options_new("synth mcrank", &err);
    gradus_options *train = gradus_options_new("train", &err);

    gradus_options_set(synth, "queries", "5", &err);
    gradus_options_set(synth, "features", "4", &err);
    gradus_options_set(train, "method", method, &err);
    gradus_options_set(train, "rounds", "3", &err);
    gradus_dataset *data = gradus_synth(NULL, synth, &err);
    gradus_model *model = gradus_train(NULL, data, NULL, train, &err);

    must(model && gradus_model_write(model, path, &err) == GRADUS_OK, "a model can be trained");
    gradus_model_free(model);
    gradus_dataset_free(data);
    gradus_options_free(train);
    gradus_options_free(synth);
}

static void start(void)
{
    static char paths[2][40] = { "/tmp/fuzz_request_a_XXXXXX", "/tmp/fuzz_request_b_XXXXXX" };
    static const char *words[2];
    static char given[2][100];
    static serve_settings settings = { .max_body = 1 << 16, .max_rows = 20, .listen = "" };
    gradus_error err = { GRADUS_OK, "" };

    for (size_t i = 0; i < 2; i++) {
        const int descriptor = mkstemp(paths[i]);

        must(descriptor >= 0, "a temporary file can be made");
        close(descriptor);
        write_model(paths[i], i ? "mcrank" : "lambdamart");
        snprintf(given[i], sizeof given[i], "%s=%s", i ? "grades" : "trees", paths[i]);
        words[i] = given[i];
    }
    settings.models = words;
    settings.model_count = 2;
    settings.shadow = paths[1];
    shared = serve_load(&settings, &err);
    must(shared != NULL, err.message);
    for (size_t i = 0; i < 2; i++)
        unlink(paths[i]);
    reused = calloc(1, sizeof *reused);
    must(reused != NULL, "a request fits into memory");
}

static void check_answer(const request *r)
{
    gradus_error err = { GRADUS_OK, "" };
    const size_t size = r->header_size ? r->header_size : r->out.used;
    gr_json *root;

    must(r->status >= 200 && r->status < 504, "a request gets a status");
    if (strcmp(r->content_type, "application/json") != 0 && !r->header_size)
        return; /* metrics */
    root = gr_json_parse(r->out.bytes.at, size, &err);
    must(root != NULL, "an answer is JSON");
    must((r->status == 200) == !gr_json_find(root, "error"), "an error has a message");
    gr_json_free(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *text = (const char *)bytes, *end = memchr(bytes, '\n', size), *space;
    char path[200], *more;
    bool known;

    pthread_once(&once, start);
    if (!end || (size_t)(end - text) >= sizeof path)
        return 0;
    memcpy(path, text, (size_t)(end - text));
    path[end - text] = '\0';
    if ((more = strchr(path, ' ')))
        *more++ = '\0';
    request_reset(reused);
    reused->server = shared;
    reused->route = route_find("POST", path, reused, &known);
    if (!reused->route)
        reused->route = route_find("GET", path, reused, &known);
    if (!reused->route || strstr(path, "reload"))
        return 0;
    if (more && *more >= '0' && *more <= '9')
        reused->json_size = strtoul(more, NULL, 10);
    space = end + 1;
    reused->body_size = size - (size_t)(space - text);
    must(request_reserve(reused, &reused->body, reused->body_size + 1, 1) == GRADUS_OK,
         "a body fits into memory");
    memcpy(reused->body.at, space, reused->body_size);
    serve_answer(reused, more && strcmp(more, "gzip") == 0 ? "gzip" : NULL);
    check_answer(reused);
    return 0;
}
