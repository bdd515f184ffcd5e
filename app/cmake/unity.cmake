# SPDX-License-Identifier: GPL-3.0-or-later
# headscope_unity_by_folder(TARGET): the files of a folder are compiled as one where HEADSCOPE_UNITY
# is on. Names in unnamed namespaces then have to differ within a folder, not within the library.
function(headscope_unity_by_folder target)
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD ${HEADSCOPE_UNITY} UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    foreach(source ${sources})
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
            OUTPUT_VARIABLE inside)
        cmake_path(GET inside PARENT_PATH folder)
        string(MAKE_C_IDENTIFIER "${target}_${folder}" group)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
endfunction()
