/* SPDX-License-Identifier: Apache-2.0 */
/* The default of --max-memory, and sizes such as 8G. */
#include "memory_limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

bool memory_parse(const char *word, uint64_t *bytes)
{
    static const struct {
        const char *name;
        double size;
    } units[] = { { "", 1.0 },
                  { "K", 1024.0 },
                  { "M", 1048576.0 },
                  { "G", 1073741824.0 },
                  { "T", 1099511627776.0 } };
    char *end;
    const double number = strtod(word, &end);

    if ((*word < '0' || *word > '9') && *word != '.')
        return false;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (end > word && strcmp(end, units[u].name) == 0 && number * units[u].size < 1e18) {
            *bytes = (uint64_t)(number * units[u].size);
            return true;
        }
    return false;
}

/* The smaller of `most` and the number in a file; `most` if there is no number ("max"). */
static double least_in(const char *path, double most)
{
    FILE *file = fopen(path, "r");
    double found;

    if (!file)
        return most;
    if (fscanf(file, "%lf", &found) == 1 && found > 0.0 && found < most)
        most = found;
    fclose(file);
    return most;
}

/* The memory limits of this process's control group, version 2 ("0::/path") or 1
 * ("9:memory:/path"). */
static double least_of_groups(double most)
{
    FILE *file = fopen("/proc/self/cgroup", "r");
    char line[512], path[640];

    while (file && fgets(line, sizeof line, file)) {
        const char *second = strstr(line, "::"), *first = strstr(line, ":memory:");

        line[strcspn(line, "\n")] = '\0';
        if (second && strncmp(line, "0::", 3) == 0)
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", second + 2);
        else if (first)
            snprintf(path, sizeof path, "/sys/fs/cgroup/memory%s/memory.limit_in_bytes", first + 8);
        else
            continue;
        most = least_in(path, most);
    }
    if (file)
        fclose(file);
    /* in a container the own group is mounted as the root */
    most = least_in("/sys/fs/cgroup/memory.max", most);
    return least_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", most);
}

uint64_t memory_default(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    double most = pages > 0 && size > 0 ? (double)pages * (double)size : (double)INFINITY;
    struct rlimit limit;

    most = least_of_groups(most);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (double)limit.rlim_cur < most)
        most = (double)limit.rlim_cur;
    return most < 1e18 ? (uint64_t)(0.8 * most) : 0;
}
