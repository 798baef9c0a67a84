import { t } from '../i18n.ts';
import type { SaveState } from './saver.ts';

export const STATUS: Readonly<Record<SaveState['status'], string>> = {
  saved: t('Saved'),
  unsaved: t('Saving …'),
  failed: t('Not saved'),
  conflict: t('Changed elsewhere'),
};
