/* SPDX-License-Identifier: Apache-2.0 */
/* The memory limit. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Reads "8G", "500M", "1.5G", "64K" or a number of bytes; false if it is none of these. */
bool memory_parse(const char *word, uint64_t *bytes);
/* 80 % of the smallest of physical memory, the control group limits and RLIMIT_AS. */
uint64_t memory_default(void);

#endif
