/* SPDX-License-Identifier: Apache-2.0 */
/* Included by every fuzz target: the entry point, and the check that failures are explained. */
#ifndef GR_TESTS_FUZZ_TARGET_H
#define GR_TESTS_FUZZ_TARGET_H

#include "gradus.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Aborts, so that the fuzzer keeps the input. */
static inline void must(bool holds, const char *what)
{
    if (holds)
        return;
    dprintf(STDERR_FILENO, "broken: %s\n", what);
    abort();
}

/* A reader that fails must set a status and a message. */
static inline void must_explain(bool failed, const gradus_error *err)
{
    must(!failed || err->status != GRADUS_OK, "a failure has a status");
    must(!failed || err->message[0], "a failure has a message");
}

#endif
