/* SPDX-License-Identifier: Apache-2.0 */
/* What every fuzz target includes: the entry point, and the promise that failures are explained. */
#ifndef GR_TESTS_FUZZ_H
#define GR_TESTS_FUZZ_H

#include "gradus.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Stops the program, for the fuzzer to keep the input. */
static inline void must(bool holds, const char *what)
{
    if (holds)
        return;
    dprintf(STDERR_FILENO, "broken: %s\n", what);
    abort();
}

/* A reader that fails says so, and why. */
static inline void must_explain(bool failed, const gradus_error *err)
{
    must(!failed || err->status != GRADUS_OK, "a failure has a status");
    must(!failed || err->message[0], "a failure has a message");
}

#endif
