#!/usr/bin/env python3
"""Prints docs/reference/errors.md, made from the one list of reasons in src/core/base/reason.h. With --write: writes it."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "errors.md"
HEAD = """# Error reasons

Made from `src/core/base/reason.h` by `scripts/error_table.py --write`; do not edit.

Every refusal has a reason: a name for programs, which never changes once released. It stands in the error's detail (`Reason:
mapping_not_found.`), and for runs in `sys_sync_run.error_reason`. Refusals of the door and of dispatch have the SQLSTATE `PT`
and an HTTP status, which PostgREST answers with. Where the table says PT409 or PT401, the other leg may say PT503 or PT404: a
conflict of connections is PT409 at the door and PT503 at dispatch, "not connected" is PT401 at dispatch and PT404 at revoke.
Errors of PostgreSQL itself, and those that another PostgreSQL sent, keep their own SQLSTATE and have no reason.
"""
ROW = re.compile(r'X\((\w+),\s*"(\w{5})",\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"\)')
SECTION = re.compile(r"/\* ([^*]+) \*/")


def page():
    text = (ROOT / "src" / "core" / "base" / "reason.h").read_text().replace("\\\n", "\n")
    text = text[text.index("#define PG_PULL_REASONS(X)"):text.index("enum class Reason")]
    lines = [HEAD]
    found = [(match.start(), "section", match.group(1).strip()) for match in SECTION.finditer(text)]
    found += [(match.start(), "row", match.groups()) for match in ROW.finditer(text)]
    for _, kind, value in sorted(found, key=lambda entry: entry[0]):
        if kind == "section":
            lines.append(f"\n## {value[0].upper()}{value[1:]}\n\n| reason | SQLSTATE | meaning | remedy |\n|---|---|---|---|\n")
        else:
            name, code, meaning, remedy = (part.replace('\\"', '"').replace("|", "\\|") for part in value)
            lines.append(f"| `{name}` | {code} | {meaning} | {remedy} |\n")
    return "".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    elif sys.argv[1:] == ["--check"]:
        sys.exit(0 if PAGE.exists() and PAGE.read_text() == page() else "docs/reference/errors.md is not what the code says")
    else:
        print(page(), end="")
