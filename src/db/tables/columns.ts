import { customType, timestamp } from 'drizzle-orm/pg-core';

/** Raw bytes: digests, keys, thumbhashes. */
export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
});

/** An instant, as a Date. */
export const instant = (name: string) => timestamp(name, { withTimezone: true });

/** A wall-clock time without a zone, as 'YYYY-MM-DD HH:MM:SS.mmm'. */
export const wallClock = (name: string) => timestamp(name, { mode: 'string' });

/** A transaction id, as decimal text. */
export const xid8 = customType<{ data: string }>({ dataType: () => 'xid8' });

/** A text search vector, as PostgreSQL prints it. */
export const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });
