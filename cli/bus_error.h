/* SPDX-License-Identifier: Apache-2.0 */
/* An input file that another process truncates while it is mapped into memory. */
#ifndef CLI_TRUNCATED_H
#define CLI_TRUNCATED_H

/* From now on reading beyond the new end prints one line that names the file, and ends the program
 * with status 1 (by default SIGBUS ends it without a message). */
void truncated_report(void);

#endif
