# SPDX-License-Identifier: Apache-2.0
# cmake -D source=FOLDER -D output=FILE -P commit.cmake
# Writes a C file with the commit of the sources (cli/build_commit.h); empty if they are not in a git
# repository of their own, as in a release. The file is left alone if it says so already.
cmake_minimum_required(VERSION 3.25)

set(commit "")
if(EXISTS ${source}/.git)
  execute_process(COMMAND git -C ${source} describe --always --dirty --abbrev=10 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "")
  endif()
endif()
set(text "#include \"build_commit.h\"\n\nconst char *build_commit(void)\n{\n    return \"${commit}\";\n}\n")
if(EXISTS ${output})
  file(READ ${output} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${output} "${text}")
endif()
