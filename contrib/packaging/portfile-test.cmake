# cmake -DPORT=FOLDER -DARCHIVE_HERE=FILE -DINTO=FOLDER -DVCPKG_LIBRARY_LINKAGE=dynamic|static -P portfile-test.cmake:
# runs a portfile with a stand-in for vcpkg, which does what each function's page says, and takes the sources from a
# file. What it installs is in INTO.
set(CURRENT_PACKAGES_DIR "${INTO}")

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "${ARGV}: ${failed}")
    endif()
endfunction()

function(vcpkg_download_distfile variable)
    cmake_parse_arguments(given "" "FILENAME;SHA512" "URLS" ${ARGN})
    file(SHA512 "${ARCHIVE_HERE}" sha512)
    get_filename_component(name "${ARCHIVE_HERE}" NAME)
    if(NOT (given_URLS MATCHES "/${name}$" AND given_FILENAME STREQUAL name AND given_SHA512 STREQUAL sha512))
        message(FATAL_ERROR "not ${name}: ${ARGN}")
    endif()
    set(${variable} "${ARCHIVE_HERE}" PARENT_SCOPE)
endfunction()

function(vcpkg_extract_source_archive variable)
    cmake_parse_arguments(given "" "ARCHIVE" "" ${ARGN})
    file(ARCHIVE_EXTRACT INPUT "${given_ARCHIVE}" DESTINATION "${INTO}-source")
    file(GLOB folder "${INTO}-source/*")
    set(${variable} "${folder}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
    cmake_parse_arguments(given "" "SOURCE_PATH" "OPTIONS" ${ARGN})
    if(NOT VCPKG_BUILD_TYPE STREQUAL "release")
        message(FATAL_ERROR "it builds another one for debugging")
    endif()
    run("${CMAKE_COMMAND}" -S "${given_SOURCE_PATH}" -B "${INTO}-build" "-DCMAKE_INSTALL_PREFIX=${INTO}"
        -DCMAKE_INSTALL_LIBDIR=lib ${given_OPTIONS} ${OPTIONS})
endfunction()

function(vcpkg_cmake_install)
    run("${CMAKE_COMMAND}" --build "${INTO}-build" --target install)
endfunction()

# A config of CMake's own making finds its prefix from where it is moved to.
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(given "" "CONFIG_PATH" "" ${ARGN})
    file(RENAME "${INTO}/${given_CONFIG_PATH}" "${INTO}/share/polyseal")
    set(config "${INTO}/share/polyseal/polyseal-config.cmake")
    file(READ "${config}" text)
    string(REPLACE "{CMAKE_CURRENT_LIST_DIR}/../../../" "{CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
    file(WRITE "${config}" "${text}")
endfunction()

function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS "${INTO}/lib/pkgconfig/polyseal.pc")
        message(FATAL_ERROR "no polyseal.pc")
    endif()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(given "" "" "FILE_LIST" ${ARGN})
    foreach(name IN LISTS given_FILE_LIST)
        if(NOT EXISTS "${name}")
            message(FATAL_ERROR "${name} is not in the sources")
        endif()
    endforeach()
endfunction()

include("${PORT}/portfile.cmake")
