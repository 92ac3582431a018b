/* SPDX-License-Identifier: Apache-2.0 */
/* Undefines the macros of kernels/lanes.h, before the next width. */
#undef LANED_AS
#undef LANED_BY
#undef LANED
#undef LANED_INLINE
#undef lanes
#undef bits
#undef narrow
#undef WIDTH
#undef TARGET
