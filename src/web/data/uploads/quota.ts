import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { queryClient } from '../../base/query-client.ts';
import { session } from '../session/session.ts';
import { meQuery } from '../server/queries.ts';
import { changeItem, findItem, isSettled, type Status, uploads } from './items.ts';
import type { Work } from './upload-work.ts';

/** Returns the free bytes of the account's quota; undefined without a quota, and for guests. */
async function fetchFreeQuota(): Promise<number | undefined> {
  const now = session.get();
  if (!('me' in now)) return undefined;
  const known = queryClient.getQueryData(meQuery().queryKey) ?? now.me;
  if (known.quotaSizeInBytes === null) return undefined;
  const { quotaSizeInBytes, quotaUsageInBytes } = await queryClient.fetchQuery({
    ...meQuery(),
    staleTime: 0,
  });
  return quotaSizeInBytes === null ? undefined : quotaSizeInBytes - (quotaUsageInBytes ?? 0);
}

/** The bytes that are sent of files: not those that the library or its trash has. */
const countNewBytes = ({ parts }: Work): number =>
  parts
    .filter(({ isThere, isTrashed }) => !isThere && !isTrashed)
    .reduce((sum, { file }) => sum + file.size, 0);

const ON_THE_WAY: readonly Status[] = ['ready', 'sending', 'retrying'];

/** Fails those that the free quota has no room for beside what is on its way, before anything is sent of them. */
export async function failBeyondQuota(
  ids: readonly number[],
  works: ReadonlyMap<number, Work>,
): Promise<void> {
  // Without an answer, the server decides.
  const free = await fetchFreeQuota().catch(() => undefined);
  if (free === undefined) return;
  const asked = new Set(ids);
  const others = uploads
    .get()
    .items.filter(({ id, status }) => ON_THE_WAY.includes(status) && !asked.has(id));
  let left = others.reduce((rest, { size }) => rest - size, free);
  for (const id of ids) {
    const [item, work] = [findItem(id), works.get(id)];
    if (!item || !work || isSettled(item)) continue;
    const size = countNewBytes(work);
    if (size <= left) left -= size;
    else if (size > 0) {
      changeItem(id, { status: 'failed', error: describeLack(size, left), isRefused: true });
    }
  }
}

const describeLack = (size: number, left: number): string =>
  t('Your quota has no room for it: it needs {size}, and {left} are free.', {
    size: formatBytes(size),
    left: formatBytes(Math.max(0, left)),
  });
