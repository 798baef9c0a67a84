import { t } from 'elysia';
import { MAX_PASSWORD_LENGTH } from '../../access/secrets.ts';
import { Email, stringEnum, QueryFlag, Uuid } from '../../http/schemas.ts';
import { AvatarColor, PersonName, PinCode } from '../users/index.ts';

const Quota = t.Nullable(t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
/** A password of any length, as in Immich: the page asks for more, and for another one at the first login. */
const GivenPassword = t.String({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH });
const StorageLabel = t.Nullable(t.String({ maxLength: 100 }));

/** Optional on creation, and changeable. */
const OPTIONAL = {
  avatarColor: t.Optional(t.Nullable(AvatarColor)),
  isAdmin: t.Optional(t.Boolean()),
  pinCode: t.Optional(t.Nullable(PinCode)),
  quotaSizeInBytes: t.Optional(Quota),
  shouldChangePassword: t.Optional(t.Boolean()),
  storageLabel: t.Optional(StorageLabel),
};

export const UserAdminCreateDto = t.Object(
  {
    email: Email,
    name: PersonName,
    password: GivenPassword,
    notify: t.Optional(t.Boolean({ description: 'Sends a welcome mail' })),
    ...OPTIONAL,
  },
  { title: 'UserAdminCreateDto' },
);
export type UserAdminCreate = typeof UserAdminCreateDto.static;

export const UserAdminUpdateDto = t.Object(
  {
    email: t.Optional(Email),
    name: t.Optional(PersonName),
    password: t.Optional(GivenPassword),
    ...OPTIONAL,
  },
  { title: 'UserAdminUpdateDto' },
);
export type UserAdminUpdate = typeof UserAdminUpdateDto.static;

export const UserAdminDeleteDto = t.Object(
  { force: t.Optional(t.Boolean()) },
  { title: 'UserAdminDeleteDto' },
);

export const UserAdminQuery = t.Object({ id: t.Optional(Uuid), withDeleted: QueryFlag });
export type UserFilter = typeof UserAdminQuery.static;

export const StatisticsQuery = t.Object({
  isFavorite: QueryFlag,
  isTrashed: QueryFlag,
  visibility: t.Optional(
    stringEnum(['archive', 'timeline', 'hidden', 'locked'], { title: 'AssetVisibility' }),
  ),
});
export type StatisticsFilter = typeof StatisticsQuery.static;

export const AssetStatsResponseDto = t.Object(
  { images: t.Integer(), videos: t.Integer(), audio: t.Integer(), total: t.Integer() },
  { title: 'AssetStatsResponseDto' },
);
export type AssetStats = typeof AssetStatsResponseDto.static;
