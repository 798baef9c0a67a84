import { formatBytes, formatMonth } from '../../base/format.ts';
import type { StorageForecast } from '../types.ts';
import { t } from '../../base/i18n.ts';

/** Returns when the disk will be full, or why nobody can say, as a sentence. */
export function describeForecast({
  availableBytes,
  monthlyBytes,
  fullAt,
}: StorageForecast): string {
  if (availableBytes === 0) return t('The disk is full: uploads have stopped.');
  if (monthlyBytes === null) {
    return t(
      'The library is less than four weeks old: too early to tell when the disk will be full.',
    );
  }
  if (monthlyBytes <= 0) return t('The library is not growing.');
  const growth = formatBytes(monthlyBytes);
  if (fullAt === null) {
    return t('The library grows by {growth} a month. At this rate the disk lasts for a century.', {
      growth,
    });
  }
  return t(
    'The library grows by {growth} a month. At this rate the disk will be full in {month}.',
    {
      growth,
      month: formatMonth(fullAt),
    },
  );
}

/** Returns 'November 2026: 3.1 GB'; months in which more was deleted have a minus. */
export const describeGrowth = (month: string, bytes: number | null): string =>
  t('{month}: {growth}', { month: formatMonth(month), growth: formatGrowth(bytes) });

function formatGrowth(bytes: number | null): string {
  if (bytes === null) return t('not recorded');
  return bytes < 0 ? `−${formatBytes(-bytes)}` : formatBytes(bytes);
}
