"""Healthy programs that are not Python: a line of shell each, and the limit that it just fits."""

from __future__ import annotations

import shutil
from pathlib import Path

from runs import Program


def tools(folder: Path) -> list[Program]:
    """Programs that are not Python, in limits that they just fit; some take only address space."""
    data = folder / "data"
    if not data.exists():
        data.write_bytes(
            b"".join(b"%d some words %d\n" % (i * 7919 % 10007, i) for i in range(200_000))
        )
    source = folder / "big.c"
    source.write_text(
        "".join(f"int f{i}(int a) {{ return a * {i} + {i}; }}\n" for i in range(3000))
    )
    rows = {
        "xz_9": (160, f"xz -9 -k -c {data} | wc -c"),
        "xz_threads": (300, f"xz -6 -T2 -k -c {data} | wc -c"),
        "tar_xz": (160, f"tar -C {folder} -I 'xz -9' -cf - data | wc -c"),
        "sort": (64, f"sort -S 24M {data} | tail -1"),
        "sort_numbers": (96, f"sort -n {data} | uniq -c | wc -l"),
        "gcc": (128, f"gcc -O1 -c -o /dev/null {source}"),
        "gzip": (32, f"gzip -9 -c {data} | wc -c"),
        "bzip2": (32, f"bzip2 -9 -c {data} | wc -c"),
        "zstd": (64, f"zstd -10 -q -c {data} | wc -c"),
        "perl": (64, f"perl -ne '$n{{$_}}++; END {{ print scalar keys %n }}' {data}"),
        "awk": (64, f"awk '{{n[$1]++}} END {{print length(n)}}' {data}"),
        "git": (96, f"cd {folder} && rm -rf g && git init -q g && cp data g/ && cd g && git add . && "
                    "git -c user.name=a -c user.email=a@b commit -qm a && git gc -q"),
        "sqlite3": (64, "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c "
                        "where x < 200000) select count(*), sum(x) from c'"),
        "node": (256, "node -e 'let a = []; for (let i = 0; i < 1e6; i++) a.push({i}); console.log(a.length)'"),
        "java": (256, "java -Xmx128m -version"),
        "go": (512, "go version"),
        "bash": (32, "x=$(seq 1 50000); echo ${#x}"),
    }  # fmt: skip
    return [
        Program(f"tool_{name}", megabytes, ["/bin/bash", "-c", f"set -o pipefail; {line}"])
        for name, (megabytes, line) in rows.items()
        if shutil.which(name.split("_")[0])
    ]
