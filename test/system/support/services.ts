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

  /** Resolves when it answers HTTP; that it is ready is another matter. */
  start(name: ServiceName, env: NodeJS.ProcessEnv): Promise<Service> {
    return Service.start(name, env, (process) => this.processes.push(process));
  }

  logs(): string {
    return this.processes.map(({ output }) => output).join('\n');
  }

  /** Whatever the spec came to: nothing is left running. */
  async killAll(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.killWithChildren()));
  }
}
