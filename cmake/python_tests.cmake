# SPDX-License-Identifier: Apache-2.0
# Tests of the Python package: one test of ctest per file of python/tests, label python, so that they run in
# parallel. They find the command as GRADUS, the source tree as SOURCE and the package by PYTHONPATH.
#
# debug: files that test the extension itself, in a Python without sanitizers that has their libraries
# preloaded. Python keeps objects until the process ends, so leaks are not reported there. A small quarantine of
# freed memory lets tests measure whether memory grows.
# tsan: none. The sanitizer does not see how Python and numpy synchronise, because they are not instrumented;
# the threads of the library are tested in C (label threads).
if(NOT TARGET gradus_python OR GRADUS_SANITIZE MATCHES thread)
  return()
endif()
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import pytest" RESULT_VARIABLE no_pytest
  OUTPUT_QUIET ERROR_QUIET)
if(no_pytest)
  message(FATAL_ERROR "pytest is not installed (Debian: python3-pytest), and the tests of the Python package "
    "need it; -DGRADUS_TESTS=OFF builds without tests, -DGRADUS_PYTHON=OFF without the package")
endif()

set(python_environment "GRADUS=$<TARGET_FILE:gradus_command>" "SOURCE=${PROJECT_SOURCE_DIR}"
  "PYTHONPATH=${PROJECT_BINARY_DIR}/python" PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1)
set(python_test_files test_*.py)
if(GRADUS_SANITIZE)
  set(python_test_files test_core*.py test_data*.py)
  foreach(library asan ubsan)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${library}.so
      OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND preloaded ${file})
  endforeach()
  string(REPLACE ";" " " preloaded "${preloaded}")
  list(APPEND python_environment "LD_PRELOAD=${preloaded}" PYTHONMALLOC=malloc
    "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=1" UBSAN_OPTIONS=print_stacktrace=1)
endif()

list(TRANSFORM python_test_files PREPEND ${PROJECT_SOURCE_DIR}/python/tests/)
file(GLOB python_tests CONFIGURE_DEPENDS ${python_test_files})
foreach(file ${python_tests})
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^test_" "python_" name ${name})
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -m pytest -q --tb=short ${file}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES LABELS python ENVIRONMENT "${python_environment}")
endforeach()

# The wheel, built and installed into a virtual environment without network.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT GRADUS_SANITIZE)
  add_test(NAME python_wheel COMMAND ${PROJECT_SOURCE_DIR}/tests/python_wheel.sh
    ${PROJECT_BINARY_DIR} ${Python3_EXECUTABLE})
  set_tests_properties(python_wheel PROPERTIES LABELS install)
endif()
