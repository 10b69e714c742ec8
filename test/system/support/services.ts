import { eventually } from '@eticket/service/testing';
import { NodeProcess } from './node-process.js';

export type ServiceName = 'booking' | 'mail-eticket' | 'inbox';

/** One service of the clustered start, as its own process on a port of its own. */
export class Service {
  private constructor(
    private readonly process: NodeProcess,
    readonly url: string,
  ) {}

  get output(): string {
    return this.process.output;
  }

  /** Resolves with what its readiness says once that is answered so. */
  async untilReadiness(status: 200 | 503): Promise<string> {
    return eventually(
      async () => {
        const response = await fetch(`${this.url}/health/ready`);
        const text = await response.text();
        if (response.status !== status) throw new Error(`${this.url} readiness ${response.status} ${text}`);
        return text;
      },
      { deadlineMs: 30_000 },
    );
  }

  /** Ends it as an orchestrator does. Resolves with the exit code. */
  async stop(): Promise<unknown> {
    return this.process.end('SIGTERM');
  }

  static async start(
    name: ServiceName,
    env: NodeJS.ProcessEnv,
    started: (process: NodeProcess) => void,
  ): Promise<Service> {
    const process = new NodeProcess(`apps/${name}/dist/main.js`, [], { PORT: '0', ...env });
    started(process);
    const [, url = ''] = await process.says(new RegExp(`"url":"(http[^"]+)","msg":"${name} is up"`));
    return new Service(process, url);
  }
}

/** Services that one spec starts one by one, each when its story needs it. */
export class Services {
  private readonly processes: NodeProcess[] = [];

  /** Resolves when it is ready. */
  async startReady(name: ServiceName, env: NodeJS.ProcessEnv): Promise<Service> {
    const service = await this.start(name, env);
    await service.untilReadiness(200);
    return service;
  }

  /** Resolves when it answers HTTP; that it is ready is another matter. */
  start(name: ServiceName, env: NodeJS.ProcessEnv): Promise<Service> {
    return Service.start(name, env, (process) => this.processes.push(process));
  }

  logs(): string {
    return this.processes.map(({ output }) => output).join('\n');
  }

  /** Whatever the spec came to: nothing is left running. */
  async killAll(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.kill()));
  }
}
