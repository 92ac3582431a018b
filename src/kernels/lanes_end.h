/* SPDX-License-Identifier: Apache-2.0 */
/* Undefines the macros of kernels/lanes.h and kernels/float_lanes.h, before the next width. */
#undef LANED_AS
#undef LANED_BY
#undef LANED
#undef LANED_INLINE
#undef lanes
#undef bits
#undef narrow
#undef floats
#undef marks
#undef WIDTH
#undef TARGET
