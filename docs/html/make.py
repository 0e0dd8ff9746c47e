#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A page of docs/ as HTML: make.py CMARK FILE.md. Links to other pages go to their HTML; cmark-gfm does the rest."""
import html
import re
import subprocess
import sys

STYLE = """body{max-width:50em;margin:1em auto;padding:0 1em;font:16px/1.5 sans-serif;color:#222;background:#fff}
img{width:100%}
pre,code{font:14px/1.4 monospace;background:#f4f4f4}pre{padding:.7em;overflow-x:auto}code{padding:0 .2em}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #ccc;padding:.2em .5em;text-align:left;vertical-align:top}"""

text = open(sys.argv[2], encoding="utf-8").read()
body = subprocess.run([sys.argv[1], "-e", "table", "-t", "html"], input=text, capture_output=True, text=True, check=True).stdout
body = re.sub(r'href="((?:docs/)?)([\w./-]+)\.md((?:#[^"]*)?)"', r'href="\2.html\3"', body)
title = next((line[2:] for line in text.split("\n") if line.startswith("# ")), "Wavetank")
print(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
      f"<title>{html.escape(title)} - Wavetank</title><style>{STYLE}</style></head><body>\n{body}</body></html>")
