// Where a kernel stands between its death and the first use of the one that follows.

/**
 * The server restarts a dead kernel by itself, up to three seconds later; asking for a restart of
 * one that is still starting interrupts its imports. So: wait for that kernel, and restart only one
 * that has been used since.
 */
export type Stage = 'used' | 'mourned' | 'starting' | 'fresh' | 'dead';

export class Rebirth {
  get stage(): Stage {
    return this.current;
  }

  /** The kernel is known to be dead, perhaps before the server knows. */
  mourn(): void {
    if (this.current === 'used') {
      this.move('mourned');
    }
  }

  executed(): void {
    if (this.current === 'fresh') {
      this.move('used');
    }
  }

  statusChanged(status: string): void {
    if (status === 'autorestarting' || status === 'restarting') {
      this.move('starting');
    } else if (status === 'dead') {
      this.move('dead');
    } else if (status === 'idle' && this.current === 'starting') {
      this.move('fresh');
    }
  }

  /** Resolves with true once a kernel stands there that nobody has used; false: restart it. */
  async fresh(patience: number): Promise<boolean> {
    const deadline = Date.now() + patience;
    while (this.current === 'mourned' || this.current === 'starting') {
      const left = deadline - Date.now();
      if (left <= 0) {
        return false;
      }
      await this.nextMove(left);
    }
    return this.current === 'fresh';
  }

  private nextMove(patience: number): Promise<void> {
    return new Promise(done => {
      const timer = setTimeout(done, patience);
      this.waiting.push(() => {
        clearTimeout(timer);
        done();
      });
    });
  }

  private move(stage: Stage): void {
    this.current = stage;
    this.waiting.splice(0).forEach(wake => wake());
  }

  private current: Stage = 'used';
  private waiting: (() => void)[] = [];
}
