/** The types of kafka-cluster.mjs, for tests written in TypeScript. */
export declare const KAFKA_VERSION: string;

export interface LocalKafka {
  readonly dir: string;
  readonly engine: 'docker' | 'java';
  /** `host:port,host:port,…` */
  readonly bootstrap: string;
  /** The listeners that ask for TLS and a log-in; undefined without `secure`. */
  readonly secure?: {
    readonly bootstrap: string;
    /** The certificate of the cluster's own authority. */
    readonly caFile: string;
    readonly username: string;
    readonly password: string;
  };
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
  /** Adds listeners that ask for TLS and a log-in (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512); by Java only. */
  readonly secure?: boolean;
  readonly heapMb?: number;
  /** Broker settings over the defaults. */
  readonly config?: Readonly<Record<string, string | number>>;
}

export declare function availableEngine(): Promise<'docker' | 'java' | undefined>;
export declare function canRunKafkaTools(): Promise<boolean>;
/** Runs one of Kafka's own command-line tools, by its class; resolves with what it printed. */
export declare function runKafkaTool(
  mainClass: string,
  args: readonly string[],
  options?: { readonly input?: string },
): Promise<string>;
export declare function startKafka(options?: LocalKafkaOptions): Promise<LocalKafka>;
export declare function stopKafka(dir?: string, options?: { readonly remove?: boolean }): Promise<boolean>;
