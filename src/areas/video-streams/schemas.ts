import { t } from 'elysia';
import { invalidField } from '../../core/errors.ts';
import { GuestQuery, Uuid } from '../../http/schemas.ts';

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

export const StreamQuery = t.Object(GuestQuery);

export const SessionParams = t.Object({ id: Uuid, sessionId: Uuid });

const variantIndex = t.Integer({ minimum: 0, maximum: MAX_INTEGER });

export const PlaylistParams = t.Object({ ...SessionParams.properties, variantIndex });

export const SegmentParams = t.Object({ ...PlaylistParams.properties, filename: t.String() });

export const PlaylistHeaders = t.Object({
  /** Where the player is, in seconds. */
  'x-immich-hls-pos': t.Optional(t.Number({ minimum: 0 })),
});

export const SegmentHeaders = t.Object({
  /** The segment that the player asks for after the initialisation. */
  'x-immich-hls-msn': t.Optional(t.Integer({ minimum: 0, maximum: MAX_INTEGER })),
});

export type StreamHeader = 'x-immich-hls-pos' | 'x-immich-hls-msn';

/** Returns the number in a header of the player; undefined without one. Throws 400 that names it. */
export function readStreamHeader(headers: Headers, name: StreamHeader): number | undefined {
  const text = headers.get(name)?.trim();
  if (text === undefined) return undefined;
  const isWhole = name === 'x-immich-hls-msn';
  const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (number <= MAX_INTEGER && (!isWhole || Number.isInteger(number))) return number;
  throw invalidField(name, `Invalid input: expected ${isWhole ? 'int' : 'number'}, 0 or more`);
}
