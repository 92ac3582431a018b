/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings on the data of automatic training: what makes its result worse, or better than it
 * deserves. */
#include "base/text.h"
#include "experiments/auto_run.h"
#include "experiments/near_duplicates.h"

#include <stdarg.h>
#include <stdio.h>

enum { FEW_QUERIES = 100 };

static gradus_status warn(gradus_auto_result *result, gradus_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static gradus_status warn(gradus_auto_result *result, gradus_error *err, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (result->warning_count == GR_AUTO_WARNINGS)
        return GRADUS_OK;
    result->warnings[result->warning_count] = gr_auto_keep(result, text);
    return result->warnings[result->warning_count++] ? GRADUS_OK : gr_fail_memory(err, "warnings");
}

/* Queries of the second set that are, or nearly are, in the first: they are not held out. */
static gradus_status warn_leak(gr_auto_run *run, const gradus_dataset *from, const char *from_name,
                               const gradus_dataset *to, const char *name, gradus_error *err)
{
    const size_t all = gradus_dataset_queries(to);
    gr_common_queries common;

    GR_TRY(gr_common_queries_find(from, to, &common, err));
    if (common.whole == common.queries)
        return common.queries
                   ? warn(run->result, err,
                          "%zu of %zu %s queries, with the same documents and labels, are also %s "
                          "queries: results on them are optimistic",
                          common.queries, all, name, from_name)
                   : GRADUS_OK;
    return warn(run->result, err,
                "%zu of %zu %s queries share most of their documents with %s queries (%.0f%% of "
                "the %s documents): results on them are optimistic",
                common.queries, all, name, from_name,
                100.0 * (double)common.documents / (double)gradus_dataset_rows(to), name);
}

/* Queries that are in the data several times. */
static gradus_status warn_repeated(gr_auto_run *run, gradus_error *err)
{
    const gr_auto_data *data = &run->data;

    if (!data->repeated)
        return GRADUS_OK;
    return warn(run->result, err,
                "%zu of %zu queries share most of their documents with another one%s",
                data->repeated, gradus_dataset_queries(data->all),
                data->apart ? ": results on held-out queries are optimistic"
                            : " and are held out together with it");
}

static gradus_status warn_features(gr_auto_run *run, const gradus_description *d, gradus_error *err)
{
    if (d->constants)
        GR_TRY(warn(run->result, err, "%zu of %zu features %s constant and %s no information",
                    d->constants, d->features, gr_plural(d->constants, "is", "are"),
                    gr_plural(d->constants, "carries", "carry")));
    if (d->duplicates)
        GR_TRY(warn(run->result, err, "%zu of %zu features %s another feature", d->duplicates,
                    d->features, gr_plural(d->duplicates, "duplicates", "duplicate")));
    return GRADUS_OK;
}

static gradus_status warn_queries(gr_auto_run *run, const gradus_description *d, gradus_error *err)
{
    const size_t same = d->queries_with_one_label, informative = d->queries - same;

    if (same)
        GR_TRY(warn(run->result, err,
                    "%zu of %zu queries %s only one label and %s not affect the metric", same,
                    d->queries, gr_plural(same, "has", "have"), gr_plural(same, "does", "do")));
    if (informative < FEW_QUERIES)
        GR_TRY(warn(run->result, err,
                    "only %zu %s%s: the expected value is uncertain, and differences between "
                    "methods are mostly chance",
                    informative, gr_plural(informative, "query", "queries"),
                    same ? " with several labels" : ""));
    return GRADUS_OK;
}

gradus_status gr_auto_warn(gr_auto_run *run, gradus_error *err)
{
    const gradus_tuning_input *input = run->input;
    gradus_description *d = gradus_describe(run->context, run->data.all, err);

    if (!d)
        return err->status;
    gradus_status status =
        d->queries_with_one_label == d->queries
            ? gr_fail(err, GRADUS_BAD_ARGUMENT,
                      "all documents of every query have the same label: there is nothing to rank")
            : warn_queries(run, d, err);

    if (status == GRADUS_OK)
        status = warn_repeated(run, err);
    if (status == GRADUS_OK)
        status = warn_features(run, d, err);
    gradus_description_free(d);
    GR_TRY(status);
    if (input->valid && gradus_dataset_has_queries(input->valid))
        GR_TRY(warn_leak(run, input->train, "training", input->valid, "validation", err));
    if (input->test && gradus_dataset_has_queries(input->test))
        GR_TRY(warn_leak(run, run->data.all, input->valid ? "training or validation" : "training",
                         input->test, "test", err));
    return GRADUS_OK;
}
