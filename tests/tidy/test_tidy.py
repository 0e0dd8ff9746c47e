# SPDX-License-Identifier: BSD-2-Clause
"""The tidy checks find what they are for: each is run over a small tree that is wrong on purpose, and over one that
is right."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import documented
import headers
import layers
import manual
import modules
import sizes
import symbols
import words

TOP = '/* SPDX-License-Identifier: BSD-2-Clause */\n'


class Tree:
    """Files in a temporary folder: Tree({'stack/base/a.h': 'text'})."""

    def __init__(self, content):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name
        for path, text in content.items():
            full = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, 'w', encoding='utf-8') as file:
                file.write(text)


def faults(check, content):
    tree = Tree(content)
    return list(check(tree.root, tree.root))


class Checks(unittest.TestCase):
    def test_an_include_of_a_higher_layer_is_found(self):
        good = {'stack/base/a.h': TOP, 'cc/b.c': TOP + '#include "stack/base/a.h"\n'}
        self.assertEqual(faults(layers.check, good), [])
        bad = {'emu/a.h': TOP, 'cc/b.c': TOP + '#include "emu/a.h"\n'}
        self.assertEqual(len(faults(layers.check, bad)), 1)

    def test_a_room_of_commands_that_sees_another_is_found(self):
        content = {'tools/lab/a.h': TOP, 'tools/common/c.h': TOP, 'tools/sweep/b.c': TOP + '#include "tools/common/c.h"\n'}
        self.assertEqual(faults(layers.check, content), [])
        content['tools/sweep/b.c'] += '#include "tools/lab/a.h"\n'
        self.assertEqual(len(faults(layers.check, content)), 1)
        self.assertEqual(len(faults(layers.check, {'tools/attic/a.c': TOP})), 1)

    def test_a_way_into_a_frame_past_its_accessors_is_found(self):
        self.assertEqual(len(faults(layers.check, {'emu/a.c': TOP + 'x = frame->inside.bytes;\n'})), 1)
        self.assertEqual(faults(layers.check, {'stack/base/frame.c': TOP + 'x = frame->inside.bytes;\n'}), [])

    def test_an_include_that_does_not_start_at_the_root_is_found(self):
        self.assertEqual(len(faults(layers.check, {'cc/a.h': TOP, 'cc/b.c': '#include "a.h"\n'})), 1)

    def test_a_module_that_is_not_one_file_and_one_word_is_found(self):
        built = "cc_modules = {\n    'sender': ['loss/a'%s],\n}\ncc_files = files()\n"
        good = {'cc/meson.build': built % '', 'cc/sender/loss/a.c': TOP + '#include "cc/cc.h"\nconst struct wt_sender_ops wt_sender_a;\n',
                'cc/cc.h': TOP, 'stack/tcp/tcb.h': TOP}
        self.assertEqual(faults(modules.check, good), [])
        for bad in {'cc/sender/b.c': TOP}, {'cc/meson.build': built % ", 'loss/a'"}, {'tools/x.c': TOP + 'f(&wt_sender_a);\n'}, \
                {'cc/sender/loss/a.c': TOP + '#include "stack/tcp/tcb.h"\n'}:
            self.assertEqual(len(faults(modules.check, {**good, **bad})), 1, bad)

    def test_a_clock_in_a_library_is_found(self):
        tree = Tree({'a.c': 'long time(long *); int printf(const char *, ...); void f(void) { printf("%ld", time(0)); }'})
        self.assertEqual(os.system('cd %s && gcc -c a.c && ar rcs libwt_base.a a.o' % tree.root), 0)
        symbols_of = symbols.libraries
        symbols.libraries = lambda build: {name: tree.root + '/libwt_base.a' for name in symbols.LOWER}
        try:
            found = list(symbols.check(tree.root, tree.root))
        finally:
            symbols.libraries = symbols_of
        self.assertIn('libwt_base.a imports time', found)
        self.assertIn('libwt_base.a imports printf', found)

    def test_a_header_that_needs_another_one_first_is_found(self):
        guard = '#ifndef WT_CC_A_H\n#define WT_CC_A_H\n%s\n#endif\n'
        flags = headers.flags
        headers.flags = lambda root, build: (['gcc'], [])
        try:
            self.assertEqual(faults(headers.check, {'cc/a.h': guard % 'int a;'}), [])
            self.assertEqual(len(faults(headers.check, {'cc/a.h': guard % 'uint8_t a;'})), 1)
            self.assertEqual(len(faults(headers.check, {'cc/a.h': 'int f(void);\n'})), 1)
        finally:
            headers.flags = flags

    def test_a_long_function_and_a_long_file_are_found(self):
        long = 'int f(void)\n{\n' + '\tg();\n' * 80 + '}\n'
        self.assertEqual(len(faults(sizes.check, {'cc/a.c': long})), 1)
        self.assertEqual(faults(sizes.check, {'cc/a.c': long, 'tests/tidy/sizes.txt': 'cc/a.c:f 82\n'}), [])
        self.assertEqual(len(faults(sizes.check, {'cc/a.c': '\n' * 601})), 1)
        room = {'cc/%d.c' % i: '' for i in range(20)}
        self.assertEqual(faults(sizes.check, {**room, 'cc/1.h': '', 'cc/inner/a.c': ''}), [])
        self.assertEqual(len(faults(sizes.check, {**room, 'cc/20.c': ''})), 1)

    def test_an_exception_that_is_no_longer_needed_is_found(self):
        short = 'int f(void)\n{\n\tg();\n}\n'
        self.assertEqual(len(faults(sizes.check, {'cc/a.c': short, 'tests/tidy/sizes.txt': 'cc/a.c:f 82\n'})), 1)
        self.assertEqual(len(faults(sizes.check, {'cc/a.c': short, 'tests/tidy/sizes.txt': 'cc/a.c:gone 82\n'})), 1)

    def test_leftovers_and_missing_licence_lines_are_found(self):
        self.assertEqual(faults(words.check, {'cc/a.c': TOP}), [])
        self.assertEqual(len(faults(words.check, {'cc/a.c': 'int a;\n'})), 1)
        self.assertEqual(len(faults(words.check, {'cc/a.c': TOP + '/* TO' + 'DO: more */\n'})), 1)
        self.assertEqual(len(faults(words.check, {'docs/a.txt': 'see /wo' + 'rk/main/x\n'})), 1)
        self.assertEqual(len(faults(words.check, {'tools/a.ini': 'see doc' + 's/gone.md\n'})), 1)
        self.assertEqual(len(faults(words.check, {'doc' + 's/a.md': 'x ' * 61})), 1)
        self.assertEqual(faults(words.check, {'doc' + 's/a.md': '| ' + 'x ' * 61 + '|\n```\n' + 'x ' * 61 + '\n```\n'}), [])

    def test_an_undocumented_cause_or_event_is_found(self):
        content = {'stack/base/drop.def': 'WT_DROP(A, "late", "too late")\n',
                   'stack/text/trace.def': 'WT_TRACE(B, "x:y", "words", "one",\n\t "two")\n',
                   'emu/machine/seccomp.def': 'ALLOW(read)\nALLOW(exit_group)\n', 'docs/man/wavetank-emu.1.scd': '*read*\n',
                   'docs/files.md': '`late` `x:y` `one`\n'}
        self.assertEqual(len(faults(documented.check, content)), 2)
        content['docs/files.md'] += '`two`\n'
        content['docs/man/wavetank-emu.1.scd'] += '*exit\\_group*\n'
        self.assertEqual(faults(documented.check, content), [])

    def test_an_option_missing_from_a_page_or_from_the_program_is_found(self):
        known = manual.options('  -n, --bytes SIZE             payload\n      --digest                 print\n')
        self.assertEqual(known, {'bytes': ('n', 'SIZE'), 'digest': (None, None)})
        page = '*-n, --bytes* _SIZE_\n\tPayload.\n\n*--digest*\n\tPrint.\n'
        self.assertEqual(list(manual.compare('sim', 'p', page, known)), [])
        self.assertEqual(len(list(manual.compare('sim', 'p', page.replace('SIZE', 'N'), known))), 1)
        self.assertEqual(len(list(manual.compare('sim', 'p', page + '\n*--other*\n\tNo.\n', known))), 1)

    def test_a_line_of_help_that_is_too_wide_is_found_and_a_continued_one_is_no_option(self):
        self.assertEqual(list(manual.too_wide('sim', 'x' * 100 + '\n')), [])
        self.assertEqual(len(list(manual.too_wide('sim', 'y\n' + 'x' * 101))), 1)
        self.assertEqual(list(manual.options('      --owner PID              while it lives, lab down\n' + ' ' * 31 + '--all leaves it\n')), ['owner'])


if __name__ == '__main__':
    unittest.main()
