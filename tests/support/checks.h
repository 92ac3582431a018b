/* SPDX-License-Identifier: Apache-2.0 */
/* Included by every unit test: cmocka, and an approximate comparison that prints both numbers. */
#ifndef GR_TESTS_CHECKS_H
#define GR_TESTS_CHECKS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Skips the test with a reason; scripts/tally.sh looks for this line. */
#define SKIP_TEST(reason)                                                                          \
    do {                                                                                           \
        print_message("skipped: %s\n", reason);                                                    \
        skip();                                                                                    \
    } while (0)

void check_near(double found, double wanted, double within, const char *what, const char *file,
                int line);

#define CHECK_NEAR(found, wanted, within)                                                          \
    check_near(found, wanted, within, #found, __FILE__, __LINE__)

#endif
