/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the file named by BODY for every width that kernels/versions.h knows; it begins with
 * kernels/lanes.h and ends with kernels/lanes_end.h. Not guarded: once for each BODY. */
#define WIDTH 2
#define TARGET
#include BODY

#if defined(__x86_64__)
#define WIDTH 4
#define TARGET GR_TARGET_4
#include BODY

#define WIDTH 8
#define TARGET GR_TARGET_8
#include BODY
#endif

#undef BODY
