# SPDX-License-Identifier: Apache-2.0
# cmake -D web=FOLDER -D charts=FILE -D notice=FILE -D page=FILE -P report_page.cmake
# Writes the page of gradus report: web/report.html with the style, Chart.js, its licence notice and the
# modules of web/js embedded. Without Chart.js the page is an empty file.
cmake_minimum_required(VERSION 3.25)

if(NOT charts)
  file(WRITE ${page} "")
  return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/web_modules.cmake)
add_module(main.js)

set(licence "")
if(notice AND EXISTS ${notice})
  file(READ ${notice} licence)
  string(REPLACE "&" "&amp;" licence "${licence}")
  string(REPLACE "<" "&lt;" licence "${licence}")
endif()
file(READ ${web}/report.html html)
file(READ ${web}/report.css style)
file(READ ${charts} library)
string(REPLACE "@style@" "${style}" html "${html}")
string(REPLACE "@notice@" "${licence}" html "${html}")
string(REPLACE "@script@" "${script}" html "${html}")
string(REPLACE "@charts@" "${library}" html "${html}")
file(WRITE ${page} "${html}")
