# SPDX-License-Identifier: GPL-3.0-or-later
# libtorch from its Python wheel as plain imported targets: LibTorch::cpu. The wheel's own package
# file is not used: it stops where no CUDA toolkit is installed and sets global flags.
#
# Both flavours that app/setup.sh puts into the cache will do, the small one for the CPU and the one
# with all of CUDA's libraries; where both are there, the latter can do more.
if(NOT HEADSCOPE_LIBTORCH)
    if(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
        set(cache_root "$ENV{XDG_CACHE_HOME}")
    else()
        set(cache_root "$ENV{HOME}/.cache")
    endif()
    foreach(flavour gpu cpu)
        set(candidate "${cache_root}/headscope/libtorch-2.11.0-${flavour}")
        if(EXISTS "${candidate}/torch/lib/libtorch_cpu.so")
            set(HEADSCOPE_LIBTORCH "${candidate}" CACHE PATH
                "Folder that holds torch/ of libtorch 2.11.0" FORCE)
            break()
        endif()
    endforeach()
endif()
set(torch_root "${HEADSCOPE_LIBTORCH}/torch")
include(FindPackageHandleStandardArgs)
find_file(LibTorch_CPU_LIBRARY libtorch_cpu.so PATHS "${torch_root}/lib" NO_DEFAULT_PATH NO_CACHE)
set(hint "run app/run.sh once, or give -DHEADSCOPE_LIBTORCH=DIR with DIR/torch")
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_CPU_LIBRARY
    REASON_FAILURE_MESSAGE "libtorch 2.11.0 not found: ${hint}")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
    add_library(LibTorch::c10 SHARED IMPORTED)
    set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION "${torch_root}/lib/libc10.so")
    add_library(LibTorch::cpu SHARED IMPORTED)
    # The wheel's libtorch_cpu needs libraries beside it (libgomp, of CUDA the runtime and CUPTI):
    # -rpath-link lets the linker resolve them, the build's own rpath lets the loader find them.
    file(GLOB nvidia_libs LIST_DIRECTORIES true "${HEADSCOPE_LIBTORCH}/nvidia/*/lib")
    set(link_dirs "${torch_root}/lib" ${nvidia_libs})
    list(TRANSFORM link_dirs PREPEND "LINKER:-rpath-link," OUTPUT_VARIABLE rpath_link)
    list(TRANSFORM link_dirs PREPEND "LINKER:-rpath," OUTPUT_VARIABLE rpath)
    set(include_dirs "${torch_root}/include" "${torch_root}/include/torch/csrc/api/include")
    set_target_properties(LibTorch::cpu PROPERTIES
        IMPORTED_LOCATION "${torch_root}/lib/libtorch_cpu.so"
        INTERFACE_INCLUDE_DIRECTORIES "${include_dirs}"
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${include_dirs}"
        INTERFACE_LINK_LIBRARIES LibTorch::c10
        INTERFACE_LINK_OPTIONS "${rpath_link};${rpath};LINKER:--disable-new-dtags")
    # The CUDA side. Its own needs (cuBLAS, cuDNN, …) are there only where there is a GPU; behind
    # --no-as-needed, as nothing names a symbol of what registers itself.
    if(EXISTS "${torch_root}/lib/libtorch_cuda.so")
        add_library(LibTorch::c10_cuda SHARED IMPORTED)
        set_target_properties(LibTorch::c10_cuda PROPERTIES
            IMPORTED_LOCATION "${torch_root}/lib/libc10_cuda.so")
        add_library(LibTorch::cuda INTERFACE IMPORTED)
        set(cuda_options "LINKER:--no-as-needed,${torch_root}/lib/libtorch_cuda.so,--as-needed"
            "LINKER:--allow-shlib-undefined")
        set_target_properties(LibTorch::cuda PROPERTIES
            INTERFACE_LINK_LIBRARIES "LibTorch::c10_cuda;LibTorch::cpu"
            INTERFACE_LINK_OPTIONS "${cuda_options}")
    endif()
    # One OpenMP runtime a process: the wheel's. Its soname is the system's, so whoever is loaded
    # first serves both.
    set(LibTorch_GOMP "${torch_root}/lib/libgomp.so.1")
endif()
