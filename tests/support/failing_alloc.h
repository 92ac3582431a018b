/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated memory exhaustion: a scenario is run with its first allocation failing, then its
 * second, and so on until it succeeds. Every failure must be reported as GRADUS_NO_MEMORY and leak
 * nothing (the address sanitizer checks that). tests/CMakeLists.txt links programs that include
 * this file so that the library's allocations are redirected here; those inside zlib, zstd and the
 * C library are not. */
#ifndef GR_TESTS_FAILING_ALLOC_H
#define GR_TESTS_FAILING_ALLOC_H

#include "checks.h"

#include "gradus.h"

typedef gradus_status (*scenario)(gradus_error *err);

/* Returns the number of allocations that were made to fail. */
long exhaust(const char *name, scenario run);

#endif
