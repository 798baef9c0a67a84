import { t } from 'elysia';
import { Timestamp, Uuid } from '../../http/schemas.ts';

const UserPreferenceDeviceDto = t.Object(
  {
    /** Null for a device of another account (an administrator). */
    sessionId: t.Nullable(Uuid),
    deviceType: t.String(),
    deviceOS: t.String(),
    appVersion: t.Nullable(t.String()),
    isCurrent: t.Boolean(),
  },
  { title: 'UserPreferenceDeviceDto' },
);

const UserPreferenceFieldChangeDto = t.Object(
  {
    path: t.String(),
    redacted: t.Boolean(),
    previous: t.Optional(t.Unknown()),
    value: t.Optional(t.Unknown()),
  },
  { title: 'UserPreferenceFieldChangeDto' },
);

const UserPreferenceChangeDto = t.Object(
  {
    id: Uuid,
    changedAt: Timestamp,
    device: t.Nullable(UserPreferenceDeviceDto),
    changes: t.Array(UserPreferenceFieldChangeDto, { minItems: 1 }),
  },
  { title: 'UserPreferenceChangeDto' },
);

export const UserPreferenceHistoryResponseDto = t.Object(
  { items: t.Array(UserPreferenceChangeDto) },
  { title: 'UserPreferenceHistoryResponseDto' },
);
export type PreferenceHistory = typeof UserPreferenceHistoryResponseDto.static;
