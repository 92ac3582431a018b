/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in for the tests of --device: the kernels for CUDA, run as C, on a device that can fail. In the
 * environment:
 *   GRADUS_FAKE_FAIL    "STATUS FUNCTION N": the function (one of `doing`) fails after N calls, and from then on;
 *                       STATUS: lost, or memory
 *   GRADUS_FAKE_MEMORY  free memory in bytes; more than 64 MB: also of what grows trees
 *   GRADUS_FAKE_FEW     any value: there is memory for two histograms only, so that the host chooses the nodes
 *   GRADUS_FAKE_VERSION any value: the plug-in is one of another version */
#include "emulated_boosting.h"
#include "emulated_device.h"
#include "emulated_scoring.h"
#include "emulated_validation.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions, and what the plug-in for CUDA calls them in its messages. */
#define FUNCTIONS(_)                                                                               \
    _(open, "growing trees")                                                                       \
    _(measure, "growing trees")                                                                    \
    _(round, "growing trees")                                                                      \
    _(grow, "growing trees")                                                                       \
    _(root, "growing trees")                                                                       \
    _(split, "growing trees")                                                                      \
    _(finish, "growing trees")                                                                     \
    _(boosting, "copying scores to it")                                                            \
    _(gradients, "computing gradients")                                                            \
    _(sums, "adding up thresholds")                                                                \
    _(add, "adding a tree to scores")                                                              \
    _(fetch, "copying scores from it")                                                             \
    _(lists, "computing the metric of the training rows")                                          \
    _(ranks, "computing the metric of the training rows")                                          \
    _(valid_open, "computing validation scores")                                                   \
    _(valid_load, "computing validation scores")                                                   \
    _(validation, "computing validation scores")                                                   \
    _(valid_fetch, "computing validation scores")                                                  \
    _(dcgs, "computing validation scores")                                                         \
    _(score, "scoring rows")
#define AS_ENUM(name, what) CALL_##name,
#define AS_NAME(name, what) [CALL_##name] = #name,
#define AS_WHAT(name, what) [CALL_##name] = what,

typedef enum call { FUNCTIONS(AS_ENUM) CALLS } call;
static const char *const names[] = { FUNCTIONS(AS_NAME) };
static const char *const doing[] = { FUNCTIONS(AS_WHAT) };

static struct {
    gradus_device shown;
    struct gr_tree_device trees;
    gr_boost_device boosting;
    gr_score_device scoring;
    gr_valid_device validation;
    call failing; /* CALLS: none */
    long good;    /* its calls that still succeed */
    bool full;    /* it fails for lack of memory, not because the device is lost */
    uint64_t memory;
    bool few; /* histograms */
} fake;

static gradus_status enter(call of, gradus_error *err)
{
    if (of != fake.failing || fake.good-- > 0)
        return GRADUS_OK;
    fake.good = 0;
    return fake.full ? gr_fail(err, GRADUS_NO_MEMORY, "the memory of the GPU is exhausted while %s",
                               doing[of])
                     : gr_fail(err, GRADUS_LOST,
                               "the GPU has failed while %s: it has fallen off the bus", doing[of]);
}

/* ---- trees ---- */

static gr_device_trees *open_trees(const gradus_device *device, const gr_device_bins *bins,
                                   gradus_error *err)
{
    return enter(CALL_open, err) == GRADUS_OK ? emulated_trees.open(device, bins, err) : NULL;
}

static gradus_status measure(gr_device_trees *trees, const gr_device_round *round,
                             const gr_device_extent **extents, size_t *slots, gradus_error *err)
{
    gr_device_round of = *round;

    GR_TRY(enter(CALL_measure, err));
    if (fake.few)
        of.slot_bytes = 1;
    return emulated_trees.measure(trees, &of, extents, slots, err);
}

static gradus_status round_numbers(gr_device_trees *trees, const gr_device_scale *scales,
                                   gradus_error *err)
{
    GR_TRY(enter(CALL_round, err));
    return emulated_trees.round(trees, scales, err);
}

static gradus_status grow(gr_device_trees *trees, const gr_device_tree *tree,
                          const gr_device_growth *growth, gr_device_root *root,
                          const gr_device_grown **grown, size_t *count, gradus_error *err)
{
    GR_TRY(enter(CALL_grow, err));
    return emulated_trees.grow(trees, tree, growth, root, grown, count, err);
}

static gradus_status root(gr_device_trees *trees, const gr_device_tree *tree, gr_device_root *found,
                          gradus_error *err)
{
    GR_TRY(enter(CALL_root, err));
    return emulated_trees.root(trees, tree, found, err);
}

static gradus_status split(gr_device_trees *trees, const gr_device_split *splits, size_t count,
                           gr_device_found *found, gradus_error *err)
{
    GR_TRY(enter(CALL_split, err));
    return emulated_trees.split(trees, splits, count, found, err);
}

static gradus_status finish(gr_device_trees *trees, const gr_device_end *end, gradus_error *err)
{
    GR_TRY(enter(CALL_finish, err));
    return emulated_trees.finish(trees, end, err);
}

/* ---- boosting ---- */

static gradus_status open_boosting(const gradus_device *device, const gr_device_problem *problem,
                                   const gr_device_rows *rows, const double *scores,
                                   void **boosting, gradus_error *err)
{
    GR_TRY(enter(CALL_boosting, err));
    return emulated_boosting.open(device, problem, rows, scores, boosting, err);
}

static gradus_status gradients(void *boosting, const bool *skipped, const double *numbers,
                               gradus_error *err)
{
    GR_TRY(enter(CALL_gradients, err));
    return emulated_boosting.gradients(boosting, skipped, numbers, err);
}

static gradus_status sums(void *boosting, const double *numbers, size_t block, double *to,
                          gradus_error *err)
{
    GR_TRY(enter(CALL_sums, err));
    return emulated_boosting.sums(boosting, numbers, block, to, err);
}

static gradus_status add(void *boosting, size_t output, const double *values, size_t leaves,
                         gradus_error *err)
{
    GR_TRY(enter(CALL_add, err));
    return emulated_boosting.add(boosting, output, values, leaves, err);
}

static gradus_status fetch(void *boosting, double *scores, gradus_error *err)
{
    GR_TRY(enter(CALL_fetch, err));
    return emulated_boosting.fetch(boosting, scores, err);
}

static gradus_status lists(void *boosting, const gr_device_lists *from, gradus_error *err)
{
    GR_TRY(enter(CALL_lists, err));
    return emulated_boosting.lists(boosting, from, err);
}

static gradus_status ranks(void *boosting, double *to, gradus_error *err)
{
    GR_TRY(enter(CALL_ranks, err));
    return emulated_boosting.dcgs(boosting, to, err);
}

/* ---- validation and scoring ---- */

static gradus_status valid_open(const gradus_device *device, const gr_device_set *set,
                                gr_valid_run **run, gradus_error *err)
{
    GR_TRY(enter(CALL_valid_open, err));
    return emulated_validation.open(device, set, run, err);
}

static gradus_status valid_load(gr_valid_run *run, size_t first, size_t rows, gradus_error *err)
{
    GR_TRY(enter(CALL_valid_load, err));
    return emulated_validation.load(run, first, rows, err);
}

static gradus_status valid_fetch(gr_valid_run *run, double *sums, gradus_error *err)
{
    GR_TRY(enter(CALL_valid_fetch, err));
    return emulated_validation.fetch(run, sums, err);
}

static gradus_status validation_add(gr_valid_run *run, const gr_score_trees *trees,
                                    gradus_error *err)
{
    GR_TRY(enter(CALL_validation, err));
    return emulated_validation.add(run, trees, err);
}

static gradus_status dcgs(gr_valid_run *run, double *to, gradus_error *err)
{
    GR_TRY(enter(CALL_dcgs, err));
    return emulated_validation.dcgs(run, to, err);
}

static gradus_status score_finish(gr_score_run *scoring, size_t slot, const double **outputs,
                                  gradus_error *err)
{
    GR_TRY(enter(CALL_score, err));
    return emulated_scoring.finish(scoring, slot, outputs, err);
}

/* ---- the device ---- */

static uint64_t free_memory(const gradus_device *device)
{
    (void)device;
    return fake.memory;
}

static void close_device(gradus_device *device)
{
    (void)device;
}

static void read_environment(void)
{
    const char *fail = getenv("GRADUS_FAKE_FAIL"), *memory = getenv("GRADUS_FAKE_MEMORY");
    char status[16] = "", name[16] = "";

    fake.memory = memory ? strtoull(memory, NULL, 10) : (uint64_t)1 << 30;
    if (fake.memory > emulated_room && memory)
        emulated_room = fake.memory;
    fake.few = getenv("GRADUS_FAKE_FEW");
    fake.failing = CALLS;
    if (!fail)
        return;
    if (sscanf(fail, "%15s %15s %ld", status, name, &fake.good) == 3)
        for (call c = 0; c < CALLS; c++)
            fake.failing = strcmp(names[c], name) == 0 ? c : fake.failing;
    fake.full = strcmp(status, "memory") == 0;
    if (fake.failing == CALLS || (!fake.full && strcmp(status, "lost") != 0))
        abort(); /* a mistake in a test */
}

static void fill_tables(void)
{
    fake.trees = emulated_trees;
    fake.trees.open = open_trees;
    fake.trees.measure = measure;
    fake.trees.round = round_numbers;
    fake.trees.grow = grow;
    fake.trees.root = root;
    fake.trees.split = split;
    fake.trees.finish = finish;
    fake.boosting = emulated_boosting;
    fake.boosting.open = open_boosting;
    fake.boosting.gradients = gradients;
    fake.boosting.sums = sums;
    fake.boosting.add = add;
    fake.boosting.fetch = fetch;
    fake.boosting.lists = lists;
    fake.boosting.dcgs = ranks;
    fake.validation = emulated_validation;
    fake.validation.open = valid_open;
    fake.validation.load = valid_load;
    fake.validation.fetch = valid_fetch;
    fake.validation.add = validation_add;
    fake.validation.dcgs = dcgs;
    fake.scoring = emulated_scoring;
    fake.scoring.finish = score_finish;
}

__attribute__((visibility("default"))) gr_device_open_function gradus_device_plugin;

gradus_device *gradus_device_plugin(int version, gradus_error *err)
{
    if (version != GR_DEVICE_VERSION || getenv("GRADUS_FAKE_VERSION")) {
        gr_fail(err, GRADUS_BAD_ARGUMENT,
                "the plug-in for CUDA belongs to another version of gradus");
        return NULL;
    }
    read_environment();
    fill_tables();
    fake.shown = (gradus_device){ .version = version,
                                  .name = "fake",
                                  .free_memory = free_memory,
                                  .trees = &fake.trees,
                                  .boosting = &fake.boosting,
                                  .scoring = &fake.scoring,
                                  .validation = &fake.validation,
                                  .close = close_device };
    return &fake.shown;
}
