# SPDX-License-Identifier: BSD-2-Clause
"""Results of Wavetank for pandas.

    import wavetank
    runs = wavetank.load("loss")                               # a row per run: axes, seed, outcome, metrics
    runs.groupby(["loss", "variant"])["goodput_kBps"].median()
    flows = wavetank.flows("loss")                             # a row per flow of each run
    events = wavetank.journal("send.jsonl", "cwnd")            # a row per event of a journal

A place is a results folder, its name under results/, or a file of JSON Lines. Columns have the names that the file has, with its units;
nested objects become dotted names, and axes and metrics of runs stand without a prefix. records() gives dictionaries, without pandas.
"""
import json
import os

__all__ = ["load", "flows", "journal", "records"]

PLAIN = ("axes.", "metrics.")


def _file(place):
    """A folder stands for its runs.jsonl; `wavetank sweep run` writes to results/NAME."""
    place = os.fspath(place)
    for folder in (place, os.path.join("results", place)):
        if os.path.isdir(folder):
            place = os.path.join(folder, "runs.jsonl")
            break
    if not os.path.exists(place):
        raise FileNotFoundError(f"{place}: no results folder and no file")
    return place


def records(place, record=None):
    """Dictionaries, in the order of the file. record: only lines of this kind, such as "run" or "point"."""
    path = _file(place)
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except ValueError as fault:
                raise ValueError(f"{path}:{number}: no JSON object: {fault}") from None
            if record is None or entry.get("record") == record:
                yield entry


def _flat(entry, prefix=""):
    for key, value in entry.items():
        if isinstance(value, dict):
            yield from _flat(value, prefix + key + ".")
        elif not isinstance(value, list):
            name = prefix + key
            yield next((name[len(plain):] for plain in PLAIN if name.startswith(plain)), name), value


def _frame(rows):
    import pandas

    return pandas.DataFrame([dict(_flat(row)) for row in rows])


def load(place):
    """A DataFrame with a row per run."""
    return _frame(records(place, "run"))


def flows(place):
    """A DataFrame with a row per flow: the run's axes and seed, the name of the flow, and what became of it."""
    rows = []
    for run in records(place, "run"):
        for name, flow in (run.get("flow") or {}).items():
            rows.append({"point": run.get("point"), "repeat": run.get("repeat"), "seed": run.get("seed"), "axes": run.get("axes", {}),
                         "flow": name, **flow})
    return _frame(rows)


def journal(place, event=None):
    """A journal (`send --trace`, `sim --trace`, `lab up --log`) with a row per event. event: its name, or the part behind the colon."""
    frame = _frame(entry for entry in records(place)
                   if event is None or event in (entry.get("event", ""), entry.get("event", "").rpartition(":")[2]))
    return frame.rename(columns=lambda name: name[5:] if name.startswith("data.") else name)
