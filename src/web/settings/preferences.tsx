import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { formatAgo } from '../format.ts';
import { attempt } from '../toast.tsx';
import type { PreferenceHistory, Preferences } from '../types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { changePreferences, preferenceHistoryQuery, preferencesQuery } from './queries.ts';
import styles from './settings.module.css';

/** Preferences of the account, which hold on all its devices. */
export function PreferencesCard() {
  const { data } = useQuery(preferencesQuery());
  const [isHistory, setHistory] = useState(false);
  const save = (change: Partial<Preferences>) =>
    void attempt(() => changePreferences(change), 'Saved');
  return (
    <section className="card">
      <h2>Preferences</h2>
      {data && (
        <>
          <div className="field">
            <label htmlFor="album-order">New albums begin with the</label>
            <select
              id="album-order"
              value={data.albums.defaultAssetOrder}
              onChange={({ target }) =>
                save({ albums: { defaultAssetOrder: target.value === 'asc' ? 'asc' : 'desc' } })
              }
            >
              <option value="desc">newest photo</option>
              <option value="asc">oldest photo</option>
            </select>
          </div>
          <label className="check">
            <input
              type="checkbox"
              checked={data.download.includeEmbeddedVideos}
              onChange={({ target }) =>
                save({ download: { ...data.download, includeEmbeddedVideos: target.checked } })
              }
            />{' '}
            Downloads contain the videos of live photos
          </label>
        </>
      )}
      <button className="button" onClick={() => setHistory(true)}>
        <History size={18} aria-hidden /> What was changed
      </button>
      {isHistory && <HistoryDialog onClose={() => setHistory(false)} />}
    </section>
  );
}

function HistoryDialog({ onClose }: { onClose: () => void }) {
  const { data, error } = useQuery(preferenceHistoryQuery());
  return (
    <Dialog title="Changes of preferences" onClose={onClose} isWide>
      {error && <p role="alert">{error.message}</p>}
      {data?.items.length === 0 && <p className="muted">Nothing was changed so far.</p>}
      <ol className={styles.history}>
        {data?.items.map((item) => (
          <li key={item.id}>
            <small>
              {formatAgo(item.changedAt)}, {describeDevice(item)}
            </small>
            {item.changes.map(({ path, redacted, previous, value }) => (
              <p key={path}>
                {toWords(path)}{' '}
                {redacted ? (
                  'was changed'
                ) : (
                  <>
                    <del>{formatValue(previous)}</del> <ins>{formatValue(value)}</ins>
                  </>
                )}
              </p>
            ))}
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

type Item = PreferenceHistory['items'][number];

function describeDevice({ device }: Item): string {
  if (!device) return 'by an administrator or a program';
  const name = [device.deviceType, device.deviceOS].filter(Boolean).join(' on ');
  return `${name || 'an unknown device'}${device.isCurrent ? ' (this one)' : ''}`;
}

/** 'albums.defaultAssetOrder' as 'Albums: default asset order'. */
export const toWords = (path: string): string => {
  const [group = '', ...rest] = path
    .split('.')
    .map((part) => part.replaceAll(/([A-Z])/g, ' $1').toLowerCase());
  return `${group.charAt(0).toUpperCase()}${group.slice(1)}: ${rest.join(' ')}`;
};

function formatValue(value: unknown): string {
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (value === null || value === undefined) return 'nothing';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number);
}
