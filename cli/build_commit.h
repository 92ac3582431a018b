/* SPDX-License-Identifier: Apache-2.0 */
/* The commit that was built, "86013d91ab"; "-dirty" after it: with changes. "": not built in a git
 * repository. */
#ifndef GRADUS_CLI_BUILD_COMMIT_H
#define GRADUS_CLI_BUILD_COMMIT_H

const char *build_commit(void);

#endif
