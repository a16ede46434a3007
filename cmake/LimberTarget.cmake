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
