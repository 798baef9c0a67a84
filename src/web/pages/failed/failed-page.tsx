import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleCheck, FileWarning, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { post } from '../../base/api.ts';
import { formatBytes, formatInstant } from '../../base/format.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../../data/query-keys.ts';
import { attempt } from '../../ui/toast.tsx';
import type { BrokenAsset } from '../../data/types.ts';
import { Empty, Failure, IconButton, Page } from '../../ui/elements.tsx';
import { FileButtons } from '../../parts/failed/file-buttons.tsx';
import { brokenQuery } from '../../data/failed/queries.ts';
import { t } from '../../base/i18n.ts';

/** While files are tried again, the list is read at this interval, in ms. */
const LOOK_MS = 2000;

/** When each file was last changed before it was tried again, by id. */
type Tried = ReadonlyMap<string, string>;

/** Files that arrived and that no decoder could read. */
export function FailedPage() {
  const [tried, setTried] = useState<Tried>(new Map());
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...brokenQuery(),
    // A decoder that fails again changes the row too.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some((item) => isTrying(item, tried)))
        ? LOOK_MS
        : false,
  });
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const retry = async (list: readonly BrokenAsset[]) => {
    const assetIds = list.map(({ id }) => id);
    if (!(await attempt(() => regenerate(assetIds)))) return;
    setTried(
      (old) => new Map([...old, ...list.map(({ id, updatedAt }) => [id, updatedAt] as const)]),
    );
  };
  return (
    <Page
      title={t('Failed files')}
      actions={
        items.length > 1 && (
          <button className="button" onClick={() => void retry(items)}>
            <RotateCw size={16} aria-hidden /> {t('Try all again')}
          </button>
        )
      }
    >
      <p className="muted">
        {t(
          'These files were uploaded and are kept, but no picture could be made of them. They may be damaged, or of a kind that cannot be shown here.',
        )}
      </p>
      {error && items.length === 0 && <Failure error={error} onRetry={() => void refetch()} />}
      {data && items.length === 0 && (
        <Empty
          icon={CircleCheck}
          title={t('No failed files')}
          text={t('Every uploaded file could be read.')}
        />
      )}
      <ul className="people people-list" aria-label={t('Failed files')}>
        {items.map((item) => (
          <FailedRow
            key={item.id}
            item={item}
            isTrying={isTrying(item, tried)}
            onRetry={() => void retry([item])}
          />
        ))}
      </ul>
      {hasNextPage && (
        <button className="button" onClick={() => void fetchNextPage()}>
          {t('Show more')}
        </button>
      )}
    </Page>
  );
}

const isTrying = ({ id, updatedAt }: BrokenAsset, tried: Tried): boolean =>
  tried.get(id) === updatedAt;

const regenerate = (assetIds: readonly string[]): Promise<void> =>
  mutate(() => post('/assets/jobs', { assetIds, name: 'regenerate-thumbnail' }), {
    invalidates: [keys.jobs],
  });

type RowProps = { item: BrokenAsset; isTrying: boolean; onRetry: () => void };

function FailedRow({ item, isTrying: isBusy, onRetry }: RowProps) {
  const { id, originalFileName: name } = item;
  const notes = [formatBytes(item.fileSizeInBytes), formatInstant(item.createdAt)];
  return (
    <li>
      <FileWarning size={20} aria-hidden />
      <span className="person-name">
        {name}
        <small>{notes.join(' · ')}</small>
        <small role="status">{isBusy ? t('Trying again …') : describeReason(item.reason)}</small>
      </span>
      <IconButton
        icon={RotateCw}
        label={t('Try {name} again', { name })}
        disabled={isBusy}
        onClick={onRetry}
      />
      <FileButtons id={id} name={name} />
    </li>
  );
}

/** The decoder's own words follow a sentence about the kind of fault. */
function describeReason(reason: string): string {
  const [, kind, detail] = /^(\w+): (.*)$/s.exec(reason) ?? [undefined, '', reason];
  if (kind === 'timeout') return t('It took too long to read the file.');
  if (kind === 'unsupported') return t('This kind of file is not supported.');
  return t('The file is damaged: {detail}', { detail });
}
