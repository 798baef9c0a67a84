import { Link } from 'wouter';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { StorageUses } from '../../data/types.ts';
import { sumKinds, TITLES } from '../../data/admin/storage-data.ts';
import { TranscodeRemoval } from './transcode-removal.tsx';
import styles from './storage.module.css';

type Entry = {
  id: string;
  title: string;
  /** Undefined: it is not known how much it is. */
  bytes?: number;
  text: string;
  pages: readonly { href: string; action: string }[];
};

/** Files that may not be needed, each with what deletes them. Calls `onChange` when some were deleted here. */
export function Removable({ uses, onChange }: { uses: StorageUses; onChange: () => void }) {
  return (
    <section className="card" aria-labelledby="storage-removable">
      <h2 id="storage-removable">{t('Free up space')}</h2>
      <ul className={styles.removable}>
        {listEntries(uses).map(({ id, title, bytes, text, pages }) => (
          <li key={id}>
            <div>
              <b>{title}</b> {bytes !== undefined && formatBytes(bytes)}
              <p className="muted">{text}</p>
            </div>
            {pages.map(({ href, action }) => (
              <Link key={href} className="button small" href={href}>
                {action}
              </Link>
            ))}
            {id === 'transcode' && <TranscodeRemoval onEnd={onChange} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function listEntries(uses: StorageUses): Entry[] {
  const sums = new Map(sumKinds(uses).map(({ kind, bytes }) => [kind, bytes]));
  const own = new Map(uses.own.map((part) => [part.kind, part]));
  const pairs = own.get('raw_pair');
  const measured: (Entry & { bytes: number })[] = [
    {
      id: 'large',
      title: t('Your large files'),
      bytes: own.get('large')?.bytes ?? 0,
      text: t('Often long videos.'),
      pages: [{ href: '/large', action: t('Show large files') }],
    },
    {
      id: 'raw',
      title: t('Your raw photos with a picture'),
      bytes: pairs?.bytes ?? 0,
      text: t(
        '{count, plural, one {# raw photo is} other {# raw photos are}} there as a picture of the same name and time, too.',
        { count: pairs?.files ?? 0 },
      ),
      pages: [{ href: '/raw-pairs', action: t('Show raw photos') }],
    },
    {
      id: 'trash',
      title: TITLES.trash,
      bytes: sums.get('trash') ?? 0,
      text: t(
        'The trash of all accounts. The server settings say after how many days it is emptied.',
      ),
      pages: [
        { href: '/admin/settings', action: t('Choose how long the trash is kept') },
        { href: '/trash', action: t('Open your trash') },
      ],
    },
    {
      id: 'transcode',
      title: TITLES.transcode,
      bytes: sums.get('transcode') ?? 0,
      text: t('Made from the originals, and can be made again.'),
      pages: [{ href: '/admin/settings', action: t('Choose which videos are converted') }],
    },
    {
      id: 'backup',
      title: TITLES.backup,
      bytes: sums.get('backup') ?? 0,
      text: t('The newest are kept, older ones are deleted by the schedule.'),
      pages: [{ href: '/admin/backups', action: t('Open the backups') }],
    },
  ];
  return [
    ...measured.filter(({ bytes }) => bytes > 0),
    {
      id: 'duplicates',
      title: t('Your duplicates'),
      text: t('Pictures that look alike, of which one may be enough.'),
      pages: [{ href: '/duplicates', action: t('Open the duplicates') }],
    },
  ];
}
