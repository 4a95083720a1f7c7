// What the server answers. Unknown is null, not zero; see docs/jupyter.md.

export interface CurvePoint {
  seconds: number;
  used_bytes: number | null;
  limit_bytes: number | null;
}

export interface MemorySite {
  file: string;
  line: number | null;
  live_bytes: number | null;
  growth_per_step_bytes: number | null;
}

export interface Gpu {
  name: string;
  used_bytes: number | null;
  total_bytes: number | null;
}

export interface Watched {
  watched: true;
  run: string;
  memory_bytes: number | null;
  limit_bytes: number | null;
  limit_name: string;
  peak_bytes: number | null;
  process_bytes: number | null;
  steps: number;
  epoch: number;
  guard: string | null;
  trouble: string | null; // silent trouble, in one sentence
  gpus: Gpu[];
  curve: CurvePoint[];
  top_sites: MemorySite[];
}

export type Status = Watched | { watched: false; ended: boolean };

export interface RunRow {
  id: string;
  name: string;
  command: string;
  started: string;
  duration_seconds: number | null;
  outcome: string;
  cause: string | null;
  live: boolean;
  notebook: string; // whose kernel it was; "": not known
  death: boolean; // it ended although nobody wanted it to
}

export interface Where {
  file: string;
  line: number | null;
  function: string;
  text: string;
}

export interface Finding {
  code: string;
  slug: string;
  confidence: string;
  summary: string;
  where: Where | null;
  evidence: { source: string; text: string }[];
  fixes: { text: string; code?: string }[];
}

export interface Verdict {
  headline: string;
  run: { id: string; command: string[]; started: string; ended: string | null };
  outcome: string;
  end: Finding;
  root: Finding;
  python_stack: {
    thread: string;
    frames: { file: string; line: number | null; function: string }[];
  }[];
  memory: {
    peak_bytes: number | null;
    limit_bytes: number | null;
    limit_name?: string;
    top_sites: MemorySite[];
    curve?: CurvePoint[];
  };
  missing: string[];
}

export interface NotebookRow {
  session: string;
  kernel: string;
  name: string;
  path: string;
  bytes: number | null;
  idle: number | null; // seconds; 0: a cell runs; null: not known
}
