import type { StudioStreamRow } from '../../../db/tables/studio.ts';
import type { StudioStream } from './schemas.ts';

/** The lease of a client: a stream that is not asked for in this time is closed. */
export const KEEP_ALIVE_SECONDS = 30;

export const toStream = (row: StudioStreamRow): StudioStream => ({
  id: row.id,
  projectId: row.projectId,
  revision: row.revision,
  state: row.state,
  negotiation: row.negotiation,
  offer: row.offer === null ? null : { type: 'offer', sdp: row.offer },
  maxBitrateKbps: row.maxBitrateKbps,
  keepAliveSeconds: KEEP_ALIVE_SECONDS,
  closeReason: row.closeReason,
  createdAt: row.createdAt.toISOString(),
  closedAt: row.closedAt?.toISOString() ?? null,
});
