import { migrateSchema, type Logger } from '@eticket/service';
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { MIGRATIONS, PAYMENT_SANDBOX_SCHEMA } from './migrations.js';

export type Query = <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => Promise<Row[]>;

/** The sandbox's tables. Its schema is made when it is first needed, so that the service starts without its database. */
@Injectable()
export class SandboxStore {
  private migrated: Promise<void> | undefined;

  constructor(
    private readonly pool: pg.Pool,
    private readonly logger: Logger,
  ) {}

  readonly query: Query = async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => {
    await this.migrate();
    return (await this.pool.query<Row>(text, [...values])).rows;
  };

  /** All of `work` or nothing. */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    await this.migrate();
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const result = await work(
        async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) =>
          (await client.query<Row>(text, [...values])).rows,
      );
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      // The server undoes what was begun when its connection ends.
      client.release(true);
      throw error;
    }
  }

  /** @throws why the tables cannot be used now. */
  async check(): Promise<void> {
    await this.query('select 1', []);
  }

  private async migrate(): Promise<void> {
    this.migrated ??= migrateSchema(this.pool, {
      schema: PAYMENT_SANDBOX_SCHEMA,
      migrations: MIGRATIONS,
      logger: this.logger,
    }).catch((error: unknown) => {
      // Tried again by whoever needs it next.
      this.migrated = undefined;
      throw error;
    });
    await this.migrated;
  }
}
