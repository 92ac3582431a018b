/* SPDX-License-Identifier: Apache-2.0 */
/* Neural nets as learners of the methods that train them; the method's variant selects the loss. */
#ifndef GR_PIPELINE_LEARNERS_LEARNER_NET_H
#define GR_PIPELINE_LEARNERS_LEARNER_NET_H

#include "learners/net/losses.h"
#include "pipeline/learner.h"

/* They differ in the pair options that they accept. */
extern const gr_learner *const gr_net_learners[];
extern const gr_learner *const gr_net_pair_learners[];
extern const gr_learner *const gr_net_lambda_learners[];

#define GR_NET_IMPLIES "rounds=200 transform=auto"

#endif
