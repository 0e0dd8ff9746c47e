#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completions of a shell from the command tables, by what `wavetank help --commands` and --help say.

  generate.py bash|zsh|fish WAVETANK
"""
import re
import subprocess
import sys

OPTION = re.compile(r"^  (?:-(\w), |    )--([a-z0-9-]+)(?: ([A-Z]\S*))?(?:  +(.*))?$")


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def tables(wavetank):
    """[(command, sentence, [(letter, name, argument, text)])]"""
    result = []
    for name in run(wavetank, "help", "--commands").split("\n")[:-1]:
        lines = run(wavetank, *name.split(), "--help").split("\n")
        options = []
        for line in lines:
            match = OPTION.match(line)
            if match:
                options.append([match.group(1), match.group(2), match.group(3), (match.group(4) or "").strip()])
            elif options and re.match(r"^ {20,}\S", line):
                options[-1][3] = (options[-1][3] + " " + line.strip()).strip()
            elif options and not line.strip():
                break
        result.append((name, next(line for line in lines[1:] if line.strip()), options))
    return result


def first_words(commands):
    return sorted({name.split()[0] for name, _, _ in commands})


def second_words(commands):
    """{object: verbs}"""
    result = {}
    for name, _, _ in commands:
        if " " in name:
            result.setdefault(name.split()[0], []).append(name.split()[1])
    return result


def flags(options):
    return " ".join(f"--{name}" + (f" -{letter}" if letter else "") for letter, name, _, _ in options)


def bash(commands):
    print("# bash completion of wavetank, made from its command tables")
    print("_wavetank()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} words\n\tCOMPREPLY=()")
    print('\tif [ "$COMP_CWORD" = 1 ]; then\n\t\twords="%s --help --version"' % " ".join(first_words(commands)))
    print('\telse\n\t\tcase "$COMP_CWORD ${COMP_WORDS[1]}" in')
    for first, verbs in second_words(commands).items():
        print(f'\t\t"2 {first}") words="{" ".join(verbs)}" ;;')
    print('\t\t*)\n\t\t\tcase "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in')
    for name, _, options in commands:
        print(f'\t\t\t"{name}{"" if " " in name else " "}"*) words="{flags(options)}" ;;')
    print("\t\t\tesac\n\t\t\t;;\n\t\tesac\n\tfi")
    print('\tcase "$cur" in\n\t-* | "") ;;\n\t*) [ "$COMP_CWORD" -le 2 ] || words="" ;;\n\tesac')
    print('\tCOMPREPLY=($(compgen -W "$words" -- "$cur"))')
    print('\t[ "${#COMPREPLY[@]}" != 0 ] || COMPREPLY=($(compgen -f -- "$cur"))\n}\ncomplete -o filenames -F _wavetank wavetank')


def quoted(text):
    return text.replace("'", "'\\''")


def zsh(commands):
    print("#compdef wavetank\n# zsh completion of wavetank, made from its command tables\n_wavetank() {\n\tlocal -a list")
    print("\tif (( CURRENT == 2 )); then\n\t\tlist=(%s)\n\t\t_describe command list\n\t\treturn\n\tfi" % " ".join(first_words(commands)))
    print('\tcase "$words[2]" in')
    for first, verbs in second_words(commands).items():
        texts = {name.split()[1]: text for name, text, _ in commands if name.startswith(first + " ")}
        items = " ".join("'%s:%s'" % (verb, quoted(texts[verb].replace(":", "\\:"))) for verb in verbs)
        print(f"\t{first})\n\t\tif (( CURRENT == 3 )); then\n\t\t\tlist=({items})\n\t\t\t_describe verb list\n\t\t\treturn\n\t\tfi\n\t\t;;")
    print('\tesac\n\tcase "$words[2] $words[3]" in')
    for name, _, options in commands:
        items = " ".join("'--%s:%s'" % (word, quoted(text.replace("\\", "").replace(":", "\\:"))) for _, word, _, text in options)
        print(f"\t{quoted(name).replace(' ', chr(92) + ' ')}{'' if ' ' in name else chr(92) + ' '}*) list=({items}) ;;")
    print("\tesac\n\t[[ \"$words[CURRENT]\" = -* ]] && _describe option list\n\t_files\n}\n_wavetank \"$@\"")


def fish(commands):
    print("# fish completion of wavetank, made from its command tables")
    verbs = second_words(commands)
    single = {name: text for name, text, _ in commands if " " not in name}
    for first in first_words(commands):
        text = single.get(first, " ".join(verbs.get(first, [])))
        print(f"complete -c wavetank -f -n __fish_use_subcommand -a {first} -d '{quoted(text)}'")
    for name, text, options in commands:
        first, *rest = name.split()
        seen = f"__fish_seen_subcommand_from {first}"
        if rest:
            others = " ".join(verbs[first])
            print(f"complete -c wavetank -f -n '{seen}; and not __fish_seen_subcommand_from {others}' -a {rest[0]} -d '{quoted(text)}'")
            seen += f"; and __fish_seen_subcommand_from {rest[0]}"
        for letter, word, argument, about in options:
            print(f"complete -c wavetank -n '{seen}' -l {word}" + (f" -s {letter}" if letter else "") + (" -r" if argument else "")
                  + (f" -d '{quoted(about)}'" if about else ""))


{"bash": bash, "zsh": zsh, "fish": fish}[sys.argv[1]](tables(sys.argv[2]))
