/* SPDX-License-Identifier: Apache-2.0 */
/* JSON files of other commands, as embedded by `gradus report`. */
#include "fuzz_command.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_file file = fuzz_file_new(bytes, size);

    run_words((const char *const[]){ "report", file.path, "-o", "-", "--threads", "1", NULL });
    fuzz_file_close(&file);
    return 0;
}
