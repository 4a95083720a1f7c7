// A kernel started from its kernelspec as VS Code does it: no jupyter_client, no new session, bare
// sockets, and of the process its stderr and its exit code.

import { ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Dealer, Subscriber } from 'zeromq';

const PORTS = ['shell', 'iopub', 'stdin', 'control', 'hb'] as const;
const DELIMITER = '<IDS|MSG>';
const STARTS_WITHIN = 240_000;
const PATIENCE = 120_000; // a figure is never made of it

export interface IMessage {
  kind: string;
  parent: string;
  content: Record<string, unknown>;
}

export interface IExit {
  code: number | null;
  signal: string | null;
  stderr: string;
}

interface IKernelspec {
  argv: string[];
  env?: Record<string, string>;
}

export class RawKernel {
  /** `folder` takes the connection file. */
  static async start(
    kernelspec: string,
    folder: string,
    environment: NodeJS.ProcessEnv
  ): Promise<RawKernel> {
    const ports = await Promise.all(PORTS.map(freePort));
    const kernel = new RawKernel(kernelspec, folder, environment, ports);
    await kernel.ready();
    return kernel;
  }

  private constructor(
    kernelspec: string,
    folder: string,
    environment: NodeJS.ProcessEnv,
    ports: number[]
  ) {
    const file = join(folder, `kernel-${randomUUID()}.json`);
    const connection = {
      ip: '127.0.0.1',
      transport: 'tcp',
      key: this.key,
      signature_scheme: 'hmac-sha256',
      ...Object.fromEntries(PORTS.map((name, i) => [`${name}_port`, ports[i]]))
    };
    writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
    const spec = JSON.parse(readFileSync(kernelspec, 'utf8')) as IKernelspec;
    const [program, ...rest] = spec.argv.map(word =>
      word.replace('{connection_file}', file)
    );
    this.process = spawn(program!, rest, {
      cwd: folder,
      env: { ...environment, ...spec.env },
      stdio: ['ignore', 'ignore', 'pipe']
    });
    this.process.stderr?.on('data', chunk => (this.stderr += String(chunk)));
    this.ended = new Promise(done =>
      this.process.once('close', (code, signal) =>
        done({ code, signal, stderr: this.stderr })
      )
    );
    const at = (i: number) => `tcp://127.0.0.1:${ports[i]}`;
    this.shell.connect(at(0));
    this.iopub.connect(at(1));
    this.iopub.subscribe('');
    this.control.connect(at(3));
    void this.listen();
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** The id of the request. */
  async execute(code: string): Promise<string> {
    const content = {
      code,
      silent: false,
      store_history: true,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: true
    };
    return this.send(this.shell, 'execute_request', content);
  }

  async askToShutDown(): Promise<void> {
    await this.send(this.control, 'shutdown_request', { restart: false });
  }

  /** The first message of a kind that belongs to a request. */
  async heard(kind: string, parent: string, patience = PATIENCE): Promise<IMessage> {
    const found = () =>
      this.messages.find(one => one.kind === kind && one.parent === parent);
    await this.until(() => found() !== undefined, patience);
    return found()!;
  }

  async until(met: () => boolean, patience = PATIENCE): Promise<void> {
    for (const end = Date.now() + patience; !met(); await sleep(20)) {
      if (Date.now() > end) {
        throw new Error(`not heard; but: ${JSON.stringify(this.messages, null, 1)}`);
      }
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  async close(): Promise<void> {
    this.kill('SIGKILL');
    await this.ended;
    for (const socket of [this.shell, this.control, this.iopub]) {
      socket.close();
    }
  }

  private async ready(): Promise<void> {
    // What a kernel says before a subscriber is there is lost: ask until it was heard. On a busy
    // machine it answers an earlier question while a later one is on its way.
    for (const end = Date.now() + STARTS_WITHIN; Date.now() < end; ) {
      await this.send(this.shell, 'kernel_info_request', {});
      const heard = () => this.messages.some(({ kind }) => kind === 'status');
      if (
        await this.until(heard, 500).then(
          () => true,
          () => false
        )
      ) {
        return;
      }
      if (this.process.exitCode !== null) {
        break;
      }
    }
    await this.close();
    throw new Error(`the kernel did not start: ${this.stderr}`);
  }

  private async send(socket: Dealer, kind: string, content: object): Promise<string> {
    const header = {
      msg_id: randomUUID(),
      msg_type: kind,
      session: this.session,
      username: 'vscode',
      date: new Date().toISOString(),
      version: '5.3'
    };
    const parts = [header, {}, {}, content].map(part => JSON.stringify(part));
    await socket.send([DELIMITER, this.sign(parts), ...parts]);
    return header.msg_id;
  }

  private async listen(): Promise<void> {
    for await (const frames of this.iopub) {
      const texts = frames.map(frame => frame.toString());
      const [signature, ...parts] = texts.slice(texts.indexOf(DELIMITER) + 1);
      if (signature !== this.sign(parts.slice(0, 4))) {
        throw new Error('a message that the kernel did not sign');
      }
      const [header, parent, , content] = parts.map(
        part => JSON.parse(part) as Record<string, unknown>
      );
      this.messages.push({
        kind: String(header!.msg_type),
        parent: String(parent!.msg_id),
        content: content!
      });
    }
  }

  private sign(parts: string[]): string {
    return createHmac('sha256', this.key).update(parts.join('')).digest('hex');
  }

  readonly messages: IMessage[] = [];
  readonly ended: Promise<IExit>;
  private readonly key = randomUUID();
  private readonly session = randomUUID();
  private readonly shell = new Dealer({ linger: 0 });
  private readonly control = new Dealer({ linger: 0 });
  private readonly iopub = new Subscriber({ linger: 0 });
  private readonly process: ChildProcess;
  private stderr = '';
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise(done => server.close(done));
  if (!address || typeof address === 'string') {
    throw new Error('no port');
  }
  return address.port;
}
