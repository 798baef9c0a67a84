import { useQuery } from '@tanstack/react-query';
import type { Asset } from '../types.ts';
import { damageQuery } from './queries.ts';
import { t } from '../i18n.ts';

/** Tells the owner that only a part of the file can be shown. */
export function DamageNote({ asset }: { asset: Asset }) {
  const { data: isDamaged } = useQuery(damageQuery(asset));
  return isDamaged && <small>{t('Partly damaged: shown as far as it can be read.')}</small>;
}
