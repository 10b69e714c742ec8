/** The types of kafka-cluster.mjs, for tests written in TypeScript. */
export declare const KAFKA_VERSION: string;

export interface LocalKafka {
  readonly dir: string;
  readonly engine: 'docker' | 'java';
  /** `host:port,host:port,…` */
  readonly bootstrap: string;
  /** kill -9 of broker `n`, counted from 1. */
  kill(n: number): Promise<void>;
  stopBroker(n: number): Promise<void>;
  /** Starts a broker that was killed or stopped; resolves when it answers clients again. */
  start(n: number): Promise<void>;
  stop(options?: { readonly remove?: boolean }): Promise<void>;
}

export interface LocalKafkaOptions {
  readonly brokers?: 1 | 3;
  /** Default: KAFKA_LOCAL_DIR, else `.kafka-local` in the checkout. */
  readonly dir?: string;
  /** The brokers' client ports; free ones are chosen where they are left out. */
  readonly ports?: readonly number[];
  readonly engine?: 'docker' | 'java';
  readonly heapMb?: number;
  /** Broker settings over the defaults. */
  readonly config?: Readonly<Record<string, string | number>>;
}

export declare function availableEngine(): Promise<'docker' | 'java' | undefined>;
export declare function startKafka(options?: LocalKafkaOptions): Promise<LocalKafka>;
export declare function stopKafka(dir?: string): Promise<boolean>;
