# SPDX-License-Identifier: Apache-2.0
# cmake -D command=GRADUS -D folder=FOLDER -P pages.cmake
# Writes FOLDER/man1/gradus.1, a manual page for each command, and FOLDER/completions/gradus.
cmake_minimum_required(VERSION 3.25)

function(ask variable)
  execute_process(COMMAND ${command} help ${ARGN}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${folder})
ask(page --man gradus)
file(WRITE ${folder}/man1/gradus.1 "${page}")

ask(names --list)
string(REGEX REPLACE "[ \t][^\n]*" "" names "${names}")
string(REGEX MATCHALL "[^\n]+" names "${names}")
foreach(name ${names})
  ask(page --man ${name})
  file(WRITE ${folder}/man1/gradus-${name}.1 "${page}")
endforeach()

ask(completion --completion bash)
file(WRITE ${folder}/completions/gradus "${completion}")
file(TOUCH ${folder}/made)
