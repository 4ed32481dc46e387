# find_package(polyseal): the targets polyseal::polyseal, the shared library, and polyseal::static.
#
# Lies in PREFIX/share/cmake/polyseal, and finds header and libraries below the same PREFIX.

get_filename_component(_polyseal_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

find_path(polyseal_INCLUDE_DIR polyseal.h
    HINTS "${_polyseal_prefix}/include" NO_DEFAULT_PATH)
find_library(polyseal_LIBRARY polyseal
    HINTS "${_polyseal_prefix}" PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}" NO_DEFAULT_PATH)
find_library(polyseal_STATIC_LIBRARY libpolyseal.a
    HINTS "${_polyseal_prefix}" PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}" NO_DEFAULT_PATH)
mark_as_advanced(polyseal_INCLUDE_DIR polyseal_LIBRARY polyseal_STATIC_LIBRARY)
unset(_polyseal_prefix)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(polyseal
    REQUIRED_VARS polyseal_LIBRARY polyseal_INCLUDE_DIR
    VERSION_VAR polyseal_VERSION)

if(polyseal_FOUND AND NOT TARGET polyseal::polyseal)
    add_library(polyseal::polyseal UNKNOWN IMPORTED)
    set_target_properties(polyseal::polyseal PROPERTIES
        IMPORTED_LOCATION "${polyseal_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${polyseal_INCLUDE_DIR}")
endif()
if(polyseal_FOUND AND polyseal_STATIC_LIBRARY AND NOT TARGET polyseal::static)
    include("${CMAKE_CURRENT_LIST_DIR}/polyseal-system.cmake")
    add_library(polyseal::static STATIC IMPORTED)
    set_target_properties(polyseal::static PROPERTIES
        IMPORTED_LOCATION "${polyseal_STATIC_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${polyseal_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${polyseal_SYSTEM_LIBRARIES}")
endif()
