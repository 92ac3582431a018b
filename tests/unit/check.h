/* SPDX-License-Identifier: Apache-2.0 */
/* Included by every unit test: cmocka, and an approximate comparison that prints both numbers. */
#ifndef GR_TESTS_CHECK_H
#define GR_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static inline void check_near(double found, double wanted, double within, const char *what,
                              const char *file, int line)
{
    if (found == wanted || fabs(found - wanted) <= within || (isnan(found) && isnan(wanted)))
        return;
    print_error("%s:%d: %s is %.17g, not %.17g (within %g)\n", file, line, what, found, wanted,
                within);
    _fail(file, line);
}

/* Skips the test with a reason; scripts/tally.sh looks for this line. */
#define SKIP_TEST(reason)                                                                          \
    do {                                                                                           \
        print_message("skipped: %s\n", reason);                                                    \
        skip();                                                                                    \
    } while (0)

#define CHECK_NEAR(found, wanted, within)                                                          \
    check_near(found, wanted, within, #found, __FILE__, __LINE__)

#endif
