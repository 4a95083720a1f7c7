// What a kernel writes about its memory into a cell's output: see agent/hooks/cell_memory.py.

export const MEMORY_MIME = 'application/vnd.holdfast.memory+json';

export interface Variable {
  path: string;
  name: string;
  also?: string[];
  owner?: string;
  bytes: number;
  about: boolean;
  text: string;
  grown?: number; // bytes, lately
}

export interface OtherKernel {
  name: string;
  bytes: number;
  idle: number | null; // seconds; 0: a cell runs
}

export interface MemoryFacts {
  kind: 'refused' | 'brink' | 'memory-error' | 'variables';
  headline: string;
  figures?: string; // of the whole kernel, in one line
  note?: string; // why no variable is named
  variables: Variable[];
  grew: { name: string; kind: string; items: number; bytes: number; grown: number } | null;
  others: OtherKernel[];
  advice: { text: string; code: string }[];
}

/** A saved notebook may hold anything: null if a kernel would not have written it. */
export function factsOf(data: unknown): MemoryFacts | null {
  if (!isObject(data) || typeof data.headline !== 'string') {
    return null;
  }
  return {
    kind: data.kind as MemoryFacts['kind'],
    headline: data.headline,
    figures: typeof data.figures === 'string' ? data.figures : '',
    note: typeof data.note === 'string' ? data.note : '',
    variables: listOf<Variable>(data.variables, {
      path: 'string',
      bytes: 'number',
      text: 'string'
    }),
    grew:
      listOf<NonNullable<MemoryFacts['grew']>>([data.grew], {
        name: 'string',
        kind: 'string',
        items: 'number',
        bytes: 'number'
      })[0] ?? null,
    others: listOf<OtherKernel>(data.others, { name: 'string', bytes: 'number' }),
    advice: listOf<MemoryFacts['advice'][number]>(data.advice, {
      text: 'string',
      code: 'string'
    })
  };
}

function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null;
}

/** The items that have all fields that are read. */
function listOf<T>(data: unknown, types: Record<string, string>): T[] {
  const list = Array.isArray(data) ? (data as unknown[]) : [];
  const fits = (one: unknown) =>
    isObject(one) &&
    Object.entries(types).every(
      ([name, type]) => typeof one[name] === type && one[name] !== null
    );
  return list.filter(fits) as T[];
}
