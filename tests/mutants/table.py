# SPDX-License-Identifier: BSD-2-Clause
"""The table of mutants, mutants.txt: read, checked against the code, applied."""
import os

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'mutants.txt')


class Mutant:
    def __init__(self, name, file, line):
        self.name, self.file, self.line = name, file, line
        self.fault, self.old, self.new, self.equal = '', [], [], ''

    @property
    def original(self):
        return '\n'.join(self.old)

    @property
    def replacement(self):
        return '\n'.join(self.new)

    def applied(self, text):
        return text.replace(self.original, self.replacement)


def read(path=TABLE):
    mutants = []
    with open(path, encoding='utf-8') as table:
        for number, line in enumerate(table, 1):
            line = line.rstrip('\n')
            if line.startswith('#') or not line:
                continue
            if line.startswith('['):
                name, file = line[1:].split('] ', 1)
                mutants.append(Mutant(name, file, number))
            elif line[:2] in ('- ', '+ ', '= '):
                mutant = mutants[-1]
                if line[0] == '=':
                    mutant.equal = line[2:]
                else:
                    (mutant.old if line[0] == '-' else mutant.new).append(line[2:])
            else:
                mutants[-1].fault += line
    return mutants


def faults(mutants, root):
    """What is wrong with the table: a sentence for each."""
    seen = set()
    for mutant in mutants:
        where = 'tests/mutants/mutants.txt:%d: %s' % (mutant.line, mutant.name)
        if mutant.name in seen:
            yield where + ' is there twice'
        seen.add(mutant.name)
        if not mutant.fault or not mutant.old or mutant.old == mutant.new:
            yield where + ' has no sentence, no text, or changes nothing'
            continue
        try:
            with open(os.path.join(root, mutant.file), encoding='utf-8') as file:
                count = file.read().count(mutant.original)
        except OSError:
            yield '%s: there is no %s' % (where, mutant.file)
            continue
        if count != 1:
            yield '%s: its text stands %d times in %s, and once was expected' % (where, count, mutant.file)
