/* SPDX-License-Identifier: Apache-2.0 */
/* Included by every unit test: cmocka, and an approximate comparison that prints both numbers. */
#include "checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

void check_near(double found, double wanted, double within, const char *what, const char *file,
                int line)
{
    if (found == wanted || fabs(found - wanted) <= within || (isnan(found) && isnan(wanted)))
        return;
    print_error("%s:%d: %s is %.17g, not %.17g (within %g)\n", file, line, what, found, wanted,
                within);
    _fail(file, line);
}

void left_out(void **state)
{
    (void)state;
}
