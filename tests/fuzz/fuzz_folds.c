/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that divide data: folders of folds (--fold-dirs), fractions of a split, and the budget of
 * tuning. Folder names are resolved inside a folder that the target creates. */
#include "fuzz_file.h"

#include "data/split.h"
#include "experiments/tuning.h"

#include <string.h>
#include <sys/stat.h>

enum { QUERIES = 7, MAX_NAMES = 8 };

static char base[] = "/tmp/fuzz-folds-XXXXXX";
static const char *const files[] = { "one/train.txt", "one/vali.txt", "one/test.txt",
                                     "five/S1.txt",   "five/S2.txt",  "five/S3.txt",
                                     "five/S4.txt",   "five/S5.txt",  "broken/train.txt" };
static const char *const folders[] = { "one", "five", "broken" };
enum { FILES = sizeof files / sizeof *files, FOLDERS = sizeof folders / sizeof *folders };

static void in_base(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", base, name);
}

static void remove_base(void)
{
    char path[256];

    for (size_t i = 0; i < FILES; i++) {
        in_base(path, files[i]);
        unlink(path);
    }
    for (size_t i = 0; i < FOLDERS; i++) {
        in_base(path, folders[i]);
        rmdir(path);
    }
    rmdir(base);
}

static void make_base(void)
{
    static bool made;
    char path[256];

    if (made)
        return;
    must(mkdtemp(base) != NULL, "there is room in /tmp");
    made = true;
    atexit(remove_base);
    for (size_t i = 0; i < FOLDERS; i++) {
        in_base(path, folders[i]);
        mkdir(path, 0777);
    }
    for (size_t i = 0; i < FILES; i++) {
        in_base(path, files[i]);
        FILE *file = fopen(path, "w");

        must(file != NULL, "there is room in /tmp");
        fputs(strncmp(files[i], "broken", 6) ? "1 qid:1 1:2\n0 qid:1 1:3\n" : "1 qid:\n", file);
        fclose(file);
    }
}

/* The names of a list, each prefixed with the folder. */
static char *list_in_base(const char *text)
{
    char *list = malloc(strlen(text) + (sizeof base + 1) * (MAX_NAMES + 1)), *at = list;

    must(list != NULL, "an input fits into memory");
    for (size_t names = 0; *text && names < MAX_NAMES; names++) {
        const size_t length = strcspn(text, ",");

        if (length)
            at += sprintf(at, "%s/%.*s", base, (int)length, text);
        text += length;
        if (*text == ',')
            *at++ = *text++;
    }
    *at = '\0';
    return list;
}

static void take_folders(const char *text)
{
    const gradus_tuning_input input = { .train = NULL };
    gradus_error err = { GRADUS_OK, "" };
    gr_tune_data data = { .joined = NULL };
    char *list = list_in_base(text);
    const gr_tune_options options = { .fold_dirs = list, .metric = "ndcg@10" };
    const gradus_status status = gr_tune_data_take(NULL, &input, &options, &data, &err);

    must_explain(status != GRADUS_OK, &err);
    must(status != GRADUS_OK || data.folds.count > 0, "a list of folders has a fold");
    gr_tune_data_free(&data);
    free(list);
}

static void take_shares(const char *text)
{
    const gr_split_options options = { .shares = text, .in_order = true };
    gradus_error err = { GRADUS_OK, "" };
    size_t part_of[QUERIES], parts = 0;
    const gradus_status status = gr_split_queries(QUERIES, &options, part_of, &parts, &err);

    must_explain(status != GRADUS_OK, &err);
    for (size_t q = 0; status == GRADUS_OK && q < QUERIES; q++)
        must(part_of[q] < parts && parts <= GR_SPLIT_MAX, "every query is in a part");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    gradus_error err = { GRADUS_OK, "" };
    gr_budget budget;
    gradus_status status;

    make_base();
    take_folders(text);
    take_shares(text);
    status = gr_budget_parse(text, &budget, &err);
    must_explain(status != GRADUS_OK, &err);
    must(status != GRADUS_OK || budget.settings > 0 || budget.seconds > 0.0,
         "a budget is not empty");
    free(text);
    return 0;
}
