// Which of the cells that were sent to a kernel it died in.

const KERNEL_DIED = 'KernelDied';
const NOT_RUN = 'not run: ';

/** What Lab tells of a cell that failed. */
export interface IFailure {
  readonly errorName?: string;
  readonly errorValue?: string;
}

export class Culprit<Cell> {
  /** The cell; null: none was running, or none is known. */
  get cell(): Cell | null {
    return this.found;
  }

  scheduled(cell: Cell): void {
    this.found = null; // left from an earlier death
    this.ended(cell);
    this.waiting.push(cell);
  }

  /** Cells that waited behind it fail as well, because they were not run. */
  executed(cell: Cell, failure: IFailure | null | undefined): void {
    this.ended(cell);
    if (failure?.errorName === KERNEL_DIED && !failure.errorValue?.startsWith(NOT_RUN)) {
      this.found = cell;
    }
  }

  /** The kernel is dead: if no reply says more, the cell that was sent first was running. */
  died(): void {
    this.found ??= this.waiting[0] ?? null;
    this.waiting = [];
  }

  private ended(cell: Cell): void {
    this.waiting = this.waiting.filter(one => one !== cell);
  }

  private waiting: Cell[] = [];
  private found: Cell | null = null;
}
