# Label `threads`: the tests that make a pool of threads, which the thread sanitizer is for.
# Label `lint`: the tests that read the source. Both save a second compiler or sanitizer the rest.
foreach(source ${unit_tests})
  file(STRINGS ${source} threaded REGEX "gradus_context_new|gr_pool_new" LIMIT_COUNT 1)
  if(threaded)
    get_filename_component(name ${source} NAME_WE)
    set_property(TEST ${name} APPEND PROPERTY LABELS threads)
  endif()
endforeach()

get_property(tests DIRECTORY PROPERTY TESTS)
foreach(name ${tests})
  if(name MATCHES "^lint_")
    set_property(TEST ${name} PROPERTY LABELS lint)
  endif()
endforeach()
