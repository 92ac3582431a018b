# SPDX-License-Identifier: Apache-2.0
# Checks the shell scripts with shellcheck.
find_program(SHELLCHECK shellcheck)
if(NOT SHELLCHECK)
  message(FATAL_ERROR "shellcheck is not installed (Debian: shellcheck), and the tests of the "
    "scripts need it; -DGRADUS_TESTS=OFF builds without tests")
endif()
file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/*.sh
  ${PROJECT_SOURCE_DIR}/scripts/soak/*.sh ${PROJECT_SOURCE_DIR}/scripts/parity/*.sh ${PROJECT_SOURCE_DIR}/tests/*.sh
  ${PROJECT_SOURCE_DIR}/tests/web/*.sh ${PROJECT_SOURCE_DIR}/tests/cli/*.sh ${PROJECT_SOURCE_DIR}/tests/fuzz/*.sh
  ${PROJECT_SOURCE_DIR}/tests/fixtures/*.sh ${PROJECT_SOURCE_DIR}/tests/lint/*.sh)
add_test(NAME lint_scripts COMMAND ${SHELLCHECK} ${scripts} ${PROJECT_SOURCE_DIR}/.ci/run)

# Label source: checks of the source alone, which need not be repeated for another build.
get_property(tests DIRECTORY PROPERTY TESTS)
foreach(name ${tests})
  if(name MATCHES "^lint_(symbols|state)$")
    set_property(TEST ${name} PROPERTY LABELS lint)
  elseif(name MATCHES "^lint_")
    set_property(TEST ${name} PROPERTY LABELS lint source)
  endif()
endforeach()
