// The state of a kernel between its death and the first use of the next one.

/**
 * The server restarts a dead kernel by itself, up to three seconds later. Restarting a kernel that
 * is still starting would interrupt its imports. So: wait for a kernel that is starting, and
 * restart one that has been used since, or whose death the server has not noticed yet.
 */
export type Stage = 'used' | 'mourned' | 'starting' | 'fresh' | 'dead';

export class Rebirth {
  get stage(): Stage {
    return this.current;
  }

  /** The kernel is known to be dead, perhaps before the server knows. */
  mourn(): void {
    if (this.current === 'used') {
      this.current = 'mourned';
    }
  }

  executed(): void {
    if (this.current === 'fresh') {
      this.current = 'used';
    }
  }

  statusChanged(status: string): void {
    if (status === 'autorestarting' || status === 'restarting') {
      this.current = 'starting';
    } else if (status === 'dead') {
      this.current = 'dead';
    } else if (status === 'idle') {
      this.answered();
    }
  }

  /** The kernel that was starting has answered a request. */
  answered(): void {
    if (this.current === 'starting') {
      this.current = 'fresh';
    }
  }

  private current: Stage = 'used';
}
