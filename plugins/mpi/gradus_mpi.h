/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the command and the plug-in for MPI, libgradus-mpi-*.so, which is opened at run
 * time: neither the command nor the library needs MPI. */
#ifndef GRADUS_MPI_H
#define GRADUS_MPI_H

#include "gradus.h"

/* Of a plug-in built for another version of this header, gradus_mpi_open fails. */
#define GRADUS_MPI_VERSION 2

typedef struct gradus_mpi {
    gradus_collectives with;
    size_t local_size; /* processes on this machine */
    uint64_t calls,
        bytes;      /* collective operations so far, and the bytes that this process gave them */
    uint64_t whole; /* the same bytes, before numbers were narrowed */
    double seconds; /* spent in them, waiting for others included */
    /* Waits until all processes have called it, up to `seconds`; whether they have. */
    bool (*meet)(struct gradus_mpi *mpi, double seconds);
} gradus_mpi;

/* What each plug-in exports. */
#define GRADUS_MPI_OPEN "gradus_mpi_open"
#define GRADUS_MPI_CLOSE "gradus_mpi_close"
/* Starts MPI. stop: asked while an operation waits for other processes; once it returns true, the
 * operation fails after a few seconds instead of waiting for them. */
typedef gradus_mpi *gradus_mpi_open_function(int version, bool (*stop)(void), gradus_error *err);
/* Ends MPI: in agreement with the other processes if all of them come here, else (abort) by ending
 * them, too, with this exit status. */
typedef void gradus_mpi_close_function(gradus_mpi *mpi, bool abort, int status);

/* mpi_plugin.c */
gradus_mpi *gradus_mpi_open(int version, bool (*stop)(void), gradus_error *err)
    __attribute__((visibility("default")));
void gradus_mpi_close(gradus_mpi *mpi, bool abort, int status)
    __attribute__((visibility("default")));

#endif
