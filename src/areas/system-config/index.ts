export {
  changeConfig,
  listDisabledQueues,
  readConfig,
  readRecentConfig,
  readRecognition,
  readTrashDays,
  requireMayChange,
  SECTIONS,
} from './config.domain.ts';
export { DEFAULTS } from './defaults.ts';
export type { AdminConfig } from './document/document.ts';
export { OWN_DEFAULTS } from './document/own.ts';
export { hasAccount } from './store.ts';
export { readProcessConfig } from './process-config.domain.ts';
export { configureNewLibrary, readProfile, withProfile } from './profile.domain.ts';
