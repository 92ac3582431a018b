/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the data of a training fit into the memory of the context's device. */
#ifndef GR_LEARNERS_BOOST_DEVICE_ROOM_H
#define GR_LEARNERS_BOOST_DEVICE_ROOM_H

#include "learners/boost/boost_state.h"

/* Fails, before the data are binned, if they certainly do not fit: with the number of rows that do. */
gradus_status gr_device_room_check(const gr_boost_state *boosting, gradus_error *err);

#endif
