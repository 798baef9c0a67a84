export { listUsers } from './domain.ts';
export {
  isContentFilterActive,
  isMailWanted,
  isNotificationEnabled,
  readPreferences,
  updatePreferences,
} from './preferences.domain.ts';
export { type NotificationKind, UserPreferencesResponseDto } from './preferences.schemas.ts';
export { UserPreferencesUpdateDto } from './preferences-update.schemas.ts';
export {
  AvatarColor,
  NewPassword,
  PersonName,
  PinCode,
  type User,
  type UserAdmin,
  UserAdminResponseDto,
  UserLicense,
  UserResponseDto,
} from './schemas.ts';
export { findUser, getUsageBytes, hasAdmin, listAccountIds, lockUser, saveUser } from './store.ts';
export { toUser, toUserAdmin, createUnknownUserError } from './user.ts';
