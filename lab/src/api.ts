// The questions to the server, with its own authentication.

import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import { CheckReport, ICheckApi } from './check';
import { NotebookRow, RunRow, Status, Verdict } from './protocol';

/** What the rest of the extension asks; null: there is no answer; the user need not know why. */
export interface IHoldfastApi {
  /** The server knows none of these questions: it runs without the extension. */
  readonly absent: boolean;
  status(kernel: string): Promise<Status | null>;
  notebooks(): Promise<NotebookRow[] | null>;
  runs(): Promise<RunRow[] | null>;
  why(question: { run: string } | { kernel: string }): Promise<Verdict | null>;
}

export class HoldfastApi implements IHoldfastApi, ICheckApi {
  constructor(private settings: ServerConnection.ISettings) {}

  absent = false;

  async status(kernel: string): Promise<Status | null> {
    return this.get<Status>('status', { kernel });
  }

  async notebooks(): Promise<NotebookRow[] | null> {
    const answer = await this.get<{ notebooks: NotebookRow[] }>('notebooks', {});
    return answer?.notebooks ?? null;
  }

  async runs(): Promise<RunRow[] | null> {
    const answer = await this.get<{ runs: RunRow[] }>('runs', {});
    return answer?.runs ?? null;
  }

  async why(question: { run: string } | { kernel: string }): Promise<Verdict | null> {
    return this.get<Verdict>('why', { ...question });
  }

  async check(kernel: string | null): Promise<CheckReport | null> {
    return this.get<CheckReport>('check', kernel ? { kernel } : {});
  }

  private async get<T>(name: string, query: Record<string, string>): Promise<T | null> {
    const url =
      URLExt.join(this.settings.baseUrl, 'holdfast', name) +
      URLExt.objectToQueryString(query);
    try {
      const response = await ServerConnection.makeRequest(
        url,
        { method: 'GET' },
        this.settings
      );
      if (name === 'status') {
        this.absent = response.status === 404;
      }
      return response.ok ? ((await response.json()) as T) : null;
    } catch {
      return null; // the server is unreachable; Lab itself says so
    }
  }
}
