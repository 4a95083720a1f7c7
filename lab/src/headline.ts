// Takes the program's one line apart: "HF101 cgroup-oom: Killed ... (host-leak), at cell [2], line 3".

export interface IHeadline {
  what: string; // "Killed by the kernel at its container's memory limit"
  where: string; // "cell [2], line 3", or nothing
}

const LINE = /^(?:HF\d+ [a-z0-9-]+: )?(.*?)(?: \([a-z0-9-]+\))?(?:, at (.+))?$/;

export function headlineOf(line: string): IHeadline {
  const found = LINE.exec(line);
  return { what: found?.[1] ?? line, where: found?.[2] ?? '' };
}
