# polyseal_SYSTEM_LIBRARIES: the libraries of the system that polyseal::static needs, as `rustc --print native-static-libs`
# lists them.
find_package(Threads REQUIRED)
set(polyseal_SYSTEM_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    list(APPEND polyseal_SYSTEM_LIBRARIES gcc_s)
endif()
