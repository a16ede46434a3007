# limber_target(NAME): the compile flags that every target of this repository shares.
function(limber_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual
    -Wno-missing-field-initializers  # options are set by name; the rest keeps its defaults
    $<$<BOOL:${LIMBER_WERROR}>:-Werror>
    # GCC announces that passing 64-byte vectors by value depends on the CPU; those calls stay inside the library.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
    # GCC 12 takes its own AVX-512 intrinsics for reading uninitialised variables (GCC bug 105593), and the concatenation
    # of strings for overlapping copies (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized;-Wno-restrict>
    # GCC collects its garbage each time that its memory has grown by a hundred megabytes: a tenth of its time.
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
  if(LIMBER_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  if(LIMBER_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LIMBER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${LIMBER_SANITIZE})
  endif()
endfunction()

# Sources of the library that are compiled alone, whatever LIMBER_UNITY says. Eigen's decompositions: each takes as long as a group. Inner loops: what the
# compiler makes of them must not depend on the functions beside them.
set(LIMBER_ALONE
  linalg/svd linalg/general_eigen linalg/qr linalg/mass_basis linalg/symmetric_eigen linalg/sparse_solver linalg/eigensolver
  linalg/block_kernels linalg/symmetric_solve linalg/nnls basis/krylov_basis full/free_flight
  base/executor linalg/eigen_kernels linalg/rank_update linalg/supernodal_solve linalg/svd3 linalg/symmetric_product mesh/triangle_distance mesh/triangle_tree fem/assembly
  fem/elements reduced/cubature reduced/elasticity reduced/quartic reduced/quartic_batch reduced/quartic_layout reduced/reconstruction multidomain/tree_solve)

# limber_alone(TARGET SOURCES...): sources that are compiled alone because names of theirs are those of others in their folder.
function(limber_alone target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# limber_group(TARGET [SIZE]): with LIMBER_UNITY, the sources of TARGET are compiled in groups of up to SIZE (10) from one folder each. Names in anonymous
# namespaces are therefore unique in their folder. Called after the last source was added.
function(limber_group target)
  if(NOT LIMBER_UNITY)
    return()
  endif()
  set(size 10)
  if(ARGC GREATER 1)
    set(size ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_folder ${target} SOURCE_DIR)
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${source_folder} NORMALIZE)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET source STEM stem)
    cmake_path(GET folder FILENAME name)
    get_source_file_property(alone ${source} TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    if(NOT alone AND NOT (folder STREQUAL "${PROJECT_SOURCE_DIR}/src/limber/${name}" AND "${name}/${stem}" IN_LIST LIMBER_ALONE))
      list(APPEND sources_in_${name} ${source})
      list(APPEND folders ${name})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(name IN LISTS folders)
    list(LENGTH sources_in_${name} count)
    math(EXPR groups "(${count} + ${size} - 1) / ${size}")
    set(number 0)
    foreach(source IN LISTS sources_in_${name})
      math(EXPR group "${number} * ${groups} / ${count}")  # groups of one size, near enough
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${name}_${group})
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
endfunction()
