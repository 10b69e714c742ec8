import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '@eticket/service';
import type { EmbeddedPostgres, Logger } from '@eticket/service';
import type { RoomPlace } from '@eticket/chat-room';
import { stat } from 'node:fs/promises';

/** A start that is under way beside this one writes its file when its database is up. */
const OTHER_START_MS = 30_000;

/**
 * Sees to it that a database runs in the data folder where the room is to be in one: that of an `npm start` that is
 * running, else one of this server's own, which it then has to stop.
 * @throws EmbeddedPostgresError, one sentence that says what to do.
 */
export async function localDatabase(place: RoomPlace, logger: Logger): Promise<EmbeddedPostgres | undefined> {
  if (place.kafka || place.databaseUrl !== undefined) return undefined;
  const deadline = performance.now() + OTHER_START_MS;
  for (;;) {
    try {
      return await startEmbeddedPostgres({ dataDir: place.dataDir, logger });
    } catch (error) {
      const othersOwn = error instanceof EmbeddedPostgresError && error.code === 'data_dir_in_use';
      if (!othersOwn || performance.now() > deadline) throw error;
    }
    if (await isFile(place.connectionFile)) {
      logger.info({ dataDir: place.dataDir }, 'the room is in the database of another start');
      return undefined;
    }
    await delay(200);
  }
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ?? false;
}
