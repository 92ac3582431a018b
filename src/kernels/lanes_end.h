/* SPDX-License-Identifier: Apache-2.0 */
/* Ends what kernels/lanes.h began, for the next width. */
#undef LANED_AS
#undef LANED_BY
#undef LANED
#undef LANED_INLINE
#undef lanes
#undef bits
#undef narrow
#undef WIDTH
#undef TARGET
