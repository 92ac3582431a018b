/* SPDX-License-Identifier: Apache-2.0 */
/* What answers the requests of each route (routes.def). A handler writes to r->out and calls
 * request_answer, or fails. */
#ifndef SERVER_HANDLERS_H
#define SERVER_HANDLERS_H

#include "request.h"

/* health.c */
gradus_status handle_live(request *r);
gradus_status handle_ready(request *r);
gradus_status handle_server_metadata(request *r);
gradus_status handle_model_ready(request *r);
gradus_status handle_model_metadata(request *r);
gradus_status handle_models(request *r);
gradus_status handle_reload(request *r);
/* metrics_page.c */
gradus_status handle_metrics(request *r);
/* openapi.c */
gradus_status handle_openapi(request *r);
/* playground.c */
gradus_status handle_playground(request *r);
gradus_status handle_data(request *r);
gradus_status handle_data_query(request *r);
gradus_status handle_data_model(request *r);
gradus_status handle_data_feature(request *r);
gradus_status handle_data_ideal(request *r);

#endif
