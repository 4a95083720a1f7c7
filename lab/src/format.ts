// Figures and places as people read them.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** "1.5 GiB": three significant digits at most. */
export function human(bytes: number): string {
  let size = Math.abs(bytes);
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const text = String(Number(size.toFixed(digits)));
  return `${bytes < 0 ? '-' : ''}${text} ${UNITS[unit]}`;
}

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** "8 s", "12 min", "3 h 5 min". */
export function duration(seconds: number): string {
  if (seconds < 100) {
    return `${Math.round(seconds)} s`;
  }
  const minutes = Math.floor(seconds / 60); // rounded down, as the kernel itself does
  if (minutes < 100) {
    return `${minutes} min`;
  }
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "cell [2], line 3", "train.py:42"; a long path keeps its end. */
export function place(file: string, line: number | null): string {
  if (file.startsWith('cell [')) {
    return line === null ? file : `${file}, line ${line}`;
  }
  const parts = file.split('/');
  const short = parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : file;
  return line === null ? short : `${short}:${line}`;
}

/** How long ago, from a time of RFC 3339. */
export function ago(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  if (!Number.isFinite(seconds)) {
    return '';
  }
  return seconds < 5 ? 'just now' : `${duration(seconds)} ago`;
}

/** As much as fits, the end replaced by an ellipsis. */
export function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}
