"""The smallest limit in which a program still finishes: plain, and with the guard."""

from __future__ import annotations

from runs import Program, run

# Makers, and how many things of each: some hundred megabytes in all.
WORK = {
    "bytes": 400,
    "dicts": 400,
    "json_loads": 150,
    "zlib_decompress": 200,
    "numpy_ones": 80,
    "pandas_frames": 100,
    "arrow_compute": 200,
    "cv2_resized": 70,
}
STEP = 2  # MiB


def finishes(program: Program, mode: str, megabytes: int) -> bool:
    """Not killed, and nothing was refused, either."""
    one = Program(program.name, megabytes, program.command, program.environment)
    outcome = run(one, mode, seconds=60)
    return outcome.status == 0 and not outcome.killed and "reached" in outcome.said


def smallest(program: Program, mode: str, low: int, high: int) -> int:
    while high - low > STEP:
        middle = (low + high) // 2
        if finishes(program, mode, middle):
            high = middle
        else:
            low = middle
    return high


def table_of_smallest(programs: list[Program]) -> bool:
    """Bar: two parts in a hundred and 8 MiB more than plain."""
    good = True
    print("\n| needs at least | plain | with --guard=on | more | |")
    print("| --- | --: | --: | --: | --- |")
    for program in programs:
        maker, _, way = program.name.partition(".")
        if maker not in WORK or way != "keep":
            continue
        counted = {"HF_COUNT": str(WORK[maker])}
        one = Program(program.name, 0, program.command, counted)
        plain = smallest(one, "plain", 16, 512)
        guarded = smallest(one, "on", plain - 2 * STEP, plain * 2)
        fine = guarded - plain <= 0.02 * plain + 8
        good &= fine
        print(f"| {maker} x {WORK[maker]} | {plain} MiB | {guarded} MiB | {guarded - plain} MiB "
              f"| {'' if fine else 'TOO MUCH'} |", flush=True)  # fmt: skip
    return good
