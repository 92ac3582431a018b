/* SPDX-License-Identifier: Apache-2.0 */
/* Words of 64 bits in fewer bytes, for messages: sums of a histogram are mostly small. */
#ifndef GRADUS_MPI_SHORT_WORDS_H
#define GRADUS_MPI_SHORT_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that words can take. */
size_t short_words_most(size_t count);
/* Writes words; returns the bytes. `bytes` is aligned like a word. */
size_t short_words_write(const uint64_t *words, size_t count, void *bytes);
/* Adds words that short_words_write has written to `sums`. Returns the bytes read; SIZE_MAX if the first
 * `size` bytes do not begin with `count` words. */
size_t short_words_add(uint64_t *sums, size_t count, const void *bytes, size_t size);

#endif
