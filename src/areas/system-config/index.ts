export {
  changeConfig,
  listDisabledQueues,
  listLocked,
  OPERATOR,
  readConfig,
  readRecentConfig,
  readRecognition,
  readTrashDays,
  requireMayChange,
  SECTIONS,
  applyProfile,
  configureNewLibrary,
  readProfile,
  withProfile,
} from './config.domain.ts';
export { DEFAULTS } from './defaults.ts';
export { applyDifferences, findDifferences, isMembers, type Members } from './differences.ts';
export { AdminConfigSmtpDto, AdminConfigTemplateEmailsDto } from './document/accounts.ts';
export {
  type AdminConfig,
  AdminConfigDto,
  type AdminConfigInput,
  type LockedConfigMember,
  LockedConfigMemberDto,
  SystemConfigTemplateStorageOptionDto,
} from './document/document.ts';
export {
  OWN_DEFAULTS,
  OWN_SECTIONS,
  type SafelightConfig,
  SafelightConfigDto,
} from './document/own.ts';
export { hasAccount } from './store.ts';
export { MEDIA_QUEUES } from './media-queues.ts';
