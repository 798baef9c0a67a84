import { t } from 'elysia';
import { Uuid } from '../../http/schemas.ts';

const SESSION = {
  id: Uuid,
  appVersion: t.Nullable(t.String()),
  createdAt: t.String(),
  updatedAt: t.String(),
  expiresAt: t.Optional(t.String()),
  current: t.Boolean(),
  deviceOS: t.String(),
  deviceType: t.String(),
  isPendingSyncReset: t.Boolean(),
};

export const SessionResponseDto = t.Object(SESSION, { title: 'SessionResponseDto' });
export type DeviceSession = typeof SessionResponseDto.static;

export const SessionCreateResponseDto = t.Object(
  { ...SESSION, token: t.String() },
  { title: 'SessionCreateResponseDto' },
);

const DeviceName = t.String({ maxLength: 255 });

export const SessionCreateDto = t.Object(
  {
    deviceOS: t.Optional(DeviceName),
    deviceType: t.Optional(DeviceName),
    /** Seconds, at most a hundred years. */
    duration: t.Optional(t.Integer({ minimum: 1, maximum: 3_155_760_000 })),
  },
  { title: 'SessionCreateDto' },
);
export type SessionCreate = typeof SessionCreateDto.static;

export const SessionUpdateDto = t.Object(
  { isPendingSyncReset: t.Optional(t.Boolean()) },
  { title: 'SessionUpdateDto' },
);
export type SessionUpdate = typeof SessionUpdateDto.static;
