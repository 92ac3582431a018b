/* SPDX-License-Identifier: Apache-2.0 */
/* The claims of the papers and their status (see claims.h). */
#include "experiments/claims.h"

#include "base/json.h"
#include "experiments/helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN_CHECKS " | "

enum { FIELDS = 6, MAX_NAME = 64 };
typedef enum claim_field { ID, CLAIM, EXPERIMENT, CHECK, WHY, DATA } claim_field;

struct gradus_paper_claims {
    size_t count;
    gradus_paper_claim *list;
    const char **checks; /* of each claim */
    char **found;        /* owned strings behind the claims' */
    char **texts;        /* copies of the files, cut into strings */
    size_t texts_count;
};

static gradus_status fail_row(const char *name, const char *id, const char *why, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "claims of '%s', '%.60s': %s", name, id, why);
}

static size_t count_parts(const char *list, const char *between)
{
    size_t count = *list != '\0';

    for (const char *at = strstr(list, between); at; at = strstr(at + strlen(between), between))
        count++;
    return count;
}

/* Cuts a line into its fields. */
static gradus_status cut_row(const char *name, char *line, char *fields[FIELDS], gradus_error *err)
{
    for (size_t i = 0; i < FIELDS; i++) {
        char *end = line + strcspn(line, "\t");

        if ((*end == '\t') != (i + 1 < FIELDS))
            return fail_row(name, line, "expected six fields", err);
        fields[i] = line;
        *end = '\0';
        line = end + 1;
    }
    if (!*fields[ID] || !*fields[CLAIM])
        return fail_row(name, fields[ID], "no id or no claim", err);
    if (count_parts(fields[EXPERIMENT], " ") != count_parts(fields[CHECK], BETWEEN_CHECKS))
        return fail_row(name, fields[ID], "expected a check for each experiment", err);
    if (*fields[EXPERIMENT] && *fields[WHY])
        return fail_row(name, fields[ID], "has an experiment and a reason against one", err);
    return GRADUS_OK;
}

static size_t count_lines(const gr_claim_file *files, size_t *file_count)
{
    size_t lines = 0;

    for (*file_count = 0; files[*file_count].name; ++*file_count)
        for (const char *at = files[*file_count].text; *at; at++)
            lines += *at == '\n';
    return lines;
}

static void add_claim(gradus_paper_claims *claims, const char *paper, char *fields[FIELDS])
{
    claims->checks[claims->count] = fields[CHECK];
    claims->list[claims->count++] = (gradus_paper_claim){
        .id = fields[ID],
        .paper = paper,
        .claim = fields[CLAIM],
        .experiment = fields[EXPERIMENT],
        .why = fields[WHY],
        .data = fields[DATA],
        .status = *fields[EXPERIMENT] ? "not run"
                  : *fields[WHY]      ? "cannot be tested here"
                                      : "not tested",
        .found = "",
    };
}

/* Adds the claims of a file; text: a copy, which is cut into strings. */
static gradus_status add_file(gradus_paper_claims *claims, const char *name, char *text,
                              gradus_error *err)
{
    static const char head[] = "# paper: ", columns[] = "id\tclaim\texperiment\tcheck\twhy\tdata";
    const char *paper = NULL;
    bool started = false;

    for (char *line = text, *next; *line; line = next) {
        char *fields[FIELDS];

        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        if (!started && strncmp(line, head, sizeof head - 1) == 0)
            paper = line + sizeof head - 1;
        if (!started && *line == '#')
            continue;
        if (started) {
            GR_TRY(cut_row(name, line, fields, err));
            add_claim(claims, paper, fields);
        } else if (!paper || strcmp(line, columns) != 0) {
            return fail_row(name, line, "expected '# paper: ' and the names of columns", err);
        }
        started = true;
    }
    return GRADUS_OK;
}

static gradus_status read_files(gradus_paper_claims *claims, const gr_claim_file *files,
                                gradus_error *err)
{
    size_t file_count;
    const size_t lines = count_lines(files, &file_count) + file_count;

    claims->list = gr_new_array(lines, sizeof *claims->list);
    claims->checks = gr_new_array(lines, sizeof *claims->checks);
    claims->found = gr_new_array(lines, sizeof *claims->found);
    claims->texts = gr_new_array(file_count, sizeof *claims->texts);
    if (!claims->list || !claims->checks || !claims->found || !claims->texts)
        return gr_fail_memory(err, "claims");
    for (size_t f = 0; f < file_count; f++) {
        char *text = claims->texts[claims->texts_count++] = strdup(files[f].text);

        if (!text)
            return gr_fail_memory(err, "claims");
        GR_TRY(add_file(claims, files[f].name, text, err));
    }
    return GRADUS_OK;
}

/* The checks of a claim in the results of its experiments. */
typedef struct tally {
    size_t checks, held, open; /* open: inconclusive, or an experiment is not run in full */
    gr_json_writer found;
} tally;

static gradus_status count_checks(const gr_json *list, const char *check, size_t length, tally *t,
                                  const char *path, gradus_error *err)
{
    const gr_json *one = list ? gr_json_first(list) : NULL;
    const size_t before = t->checks;

    for (size_t i = 0; list && i < list->count; i++, one = gr_json_next(one)) {
        const char *claim, *what;
        bool held;

        if (!gr_json_text(gr_json_find(one, "claim"), &claim) ||
            !gr_json_text(gr_json_find(one, "found"), &what) ||
            !gr_json_flag(gr_json_find(one, "held"), &held))
            return gr_fail(err, GRADUS_BAD_FORMAT, "%s: claim %zu is damaged", path, i + 1);
        if (!memmem(claim, strlen(claim), check, length))
            continue;
        gr_json_append(&t->found, "; ", t->checks ? 2 : 0);
        gr_json_append(&t->found, what, strlen(what));
        t->checks++;
        t->held += held;
        if (gr_json_text(gr_json_find(one, "verdict"), &what))
            t->open += strcmp(what, "inconclusive") == 0;
    }
    t->open += t->checks == before;
    return GRADUS_OK;
}

/* Some checks succeed and others do not, one is inconclusive, or a run was scaled down or is missing:
 * inconclusive. */
static const char *status_of(const tally *t)
{
    if (t->checks == 0)
        return "not run";
    if (t->open > 0 || (t->held > 0 && t->held < t->checks))
        return "inconclusive";
    return t->held > 0 ? "confirmed" : "not confirmed";
}

static gradus_status judge(const char *experiment, const char *check, size_t length,
                           const gr_json *root, const char *path, tally *t, gradus_error *err)
{
    const gr_json *list = gr_json_find(root, "claims");
    const char *name;
    double scale;

    if (!gr_json_text(gr_json_find(root, "experiment"), &name) || strcmp(name, experiment) != 0 ||
        !list || list->kind != GR_JSON_LIST || !gr_json_number(gr_json_find(root, "scale"), &scale))
        return gr_fail(err, GRADUS_BAD_FORMAT, "%s: not the results of '%s'", path, experiment);
    t->open += scale < 1.0;
    return count_checks(list, check, length, t, path, err);
}

/* An experiment without a file of results leaves the claim open. */
static gradus_status look_up(const char *experiment, const char *check, size_t length,
                             const char *folder, tally *t, gradus_error *err)
{
    char path[4096];
    gr_json_writer text = { 0 };
    gr_json *root = NULL;

    if ((size_t)snprintf(path, sizeof path, "%s/%s.json", folder, experiment) >= sizeof path)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%.60s...' is too long", folder);
    if (!gr_file_exists(path)) {
        t->open++;
        return GRADUS_OK;
    }
    gradus_status status = gr_read_whole(path, &text, err);

    if (status == GRADUS_OK) {
        gradus_error fault;

        root = gr_json_parse(text.used ? text.bytes.at : "", text.used, &fault);
        status = root ? judge(experiment, check, length, root, path, t, err)
                 : fault.status == GRADUS_NO_MEMORY
                     ? gr_fail_memory(err, "claims")
                     : gr_fail(err, GRADUS_BAD_FORMAT, "%s: %s", path, fault.message);
    }
    gr_json_free(root);
    gr_json_writer_free(&text);
    return status;
}

static gradus_status take_tally(gradus_paper_claims *claims, size_t index, const tally *t,
                                gradus_error *err)
{
    gradus_paper_claim *claim = &claims->list[index];

    GR_TRY(gr_json_done(&t->found, err));
    if (t->found.used > 0) {
        claims->found[index] = strndup(t->found.bytes.at, t->found.used);
        if (!claims->found[index])
            return gr_fail_memory(err, "claims");
        claim->found = claims->found[index];
    }
    claim->status = status_of(t);
    claim->checks = t->checks;
    claim->held = t->held;
    return GRADUS_OK;
}

/* The status of a claim by all its experiments. */
static gradus_status look_up_all(gradus_paper_claims *claims, size_t index, const char *folder,
                                 gradus_error *err)
{
    const char *name = claims->list[index].experiment, *check = claims->checks[index];
    gradus_status status = GRADUS_OK;
    tally t = { 0 };

    while (status == GRADUS_OK && *name) {
        const size_t name_length = strcspn(name, " ");
        const char *end = strstr(check, BETWEEN_CHECKS);
        const size_t length = end ? (size_t)(end - check) : strlen(check);
        char experiment[MAX_NAME];

        snprintf(experiment, sizeof experiment, "%.*s", (int)name_length, name);
        status = look_up(experiment, check, length, folder, &t, err);
        name += name_length + (name[name_length] == ' ');
        check += length + (end ? strlen(BETWEEN_CHECKS) : 0);
    }
    if (status == GRADUS_OK)
        status = take_tally(claims, index, &t, err);
    gr_json_writer_free(&t.found);
    return status;
}

gradus_paper_claims *gr_claims_read(const gr_claim_file *files, const char *folder,
                                    gradus_error *err)
{
    gradus_paper_claims *claims = calloc(1, sizeof *claims);
    gradus_status status = claims ? read_files(claims, files, err) : gr_fail_memory(err, "claims");

    if (status == GRADUS_OK && *folder && !gr_file_exists(folder))
        status = gr_fail(err, GRADUS_NO_FILE, "no folder '%s'", folder);
    for (size_t i = 0; status == GRADUS_OK && *folder && i < claims->count; i++)
        if (*claims->list[i].experiment)
            status = look_up_all(claims, i, folder, err);
    if (status == GRADUS_OK)
        return claims;
    gr_claims_free(claims);
    return NULL;
}

void gr_claims_free(gradus_paper_claims *claims)
{
    if (!claims)
        return;
    for (size_t i = 0; claims->found && i < claims->count; i++)
        free(claims->found[i]);
    for (size_t i = 0; claims->texts && i < claims->texts_count; i++)
        free(claims->texts[i]);
    free(claims->list);
    free(claims->checks);
    free(claims->found);
    free(claims->texts);
    free(claims);
}

bool gr_claims_at(const gradus_paper_claims *claims, size_t index, gradus_paper_claim *claim)
{
    if (index >= claims->count)
        return false;
    *claim = claims->list[index];
    return true;
}
