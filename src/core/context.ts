import type { Sql } from 'postgres';
import type { Session } from '../access/session.ts';
import type { Db } from '../db/client.ts';
import type { Log } from './log.ts';
import type { DataPaths } from './paths.ts';
import type { Settings } from './settings.ts';

/** What the whole process shares. Everything that varies by machine or by test is here. */
export type Deps = {
  readonly db: Db;
  /** The driver below `db`, for streams, COPY and LISTEN. Never inside a transaction of `db`. */
  readonly sql: Sql;
  readonly now: () => Date;
  readonly paths: DataPaths;
  readonly settings: Settings;
  readonly log: Log;
};

/** What a domain function may use: the process and who is asking. */
export type Ctx = Deps & { readonly session: Session };
