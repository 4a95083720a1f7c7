// A real Jupyter server with the extension, a watched kernel and a home of its own.

import { ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { MemoryLimit } from './limit';

const ROOT = resolve(__dirname, '../..');
export const PYTHON =
  process.env.HOLDFAST_LAB_PYTHON ?? join(ROOT, 'build/venv-lab/bin/python');
export const HOLDFAST =
  process.env.HOLDFAST_BIN ?? join(ROOT, 'build/release/cli/holdfast');

export const SCREENSHOTS = join(ROOT, 'build/screenshots');

const STOPS_WITHIN = 60_000;

interface IKernelspec {
  argv: string[];
  metadata: { holdfast: { original: object } };
}

export interface IServerOptions {
  app: 'lab' | 'notebook';
  memoryBytes: number;
  theme?: string;
  extension?: boolean; // of the server; the page has ours in any case
}

export class JupyterServer {
  static async start(options: IServerOptions): Promise<JupyterServer> {
    const server = new JupyterServer(options);
    try {
      await server.answering();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  private constructor(options: IServerOptions) {
    this.home = mkdtempSync(join(tmpdir(), 'holdfast-lab-'));
    this.limit = new MemoryLimit(options.memoryBytes);
    this.environment = {
      ...process.env,
      HOME: this.home,
      HOLDFAST_HOME: join(this.home, 'holdfast'),
      HOLDFAST_BIN: HOLDFAST,
      HOLDFAST_GUARD: 'warn', // kernels are meant to die here
      JUPYTER_DATA_DIR: join(this.home, 'data'),
      JUPYTER_CONFIG_DIR: join(this.home, 'config'),
      JUPYTER_RUNTIME_DIR: join(this.home, 'runtime'),
      JUPYTERLAB_SETTINGS_DIR: join(this.home, 'settings'),
      PYTHONPATH: join(ROOT, 'python')
    };
    this.link('data/labextensions/holdfast-lab', 'python/holdfast/labextension');
    if (options.extension !== false) {
      this.link(
        'config/jupyter_server_config.d/holdfast.json',
        'python/jupyter-config/holdfast.json'
      );
    }
    this.settings('notification', { fetchNews: 'false', checkForUpdates: false });
    this.settings('themes', { theme: options.theme ?? 'JupyterLab Light' });
    this.installKernels();
    mkdirSync(join(this.home, 'work'));
    this.process = spawn(
      PYTHON,
      // prettier-ignore
      ['-m', 'jupyter', options.app, '--no-browser', '--allow-root', '--ip=127.0.0.1',
       `--ServerApp.root_dir=${join(this.home, 'work')}`, `--IdentityProvider.token=${this.token}`],
      { env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] }
    );
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on('data', chunk => (this.log += String(chunk)));
    }
  }

  /** The address of a page of the server, with the token. */
  page(path: string): string {
    return `${this.url}${path}?reset&token=${this.token}`;
  }

  /** Asks the server's own interface. */
  async ask(path: string, method = 'GET'): Promise<Response> {
    const headers = { Authorization: `token ${this.token}` };
    return fetch(`${this.url}${path}`, { method, headers });
  }

  /** The notebooks that have a kernel. */
  async sessions(): Promise<string[]> {
    const sessions = (await (await this.ask('api/sessions')).json()) as { path: string }[];
    return sessions.map(({ path }) => path);
  }

  async shutDownKernels(): Promise<void> {
    const sessions = (await (await this.ask('api/sessions')).json()) as { id: string }[];
    await Promise.all(sessions.map(({ id }) => this.ask(`api/sessions/${id}`, 'DELETE')));
  }

  write(name: string, cells: string[], kernel = 'watched'): void {
    const notebook = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { kernelspec: { name: kernel, display_name: kernel, language: 'python' } },
      cells: cells.map((source, i) => ({
        cell_type: 'code',
        id: `cell-${i}`,
        metadata: {},
        execution_count: null,
        outputs: [],
        source
      }))
    };
    writeFileSync(this.file(name), JSON.stringify(notebook));
  }

  /** Where a notebook lies. */
  file(name: string): string {
    return join(this.home, 'work', name);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = new Promise<true>(done => this.process.once('exit', () => done(true)));
      this.process.kill('SIGTERM');
      // A server that is ended amid a request may wait for a thread of its own for good.
      if (!(await Promise.race([ended, sleep(STOPS_WITHIN, false)]))) {
        this.process.kill('SIGKILL');
        await ended;
      }
    }
    await this.limit.remove();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  private async answering(): Promise<void> {
    const found = /https?:\/\/127\.0\.0\.1:(\d+)\//;
    for (let i = 0; i < 2400; i++) {
      const port = found.exec(this.log)?.[1];
      if (port) {
        this.url = `http://127.0.0.1:${port}/`;
        // It says where it listens a moment before it does.
        if (await this.ask('api/status').catch(() => null)) {
          return;
        }
      }
      if (this.process.exitCode !== null) {
        break;
      }
      await sleep(100);
    }
    throw new Error(`the server did not start:\n${this.log}`);
  }

  /** "watched": under Holdfast, inside the limit; "guarded": with the guard on; "plain". */
  private installKernels(): void {
    const install = (...more: string[]) =>
      execFileSync(HOLDFAST, ['kernel', 'install', '--python', PYTHON, ...more], {
        env: this.environment
      });
    install('--name', 'watched', '--display-name', 'Python (watched)');
    const file = join(this.home, 'data/kernels/watched/kernel.json');
    const spec = JSON.parse(readFileSync(file, 'utf8')) as IKernelspec;
    const plain = { ...spec.metadata.holdfast.original, display_name: 'Python (plain)' };
    writeFileSync(file, JSON.stringify({ ...spec, argv: this.limit.inside(spec.argv) }));
    const env = { HOLDFAST_GUARD: 'on' };
    const guarded = { ...spec, argv: this.limit.inside(spec.argv), env };
    mkdirSync(join(this.home, 'data/kernels/guarded'));
    writeFileSync(
      join(this.home, 'data/kernels/guarded/kernel.json'),
      JSON.stringify(guarded)
    );
    mkdirSync(join(this.home, 'data/kernels/plain'));
    writeFileSync(join(this.home, 'data/kernels/plain/kernel.json'), JSON.stringify(plain));
  }

  private link(name: string, target: string): void {
    mkdirSync(dirname(join(this.home, name)), { recursive: true });
    symlinkSync(join(ROOT, target), join(this.home, name));
  }

  private settings(name: string, values: object): void {
    const folder = join(this.home, 'settings/@jupyterlab/apputils-extension');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.jupyterlab-settings`), JSON.stringify(values));
  }

  log = '';
  private url = '';
  private token = 'not-a-secret-in-a-test';
  private home: string;
  private limit: MemoryLimit;
  private environment: NodeJS.ProcessEnv;
  private process: ChildProcess;
}
