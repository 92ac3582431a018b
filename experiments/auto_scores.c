/* SPDX-License-Identifier: Apache-2.0 */
/* Held-out scores of trials, as files in a folder beside the journal, so that a resumed run need not
 * train again. */
#include "base/memory.h"
#include "base/names.h"
#include "experiments/auto_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char folder_ending[] = ".scores";

/* The folder, or with a key the file of a trial; the caller frees it. NULL: out of memory. */
static char *path_of(const gr_auto_run *run, const char *key)
{
    const size_t size = strlen(run->options.journal) + sizeof folder_ending + 32;
    char *path = malloc(size);

    if (path && key)
        snprintf(path, size, "%s%s/%016llx.f64", run->options.journal, folder_ending,
                 (unsigned long long)gr_hash(key, strlen(key)));
    else if (path)
        snprintf(path, size, "%s%s", run->options.journal, folder_ending);
    return path;
}

static size_t bytes_of(const gr_auto_run *run)
{
    return gradus_dataset_rows(run->data.held) * sizeof(double);
}

static gradus_status write_file(const char *folder, const char *path, const void *bytes,
                                size_t size, gradus_error *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return gr_fail_errno(err, "make", folder, errno);
    gradus_output *output = gradus_output_new(path, err);

    if (!output)
        return err->status;
    if (gradus_output_write(output, bytes, size, err) != GRADUS_OK) {
        gradus_output_abandon(output);
        return err->status;
    }
    return gradus_output_close(output, err);
}

gradus_status gr_auto_scores_put(const gr_auto_run *run, const char *key, const double *scores,
                                 uint64_t *hash, gradus_error *err)
{
    const size_t size = bytes_of(run);

    *hash = gr_hash(scores, size);
    if (!*run->options.journal)
        return GRADUS_OK;
    char *folder = path_of(run, NULL), *path = path_of(run, key);
    const gradus_status status = folder && path ? write_file(folder, path, scores, size, err)
                                                : gr_fail_memory(err, "scores");

    free(folder);
    free(path);
    return status;
}

static bool read_file(const char *path, void *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return false;
    const bool whole = fread(bytes, 1, size, file) == size && fgetc(file) == EOF;

    fclose(file);
    return whole;
}

gradus_status gr_auto_scores_get(const gr_auto_run *run, const char *key, uint64_t hash,
                                 double **scores, gradus_error *err)
{
    const size_t size = bytes_of(run);
    char *path = path_of(run, key);
    double *found = gr_new_array(gradus_dataset_rows(run->data.held), sizeof *found);

    *scores = NULL;
    if (!path || !found) {
        free(path);
        free(found);
        return gr_fail_memory(err, "scores");
    }
    if (read_file(path, found, size) && gr_hash(found, size) == hash)
        *scores = found;
    else
        free(found);
    free(path);
    return GRADUS_OK;
}
