# The shell scripts, read by shellcheck where it is installed.
find_program(SHELLCHECK shellcheck)
if(SHELLCHECK)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/*.sh
    ${PROJECT_SOURCE_DIR}/scripts/parity/*.sh ${PROJECT_SOURCE_DIR}/tests/*.sh)
  add_test(NAME lint_scripts COMMAND ${SHELLCHECK} ${scripts} ${PROJECT_SOURCE_DIR}/.ci/run)
endif()
