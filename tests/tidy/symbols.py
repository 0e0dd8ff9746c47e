# SPDX-License-Identifier: BSD-2-Clause
"""Layers 0 to 2 import nothing but each other, downwards, and a short list of libc symbols: no clock, no socket, no
random source, no output. It is the linker's proof of "time is an argument" (docs/determinism.md)."""
import os
import re
import subprocess

from source import introspect

LOWER = {
    'wt_base': [],
    'wt_text': ['wt_base'],
    'wt_wire': ['wt_base', 'wt_text'],
    'wt_cc': ['wt_base', 'wt_text'],
    'wt_emu': ['wt_base', 'wt_text', 'wt_wire', 'wt_net'],
    'wt_net': ['wt_base', 'wt_text', 'wt_wire'],
    'wt_mobility': ['wt_base', 'wt_text'],
    'wt_air': ['wt_base', 'wt_text', 'wt_mobility'],
    'wt_mesh': ['wt_base', 'wt_text', 'wt_wire', 'wt_net'],
    'wt_tcp': ['wt_base', 'wt_text', 'wt_wire', 'wt_cc', 'wt_net'],
    'wt_host': ['wt_base', 'wt_text', 'wt_wire', 'wt_cc', 'wt_net', 'wt_tcp'],
}

LIBC = set('''
    memcpy memmove memset memcmp bcmp strlen strcmp strncmp strchr strrchr strspn strcspn strcpy strncpy
    stpcpy strcat strncat snprintf vsnprintf strtod strtol strtoul strtoll strtoull inet_ntop inet_pton qsort
    malloc calloc aligned_alloc free abort sqrt
    __assert_fail __errno_location __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
    __stack_chk_fail __snprintf_chk __vsnprintf_chk __memcpy_chk __memmove_chk __memset_chk __strcpy_chk
    _GLOBAL_OFFSET_TABLE_
'''.split())
# beyond that: the words of a path may name files of samples, read once while the words are (emu/samples.c)
ALSO = {'wt_emu': {'open', 'open64', 'fstat', 'fstat64', 'fdopen', 'close', 'getc', 'ferror', 'fclose'}}
# helpers of the compiler: 128-bit arithmetic, bit counts, which instructions there are, instrumentation
COMPILER = re.compile(r'^__(u?(div|mod|mul|cmp)[a-z]*[sdt]i\d|popcount[sd]i2|cpu_model$|c[lt]z[sd]i2|asan_|ubsan_|gcov|llvm_|tsan_|sanitizer_)')


def symbols(library, flag):
    output = subprocess.run(['nm', '-P', flag, library], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {line.split()[0] for line in output.split('\n') if len(line.split()) >= 2}


def libraries(build):
    return {target['name']: target['filename'][0] for target in introspect(build, 'targets')
            if target['type'] == 'static library'}


def check(root, build):
    library = libraries(build)
    for name, lower in LOWER.items():
        if name not in library or not os.path.exists(library[name]):
            yield '%s: no such library in %s' % (name, build)
            continue
        known = symbols(library[name], '--defined-only')
        for other in lower:
            known |= symbols(library[other], '--defined-only')
        for symbol in sorted(symbols(library[name], '--undefined-only') - known - LIBC - ALSO.get(name, set())):
            if not COMPILER.match(symbol):
                yield 'lib%s.a imports %s' % (name, symbol)
