/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the file named by BODY for every vector width of kernels/versions.h. That file starts by
 * including kernels/lanes.h and ends by including kernels/lanes_end.h. No include guard: included
 * once for each BODY. */
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
