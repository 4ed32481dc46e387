# The targets polyseal::polyseal, the shared library, and polyseal::static, of those that polyseal_SHARED and
# polyseal_STATIC name. Where there is no shared library, polyseal::polyseal is the static one.

# The libraries of the system that the static one needs, as `rustc --print native-static-libs` lists them.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
set(_polyseal_system Threads::Threads ${CMAKE_DL_LIBS} m)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    list(APPEND _polyseal_system gcc_s)
endif()

if(polyseal_SHARED AND NOT TARGET polyseal::polyseal)
    add_library(polyseal::polyseal SHARED IMPORTED)
    set_target_properties(polyseal::polyseal PROPERTIES
        IMPORTED_LOCATION "${polyseal_SHARED}"
        IMPORTED_SONAME "${polyseal_SONAME}")
endif()
foreach(_polyseal_target polyseal::static polyseal::polyseal)
    if(polyseal_STATIC AND NOT TARGET ${_polyseal_target})
        add_library(${_polyseal_target} STATIC IMPORTED)
        set_target_properties(${_polyseal_target} PROPERTIES
            IMPORTED_LOCATION "${polyseal_STATIC}"
            INTERFACE_LINK_LIBRARIES "${_polyseal_system}")
    endif()
    if(TARGET ${_polyseal_target})
        set_target_properties(${_polyseal_target} PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${polyseal_INCLUDE_DIR}"
            INTERFACE_COMPILE_DEFINITIONS "${polyseal_DEFINITIONS}")
    endif()
endforeach()
unset(_polyseal_system)
unset(_polyseal_target)
