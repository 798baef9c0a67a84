import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { StoragePlaces } from '../../data/types.ts';
import { Progress } from '../../ui/elements.tsx';
import { storagePlacesQuery } from '../../data/admin/storage-data.ts';
import styles from './storage.module.css';

type Store = NonNullable<StoragePlaces['store']>;

/** Shows what is in the object store and in the data folder, and how far a move is; nothing without an object store. */
export function Places() {
  const { data } = useQuery(storagePlacesQuery());
  if (!data?.store) return null;
  const { url, files, objects } = data.store;
  const status = describeMove(data.store);
  return (
    <section className="card" aria-labelledby="storage-places">
      <h2 id="storage-places">{t('Object store')}</h2>
      <p className="muted">{url}</p>
      <ul className={styles.kinds}>
        <Place title={t('Object store')} place={objects} whole={files.bytes + objects.bytes} />
        <Place title={t('Data folder')} place={files} whole={files.bytes + objects.bytes} />
      </ul>
      {status !== undefined && <p role="status">{status}</p>}
    </section>
  );
}

const Place = ({
  title,
  place: { originals, bytes, others },
  whole,
}: {
  title: string;
  place: Store['files'];
  whole: number;
}) => (
  <li>
    <span>{title}</span>
    <b>{formatBytes(bytes)}</b>
    <Progress value={whole > 0 ? bytes / whole : 0} label={title} />
    <small className="muted">
      {t('{originals, plural, one {# original} other {# originals}}', { originals })}
      {' · '}
      {t('{others, plural, one {# other file} other {# other files}}', { others })}
    </small>
  </li>
);

/** Undefined: nothing is moved, and everything is in one place. */
function describeMove({ movingTo, files, objects }: Store): string | undefined {
  if (movingTo === 's3') return t('Files are being moved to the object store …');
  if (movingTo === 'files') return t('Files are being moved to the data folder …');
  const isMixed = (files.originals > 0 || files.others > 0) && objects.originals > 0;
  return isMixed
    ? t('Files are in both places: “safelight storage move” on the server moves the rest.')
    : undefined;
}
