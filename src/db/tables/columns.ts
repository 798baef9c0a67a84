import { customType, timestamp } from 'drizzle-orm/pg-core';

/** Raw bytes: digests, keys, thumbhashes. */
export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
});

/** An instant, as a Date. */
export const instant = (name: string) => timestamp(name, { withTimezone: true });

/** What a clock showed, without a zone: 'YYYY-MM-DD HH:MM:SS.mmm'. */
export const wallClock = (name: string) => timestamp(name, { mode: 'string' });
