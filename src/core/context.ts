import type { Sql } from 'postgres';
import type { Session } from '../access/session.ts';
import type { Db } from '../db/client.ts';
import type { Epoch } from '../db/epoch.ts';
import type { Log } from './log.ts';
import type { DataPaths } from './paths.ts';
import type { Settings } from './settings.ts';

/** The dependencies of a whole process: everything that varies by machine or by test. */
export type Deps = {
  readonly db: Db;
  /** The driver below `db`, for LISTEN and as the key of caches. Never inside a transaction of `db`. */
  readonly sql: Sql;
  readonly now: () => Date;
  readonly paths: DataPaths;
  readonly settings: Settings;
  readonly log: Log;
};

/** The context of a domain function: the dependencies and the session of the caller. */
export type Ctx = Deps & {
  readonly session: Session;
  /** The epoch of the database when the request began. */
  readonly epoch?: Epoch;
  /** Returns the session as it is now, for operations that answer for long. Throws once the request would be refused. */
  readonly renewSession?: () => Promise<Session>;
};
