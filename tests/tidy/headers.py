# SPDX-License-Identifier: BSD-2-Clause
"""Every header compiles alone, with the project's warnings as errors, and has its own include guard."""
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from source import files, introspect, lines


def flags(root, build):
    """Those of the first C target that has sources: the project's."""
    for target in introspect(build, 'targets'):
        for group in target.get('target_sources', []):
            if group.get('language') == 'c' and target['name'] == 'wt_tools':
                return group['compiler'], group['parameters']
    return ['cc'], ['-I' + root, '-D_GNU_SOURCE']


def compile_alone(job):
    compiler, parameters, root, build, path = job
    command = compiler + [p for p in parameters if not p.startswith(('-O', '-g', '-M'))]
    command += ['-I' + root, '-I' + os.path.join(root, 'stack/include'), '-Istack/include', '-Werror', '-fsyntax-only', '-x', 'c', '-']
    result = subprocess.run(command, input='#include "%s"\n#include "%s"\n' % (path, path), cwd=build, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if result.returncode:
        wrong = [line for line in result.stderr.split('\n') if 'error' in line] or [result.stderr.strip()]
        return '%s: does not compile alone: %s' % (path, wrong[0])
    return None


def check(root, build):
    compiler, parameters = flags(root, build)
    headers = files(root, ('.h',))
    for path in headers:
        if path.startswith('tests/'):
            continue
        guard = 'WT_' + re.sub(r'\W', '_', path).upper()
        if not any(line.strip() == '#ifndef ' + guard for line in lines(root, path)):
            yield '%s: include guard is not %s' % (path, guard)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for fault in pool.map(compile_alone, [(compiler, parameters, root, build, path) for path in headers]):
            if fault:
                yield fault
