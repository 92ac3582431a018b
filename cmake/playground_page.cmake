# SPDX-License-Identifier: Apache-2.0
# cmake -D web=FOLDER -D page=FILE [-D empty=ON] -P playground_page.cmake
# Writes the playground: web/playground.html with the styles and the modules of web/js embedded. empty: without
# the marks for data and models, as the server sends it.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/web_modules.cmake)
add_module(playground.js)

file(READ ${web}/playground.html html)
file(READ ${web}/report.css style)
file(READ ${web}/playground.css more)
string(REPLACE "@style@" "${style}\n${more}" html "${html}")
if(empty)
  string(REPLACE "@data@" "null" html "${html}")
  string(REPLACE "@models@" "" html "${html}")
endif()
string(REPLACE "@script@" "${script}" html "${html}")
file(WRITE ${page} "${html}")
