import type { Memory } from '../../data/types.ts';
import { t } from '../../base/i18n.ts';

export const KINDS: Readonly<Record<Memory['type'], string>> = {
  on_this_day: t('On this day'),
  person: t('People'),
  pet: t('Pets'),
  place: t('Places'),
  custom: t('Your own'),
};
