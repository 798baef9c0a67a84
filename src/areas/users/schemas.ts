import { t } from 'elysia';
import { AVATAR_COLORS } from '../../db/tables/users.ts';
import { oneOf, Timestamp, Uuid } from '../../http/schemas.ts';

/** How an account looks to other accounts. */
export const UserResponseDto = t.Object(
  {
    id: Uuid,
    email: t.String(),
    name: t.String(),
    avatarColor: oneOf(AVATAR_COLORS, { title: 'UserAvatarColor' }),
    profileImagePath: t.String(),
    profileChangedAt: Timestamp,
  },
  { title: 'UserResponseDto' },
);
export type User = typeof UserResponseDto.static;
