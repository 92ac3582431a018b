/* SPDX-License-Identifier: Apache-2.0 */
/* A note if LETOR data are evaluated with another convention than that of the LETOR papers. To
 * avoid false positives, the number of features and all document names must match a LETOR
 * collection. */
#include "common.h"

#include <string.h>

enum { OHSUMED_QUERIES = 106 };

static bool is_number(const char *name)
{
    return *name && name[strspn(name, "0123456789")] == '\0';
}

/* Whether a name matches a pattern, in which '0' is any digit, followed by a number. */
static bool has_form(const char *name, const char *form)
{
    for (; *form; form++, name++)
        if (*form == '0' ? *name < '0' || *name > '9' : *name != *form)
            return false;
    return is_number(name);
}

static bool is_gov2(const char *name)
{
    return has_form(name, "GX000-00-");
}

static bool is_gov(const char *name)
{
    return has_form(name, "G00-00-");
}

static const struct {
    size_t features, most_queries; /* 0: any number */
    bool (*is_name)(const char *document);
    const char *what, *convention;
} collections[] = {
    { 46, 0, is_gov2, "LETOR 4 (MQ2007, MQ2008)", "letor4" },
    { 64, 0, is_gov, "LETOR 3 (TD, HP, NP)", "letor3" },
    { 45, OHSUMED_QUERIES, is_number, "LETOR 3 (OHSUMED)", "letor3" },
};

static bool is_of(const gradus_dataset *data, size_t c)
{
    const size_t rows = gradus_dataset_rows(data);

    if (rows == 0 || gradus_dataset_features(data) != collections[c].features ||
        (collections[c].most_queries && gradus_dataset_queries(data) > collections[c].most_queries))
        return false;
    for (size_t r = 0; r < rows; r++)
        if (!collections[c].is_name(gradus_dataset_document_name(data, r)))
            return false;
    return true;
}

void note_letor(const arguments *given, const gradus_dataset *data, const char *path)
{
    if (given->quiet || given->json || option_given(given, "convention"))
        return;
    for (size_t c = 0; c < sizeof collections / sizeof collections[0]; c++)
        if (is_of(data, c)) {
            say("note: '%s' looks like %s; its papers use --convention %s\n", path,
                collections[c].what, collections[c].convention);
            return;
        }
}
