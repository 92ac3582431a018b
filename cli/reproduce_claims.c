/* SPDX-License-Identifier: Apache-2.0 */
/* gradus reproduce --claims (see reproduce_claims.h). */
#include "reproduce_claims.h"

#include "gradus_experiments.h"

#include <string.h>

static const char *const statuses[] = { "confirmed", "not confirmed", "inconclusive",
                                        "not run",   "not tested",    "cannot be tested here" };

enum { STATUSES = sizeof statuses / sizeof statuses[0], WIDTH = 100 };

static void add_line(text *t, const char *head, const char *what)
{
    if (!*what)
        return;
    text_format(t, "  %s", head);
    text_wrap(t, what, 4, page_width(WIDTH));
    text_add(t, "\n");
}

static void add_claim(text *t, const gradus_paper_claim *claim)
{
    text_format(t, "\n%s: %s", claim->id, claim->status);
    if (claim->checks > 1)
        text_format(t, " (%zu of %zu checks)", claim->held, claim->checks);
    text_add(t, "\n");
    add_line(t, "", claim->claim);
    add_line(t, "tested by ", claim->experiment);
    add_line(t, "because ", claim->why);
    add_line(t, "with ", *claim->experiment ? claim->data : "");
    add_line(t, "see: ", *claim->experiment ? "" : claim->data);
    add_line(t, "found: ", claim->found);
}

static void add_counts(text *t, const size_t counts[STATUSES])
{
    text_add(t, "\n");
    for (size_t s = 0; s < STATUSES; s++)
        text_format(t, "%s%zu %s", s ? ", " : "", counts[s], statuses[s]);
    text_add(t, "\n");
}

static void add_all(text *t, const gradus_paper_claims *claims)
{
    size_t counts[STATUSES] = { 0 };
    const char *paper = "";
    gradus_paper_claim claim;

    for (size_t i = 0; gradus_paper_claim_at(claims, i, &claim); i++) {
        if (strcmp(claim.paper, paper) != 0) {
            text_add(t, i ? "\n" : "");
            text_wrap(t, claim.paper, 0, page_width(WIDTH));
            text_add(t, "\n");
        }
        paper = claim.paper;
        add_claim(t, &claim);
        for (size_t s = 0; s < STATUSES; s++)
            counts[s] += strcmp(claim.status, statuses[s]) == 0;
    }
    add_counts(t, counts);
}

static void add_json(text *t, const gradus_paper_claims *claims)
{
    gradus_paper_claim claim;
    json j = JSON_TO(t);

    json_open(&j, NULL, '[');
    for (size_t i = 0; gradus_paper_claim_at(claims, i, &claim); i++) {
        json_open(&j, NULL, '{');
        json_string(&j, "id", claim.id);
        json_string(&j, "paper", claim.paper);
        json_string(&j, "claim", claim.claim);
        json_string(&j, "experiment", claim.experiment);
        json_string(&j, "why", claim.why);
        json_string(&j, "data", claim.data);
        json_string(&j, "status", claim.status);
        json_count(&j, "checks", claim.checks);
        json_count(&j, "held", claim.held);
        json_string(&j, "found", claim.found);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    text_add(t, "\n");
}

int claims_print(const arguments *given)
{
    const char *folder = argument(given, "results");
    gradus_error err;
    gradus_paper_claims *claims = gradus_paper_claims_read(folder ? folder : "", &err);
    text t = { 0 };

    if (!claims)
        return fail(&err);
    if (given->json)
        add_json(&t, claims);
    else
        add_all(&t, claims);
    gradus_paper_claims_free(claims);
    return print_text(&t);
}
