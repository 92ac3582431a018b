/* SPDX-License-Identifier: Apache-2.0 */
/* gradus version: the version, the processor, the compiler and the optional parts. */
#include "build_commit.h"
#include "device_option.h"
#include "gradus_experiments.h"
#include "plugin_file.h"
#include "print_json.h"

#include <stdlib.h>
#include <string.h>

/* Parts that are plug-ins; mpi has one for each implementation. */
static const struct plugin {
    const char *part, *name, *file;
} plugins[] = { { "mpi", "openmpi", "libgradus-mpi-openmpi.so" },
                { "mpi", "mpich", "libgradus-mpi-mpich.so" },
                { "cuda", "cuda", DEVICE_PLUGIN } };

enum { PLUGINS = sizeof plugins / sizeof *plugins };

/* Whether this plug-in provides the part and is there. */
static bool is_there(const struct plugin *plugin, const char *part)
{
    char *path = strcmp(plugin->part, part) == 0 ? plugin_find(plugin->file) : NULL;
    const bool found = path != NULL;

    free(path);
    return found;
}

static bool has_plugin(const char *part)
{
    bool found = false;

    for (size_t i = 0; i < PLUGINS && !found; i++)
        found = is_there(&plugins[i], part);
    return found;
}

static void json_plugins(json *j)
{
    json_open(j, "mpi", '{');
    for (size_t i = 0; i < PLUGINS; i++)
        if (strcmp(plugins[i].part, "mpi") == 0)
            json_bool(j, plugins[i].name, is_there(&plugins[i], "mpi"));
    json_close(j, '}');
}

static void plugins_text(text *t, const char *part)
{
    const char *before = ": ";

    for (size_t i = 0; i < PLUGINS && strcmp(part, "mpi") == 0; i++)
        if (is_there(&plugins[i], part)) {
            text_format(t, "%s%s", before, plugins[i].name);
            before = ", ";
        }
}

/* The charts of gradus report, then the optional parts of the library. */
static bool part_at(size_t index, gradus_component *part)
{
    if (index == 0) {
        *part = (gradus_component){ "charts", "", gradus_report_available() };
        return true;
    }
    if (!gradus_component_at(index - 1, part))
        return false;
    part->present = part->present || has_plugin(part->name);
    return true;
}

static void version_json(text *t, const gradus_build *build)
{
    json j = JSON_TO(t);
    gradus_component part;
    const char *feature;
    bool present;

    json_open(&j, NULL, '{');
    json_string(&j, "version", build->version);
    if (*build_commit())
        json_string(&j, "commit", build_commit());
    json_string(&j, "compiler", build->compiler);
    json_string(&j, "architecture", build->architecture);
    json_string(&j, "kernels", build->kernels);
    json_open(&j, "cpu_features", '{');
    for (size_t i = 0; gradus_cpu_feature_at(i, &feature, &present); i++)
        json_bool(&j, feature, present);
    json_close(&j, '}');
    json_open(&j, "parts", '[');
    for (size_t i = 0; part_at(i, &part); i++) {
        json_open(&j, NULL, '{');
        json_string(&j, "name", part.name);
        json_bool(&j, "built", part.present);
        if (*part.version)
            json_string(&j, "version", part.version);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_plugins(&j);
    json_close(&j, '}');
    text_add(t, "\n");
}

static void features_text(text *t, const gradus_build *build)
{
    const char *feature;
    bool present;

    text_format(t, "processor    %s", build->architecture);
    for (size_t i = 0; gradus_cpu_feature_at(i, &feature, &present); i++)
        if (present)
            text_format(t, " %s", feature);
    text_format(t, "\nkernels      %s\n", build->kernels);
}

static void version_text(text *t, const gradus_build *build)
{
    gradus_component part;

    text_format(t, "gradus %s\n", build->version);
    if (*build_commit())
        text_format(t, "commit       %s\n", build_commit());
    text_format(t, "compiler     %s\n", build->compiler);
    features_text(t, build);
    for (size_t i = 0; part_at(i, &part); i++) {
        text_format(t, "%-13s%s", part.name,
                    !part.present   ? "not built"
                    : *part.version ? part.version
                                    : "built");
        plugins_text(t, part.name);
        text_add(t, "\n");
    }
}

static int version_run(arguments *given)
{
    text t = { NULL, 0, 0 };
    gradus_build build;

    if (given->count)
        return fail_usage("gradus version takes no arguments, found '%s'", given->words[0]);
    gradus_build_describe(&build);
    if (given->json)
        version_json(&t, &build);
    else
        version_text(&t, &build);
    return print_text(&t);
}

static const option version_options[] = {
    { NULL, 0, NULL, NULL },
};

static const example version_examples[] = {
    { "gradus version", "for a bug report" },
    { "gradus version --json", "the same for programs" },
    { NULL, NULL },
};

const command command_version = {
    .name = "version",
    .summary = "print the version, the processor, the compiler and the optional parts",
    .usage = "gradus version [--json]",
    .description =
        "Prints the version of gradus, the commit if its sources were a git repository, the "
        "compiler it was built with, the features of this processor that its kernels can use, the "
        "instruction set that they do use (avx512, avx2 or baseline), and which optional parts "
        "were built; those of mpi and cuda are plug-ins. 'gradus --version' prints the version "
        "alone.",
    .options = version_options,
    .examples = version_examples,
    .run = version_run,
};
