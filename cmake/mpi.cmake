# SPDX-License-Identifier: Apache-2.0
# The plug-ins for MPI, one per implementation that is installed: libgradus-mpi-openmpi.so and
# libgradus-mpi-mpich.so. The command opens one of them at run time and does not need MPI otherwise.
set(mpi_plugins)
foreach(kind openmpi mpich)
  find_program(MPICC_${kind} mpicc.${kind})
  if(NOT MPICC_${kind})
    message(STATUS "gradus train --distributed: mpicc.${kind} not found (Debian: lib${kind}-dev); "
      "building without that plug-in")
    continue()
  endif()
  foreach(step compile link)
    set(ask -showme:${step}) # of Open MPI
    if(kind STREQUAL mpich)
      set(ask -${step}_info)
    endif()
    execute_process(COMMAND ${MPICC_${kind}} ${ask} OUTPUT_VARIABLE flags
      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(${step}_flags UNIX_COMMAND "${flags}")
  endforeach()
  list(FILTER compile_flags INCLUDE REGEX "^-I")
  list(TRANSFORM compile_flags REPLACE "^-I" "")
  list(FILTER link_flags INCLUDE REGEX "^-(L|l|Wl,-rpath)")
  add_library(gradus_mpi_${kind} MODULE plugins/mpi/mpi_plugin.c plugins/mpi/short_words.c)
  set_target_properties(gradus_mpi_${kind} PROPERTIES OUTPUT_NAME gradus-mpi-${kind})
  target_include_directories(gradus_mpi_${kind} PRIVATE include plugins/mpi)
  target_include_directories(gradus_mpi_${kind} SYSTEM PRIVATE ${compile_flags})
  target_link_libraries(gradus_mpi_${kind} PRIVATE ${link_flags})
  list(APPEND mpi_plugins gradus_mpi_${kind})
  if(GRADUS_TESTS AND kind STREQUAL openmpi)
    # delays and divides messages; for tests, beside a copy of the command
    add_library(gradus_mpi_delayed MODULE plugins/mpi/mpi_plugin.c plugins/mpi/short_words.c)
    set_target_properties(gradus_mpi_delayed PROPERTIES OUTPUT_NAME gradus-mpi-openmpi
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/delayed)
    target_compile_definitions(gradus_mpi_delayed PRIVATE GRADUS_MPI_DELAYS)
    target_include_directories(gradus_mpi_delayed PRIVATE include plugins/mpi)
    target_include_directories(gradus_mpi_delayed SYSTEM PRIVATE ${compile_flags})
    target_link_libraries(gradus_mpi_delayed PRIVATE ${link_flags})
    list(APPEND mpi_plugins gradus_mpi_delayed)
  endif()
endforeach()
if(mpi_plugins)
  add_dependencies(gradus_command ${mpi_plugins})
endif()
