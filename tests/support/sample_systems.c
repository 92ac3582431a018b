/* SPDX-License-Identifier: Apache-2.0 */
/* Two systems that R, Python and C generate identically, for tests of statistics. In R:
 *   a <- function(n) ((37*(1:n)) %% 101)/101;  b <- function(n) ((53*(1:n)+11) %% 97)/97
 *   ta <- function(n) ((37*(1:n)) %% 11)/8;    tb <- function(n) ((53*(1:n)+3) %% 13)/8
 *   far <- function(n) a(n) + ((53*(1:n)) %% 97)/97 - 0.25 */
#include "sample_systems.h"

#include <string.h>

void make_smooth(systems *s, size_t n)
{
    s->count = n;
    for (size_t i = 1; i <= n; i++) {
        s->a[i - 1] = (double)(37 * i % 101) / 101;
        s->b[i - 1] = (double)((53 * i + 11) % 97) / 97;
    }
}

void make_tied(systems *s, size_t n)
{
    s->count = n;
    for (size_t i = 1; i <= n; i++) {
        s->a[i - 1] = (double)(37 * i % 11) / 8;
        s->b[i - 1] = (double)((53 * i + 3) % 13) / 8;
    }
}

void make_far(systems *s, size_t n)
{
    make_smooth(s, n);
    for (size_t i = 1; i <= n; i++)
        s->b[i - 1] = s->a[i - 1] + (double)(53 * i % 97) / 97 - 0.25;
}

void make_from(systems *s, const double *differences, size_t n)
{
    s->count = n;
    memset(s->a, 0, sizeof s->a);
    memcpy(s->b, differences, n * sizeof *differences);
}

gr_test_settings settings_of(bool one_sided)
{
    return (gr_test_settings){ one_sided, 0.95, 10000, 7, NULL };
}

gr_verdict run_with(const gr_test *test, const systems *s, const gr_test_settings *settings)
{
    double differences[MAX_QUERIES];
    const gr_pairs pairs = { s->a, s->b, differences, s->count };
    gr_verdict verdict;
    gradus_error err = { GRADUS_OK, "" };

    for (size_t i = 0; i < s->count; i++)
        differences[i] = s->b[i] - s->a[i];
    assert_int_equal(test->run(&pairs, settings, &verdict, &err), GRADUS_OK);
    return verdict;
}

gr_verdict run_one(const gr_test *test, const systems *s, bool one_sided)
{
    const gr_test_settings settings = settings_of(one_sided);

    return run_with(test, s, &settings);
}
