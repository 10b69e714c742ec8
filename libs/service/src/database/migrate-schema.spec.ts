import { sql, type Kysely, type Migration } from 'kysely';
import { createDatabase, createPool, migrateSchema } from '../index.js';
import { testDatabase, type TestDatabase } from '../testing/index.js';

interface Tables {
  readonly notes: { readonly note: string };
}

const migrations: Record<string, Migration> = {
  '001_notes': {
    up: (db: Kysely<unknown>) => db.schema.createTable('notes').addColumn('note', 'text').execute(),
  },
  '002_index': {
    up: async (db: Kysely<unknown>) => {
      await sql`CREATE INDEX notes_note ON notes (note)`.execute(db);
    },
  },
};

describe('Migrating a schema', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(() => database.drop());

  it('makes the tables in its own schema, once, also when four services start together', async () => {
    await Promise.all([1, 2, 3, 4].map(() => migrateSchema(database.pool, { schema: 'booking', migrations })));
    await migrateSchema(database.pool, { schema: 'booking', migrations });
    await migrateSchema(database.pool, { schema: 'mail_eticket', migrations });
    const { rows } = await database.pool.query(
      `SELECT schemaname, tablename FROM pg_tables WHERE tablename = 'notes' ORDER BY schemaname`,
    );
    expect(rows).toEqual([
      { schemaname: 'booking', tablename: 'notes' },
      { schemaname: 'mail_eticket', tablename: 'notes' },
    ]);
    const db = createDatabase<Tables>(database.pool).withSchema('booking');
    await db.insertInto('notes').values({ note: 'hello' }).execute();
    expect(await db.selectFrom('notes').selectAll().execute()).toEqual([{ note: 'hello' }]);
  });

  it('leaves nothing behind of a migration that fails, and says why', async () => {
    const broken = { ...migrations, '003_broken': { up: () => Promise.reject(new Error('no such column')) } };
    await expect(migrateSchema(database.pool, { schema: 'booking', migrations: broken })).rejects.toThrow(
      'no such column',
    );
    const { rowCount } = await database.pool.query(`SELECT 1 FROM pg_tables WHERE tablename = 'notes'`);
    expect(rowCount).toBe(0);
  });

  it('cancels a statement that runs too long', async () => {
    const pool = createPool({ ...database, applicationName: 'test', statementTimeoutMs: 100 });
    await expect(pool.query('SELECT pg_sleep(5)')).rejects.toThrow('statement timeout');
    const { rows } = await pool.query('SHOW application_name');
    expect(rows).toEqual([{ application_name: 'test' }]);
    await pool.end();
  });
});
