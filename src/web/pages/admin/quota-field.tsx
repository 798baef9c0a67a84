import { Field } from '../../ui/form.tsx';
import { t } from '../../base/i18n.ts';

const GB = 1e9;

/** Returns bytes of a number of GB; null, without a limit, for an empty text. */
export const parseQuota = (text: string | undefined): number | null =>
  text && Number(text) > 0 ? Math.round(Number(text) * GB) : null;

export const QuotaField = ({ value }: { value: number | null }) => (
  <Field
    label={t('Quota in GB')}
    name="quota"
    type="number"
    min={0}
    step="any"
    defaultValue={value ? value / GB : ''}
    hint={t('Leave empty for no limit.')}
  />
);
