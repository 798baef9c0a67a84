import type { UserRow } from '../../db/tables/users.ts';
import type { User } from './schemas.ts';

/** What other accounts may know. */
export const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  avatarColor: row.avatarColor,
  profileImagePath: row.profileImage ?? '',
  profileChangedAt: row.profileChangedAt.toISOString(),
});
