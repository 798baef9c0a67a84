import { t } from 'elysia';
import { LANGUAGES } from '../../core/languages.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../access/secrets.ts';
import { AVATAR_COLORS } from '../../db/tables/identity.ts';
import { Email, stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

export const AvatarColor = stringEnum(AVATAR_COLORS, { title: 'UserAvatarColor' });
const UserStatus = stringEnum(['active', 'removing', 'deleted'], { title: 'UserStatus' });

export const PersonName = t.String({ minLength: 1, maxLength: 255 });
/** New password of an account. Passwords of shared links may be shorter, as in Immich. */
export const NewPassword = t.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_LENGTH,
});
export const PinCode = t.String({ pattern: '^\\d{6}$' });

/** An account as other accounts see it. */
export const UserResponseDto = t.Object(
  {
    id: Uuid,
    email: t.String(),
    name: t.String(),
    avatarColor: AvatarColor,
    profileImagePath: t.String(),
    profileChangedAt: Timestamp,
  },
  { title: 'UserResponseDto' },
);
export type User = typeof UserResponseDto.static;

export const UserLicense = t.Object(
  {
    activatedAt: Timestamp,
    activationKey: t.String(),
    licenseKey: t.String({ pattern: '^IM(SV|CL)(-[\\dA-Za-z]{4}){8}$' }),
  },
  { title: 'UserLicense' },
);

/** An account as itself and administrators see it. */
export const UserAdminResponseDto = t.Object(
  {
    avatarColor: AvatarColor,
    clusterGroupId: t.String(),
    createdAt: Timestamp,
    deletedAt: t.Nullable(Timestamp),
    email: t.String(),
    id: Uuid,
    isAdmin: t.Boolean(),
    license: t.Nullable(UserLicense),
    name: t.String(),
    oauthId: t.String(),
    profileChangedAt: Timestamp,
    profileImagePath: t.String(),
    quotaSizeInBytes: t.Nullable(t.Integer({ minimum: 0 })),
    quotaUsageInBytes: t.Nullable(t.Integer({ minimum: 0 })),
    shouldChangePassword: t.Boolean(),
    status: UserStatus,
    storageLabel: t.Nullable(t.String()),
    updatedAt: Timestamp,
  },
  { title: 'UserAdminResponseDto' },
);
export type UserAdmin = typeof UserAdminResponseDto.static;

export const UserUpdateMeDto = t.Object(
  {
    avatarColor: t.Optional(t.Nullable(AvatarColor)),
    email: t.Optional(Email),
    name: t.Optional(PersonName),
    password: t.Optional(NewPassword),
    /** IANA time zone, as Europe/Berlin: for 'today' and for files without a zone. */
    timeZone: t.Optional(t.String({ minLength: 1, maxLength: 64 })),
    /** Language of mail. */
    language: t.Optional(stringEnum(LANGUAGES)),
  },
  { title: 'UserUpdateMeDto' },
);
export type UserUpdateMe = typeof UserUpdateMeDto.static;

export const OnboardingDto = t.Object({ isOnboarded: t.Boolean() }, { title: 'OnboardingDto' });
export const OnboardingResponseDto = t.Object(
  { isOnboarded: t.Boolean() },
  { title: 'OnboardingResponseDto' },
);

/** Documentation only: the form is read from the stream. */
export const CreateProfileImageDto = t.Object(
  { file: t.String({ format: 'binary' }) },
  { title: 'CreateProfileImageDto' },
);
export const CreateProfileImageResponseDto = t.Object(
  { profileChangedAt: Timestamp, profileImagePath: t.String(), userId: Uuid },
  { title: 'CreateProfileImageResponseDto' },
);
