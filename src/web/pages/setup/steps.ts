import { t } from '../../base/i18n.ts';

/** In their order; the account of the administrator is made before them. */
export const STEPS = [
  { id: 'language', label: t('Language') },
  { id: 'folder', label: t('Photos') },
  { id: 'phone', label: t('Phone') },
  { id: 'mail', label: t('Mail') },
  { id: 'backups', label: t('Backups') },
] as const;
export type StepId = (typeof STEPS)[number]['id'];

/** Returns the step of an address; the first one where it names none. */
export const findStep = (id: string | undefined): StepId =>
  STEPS.find((step) => step.id === id)?.id ?? STEPS[0].id;

/** Returns the step that is so many after this one; undefined beyond the last and the first. */
export const findNeighbour = (id: StepId, distance: number): StepId | undefined =>
  STEPS[STEPS.findIndex((step) => step.id === id) + distance]?.id;
