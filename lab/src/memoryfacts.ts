// What a kernel says of its memory in a cell's output: agent/hooks/cell_memory.py writes it.

export const MEMORY_MIME = 'application/vnd.holdfast.memory+json';

export interface Variable {
  path: string;
  name: string;
  also: string[];
  owner: string;
  bytes: number;
  about: boolean;
  text: string;
}

export interface OtherKernel {
  name: string;
  bytes: number;
  idle: number | null; // seconds; 0: a cell runs
}

export interface MemoryFacts {
  kind: 'refused' | 'brink' | 'memory-error' | 'variables';
  headline: string;
  variables: Variable[];
  grew: { name: string; kind: string; items: number; bytes: number; grown: number } | null;
  others: OtherKernel[];
  advice: { text: string; code: string }[];
}

/** A saved notebook may hold anything: null where it is not what a kernel writes. */
export function factsOf(data: unknown): MemoryFacts | null {
  const facts = data as Partial<MemoryFacts> | null | undefined;
  const lists = [facts?.variables, facts?.others, facts?.advice];
  const whole = typeof facts?.headline === 'string' && lists.every(Array.isArray);
  return whole ? (facts as MemoryFacts) : null;
}
