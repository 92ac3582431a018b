/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over the files of folders, for builds without libFuzzer. */
#include "fuzz_target.h"

#include <dirent.h>
#include <string.h>

enum { LARGEST = 1 << 26 };

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(LARGEST);
    size_t size = 0;

    if (file && bytes)
        size = fread(bytes, 1, LARGEST, file);
    /* a block of exactly that size, so that reading past its end is detected */
    uint8_t *exact = file && bytes ? malloc(size ? size : 1) : NULL;

    if (exact) {
        memcpy(exact, bytes, size);
        LLVMFuzzerTestOneInput(exact, size);
    } else {
        dprintf(STDERR_FILENO, "cannot read %s\n", path);
    }
    if (file)
        fclose(file);
    free(bytes);
    free(exact);
    return exact ? 0 : 1;
}

static int run_folder(const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    int inputs = 0, failed = 0;

    for (int i = 0; i < count; i++) {
        char path[4096];

        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            failed += run_file(path);
            inputs++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    dprintf(STDERR_FILENO, "%s: %d inputs\n", folder, inputs); /* targets may close the streams */
    return failed || inputs == 0;
}

int main(int count, char **arguments)
{
    int failed = count < 2;

    for (int i = 1; i < count; i++)
        failed |= run_folder(arguments[i]);
    return failed;
}
