#include "gradus.h"

#include <stdio.h>

int main(void)
{
    printf("gradus %s\n", gradus_version());
    return 0;
}
