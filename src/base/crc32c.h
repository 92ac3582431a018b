/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli), by the processor's instruction where it has one. */
#ifndef GR_BASE_CRC32C_H
#define GR_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from crc (0 to begin). */
uint32_t gr_crc32c(uint32_t crc, const void *bytes, size_t size);
/* The plain version, which the tests hold the other to. */
uint32_t gr_crc32c_reference(uint32_t crc, const void *bytes, size_t size);

#endif
