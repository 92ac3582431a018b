/* SPDX-License-Identifier: Apache-2.0 */
/* The table of significance tests. */
#include "statistics/test.h"

const gr_test *const gr_tests[] = {
#define GR_TEST(name) &gr_test_##name,
#include "statistics/tests.def"
#undef GR_TEST
    NULL,
};

const char *const gr_test_names[] = {
#define GR_TEST(name) #name,
#include "statistics/tests.def"
#undef GR_TEST
    NULL,
};

const gr_about *gr_tests_at(size_t index)
{
    const size_t count = sizeof gr_tests / sizeof *gr_tests - 1;

    return index < count ? &gr_tests[index]->about : NULL;
}
