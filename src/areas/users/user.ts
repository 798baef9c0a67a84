import { AppError } from '../../core/errors.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import type { User, UserAdmin } from './schemas.ts';

/** Returns the fields that other accounts may see. */
export const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  avatarColor: row.avatarColor,
  profileImagePath: row.profileImage ?? '',
  profileChangedAt: row.profileChangedAt.toISOString(),
});

/** Returns the fields that the account itself and administrators may see. */
export const toUserAdmin = (row: UserRow, usageBytes: number): UserAdmin => ({
  ...toUser(row),
  clusterGroupId: row.clusterGroupId,
  createdAt: row.createdAt.toISOString(),
  deletedAt: row.deletedAt?.toISOString() ?? null,
  isAdmin: row.isAdmin,
  license: row.license,
  oauthId: row.oauthId ?? '',
  quotaSizeInBytes: row.quotaBytes,
  quotaUsageInBytes: usageBytes,
  shouldChangePassword: row.shouldChangePassword,
  status: row.status,
  storageLabel: row.storageLabel,
  updatedAt: row.updatedAt.toISOString(),
});

/** Immich's error for an unknown account. */
export const createUnknownUserError = () =>
  new AppError('badRequest', 'User not found', { code: 'no_access' });
