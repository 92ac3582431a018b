/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli), using the processor's CRC instruction if it has one. */
#ifndef GR_BASE_CRC32C_H
#define GR_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues from crc (0 at the start). */
uint32_t gr_crc32c(uint32_t crc, const void *bytes, size_t size);
/* The sum of bytes and `size` more, from the sums of both. */
uint32_t gr_crc32c_combine(uint32_t first, uint32_t second, size_t size);
/* The portable version; the tests compare the other with it. */
uint32_t gr_crc32c_reference(uint32_t crc, const void *bytes, size_t size);

#endif
