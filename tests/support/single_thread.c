/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces pthread_create in tests whose source does not show that they start threads, and which
 * therefore do not run under the thread sanitizer (tests/CMakeLists.txt). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    (void)thread;
    (void)attributes;
    (void)start;
    (void)argument;
    fprintf(stderr, "a test without the label 'threads' starts a thread: extend "
                    "starts_threads_regex in tests/CMakeLists.txt\n");
    abort();
}
