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

/* Whether the thread sanitizer watches; it makes a test about 20 times slower. */
#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#else
#define UNDER_TSAN 0
#endif

/* In the list of a group: a test that starts no thread, in a program whose other tests do. The thread
 * sanitizer would find nothing in it, so it is left out there. */
#define one_thread_test(test)                                                                      \
    {                                                                                              \
        "" #test, UNDER_TSAN ? left_out : (test), NULL, NULL, NULL                                 \
    }

/* Does nothing. */
void left_out(void **state);

void check_near(double found, double wanted, double within, const char *what, const char *file,
                int line);

#define CHECK_NEAR(found, wanted, within)                                                          \
    check_near(found, wanted, within, #found, __FILE__, __LINE__)

#endif
