import { SidecarSetting } from '../../parts/metadata-edits/sidecar-setting.tsx';
import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { formatAgo } from '../../base/format.ts';
import { attempt } from '../../ui/toast.tsx';
import type { PreferenceHistory, Preferences } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import {
  changePreferences,
  preferenceHistoryQuery,
} from '../../data/settings/preference-changes.ts';
import { preferencesQuery } from '../../data/settings/queries.ts';
import styles from '../../parts/settings/settings.module.css';
import { t } from '../../base/i18n.ts';
import { getDeviceName } from './device-name.ts';

/** Preferences of the account, which hold on all its devices. */
export function PreferencesCard() {
  const { data } = useQuery(preferencesQuery());
  const [isHistory, setHistory] = useState(false);
  const save = (change: Partial<Preferences>) =>
    void attempt(() => changePreferences(change), t('Saved'));
  return (
    <section className="card">
      <h2>{t('Preferences')}</h2>
      {data && (
        <>
          <div className="field">
            <label htmlFor="album-order">{t('New albums begin with the')}</label>
            <select
              id="album-order"
              value={data.albums.defaultAssetOrder}
              onChange={({ target }) =>
                save({ albums: { defaultAssetOrder: target.value === 'asc' ? 'asc' : 'desc' } })
              }
            >
              <option value="desc">{t('newest photo')}</option>
              <option value="asc">{t('oldest photo')}</option>
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
            {t('Downloads contain the videos of live photos')}
          </label>
          <SidecarSetting />
          <label className="check">
            <input
              type="checkbox"
              checked={data.memories.enabled}
              onChange={({ target }) =>
                save({ memories: { ...data.memories, enabled: target.checked } })
              }
            />{' '}
            {t('Show memories')}
          </label>
          <Field
            key={data.memories.duration}
            label={t('Seconds for each picture of a memory')}
            name="memory-duration"
            type="number"
            min={1}
            max={600}
            defaultValue={data.memories.duration}
            onBlur={({ target: { valueAsNumber: duration } }) => {
              if (duration >= 1 && duration !== data.memories.duration) {
                save({ memories: { ...data.memories, duration: Math.round(duration) } });
              }
            }}
          />
        </>
      )}
      <button className="button" onClick={() => setHistory(true)}>
        <History size={18} aria-hidden /> {t('What was changed')}
      </button>
      {isHistory && <HistoryDialog onClose={() => setHistory(false)} />}
    </section>
  );
}

function HistoryDialog({ onClose }: { onClose: () => void }) {
  const { data, error } = useQuery(preferenceHistoryQuery());
  return (
    <Dialog title={t('Preference changes')} onClose={onClose} isWide>
      {error && <p role="alert">{error.message}</p>}
      {data?.items.length === 0 && <p className="muted">{t('Nothing was changed so far.')}</p>}
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
                  t('was changed')
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
  if (!device) return t('by an administrator or a program');
  const name = getDeviceName(device) || t('an unknown device');
  return device.isCurrent ? t('{name} (this one)', { name }) : name;
}

/** 'albums.defaultAssetOrder' as 'Albums: default asset order'. */
export const toWords = (path: string): string => {
  const [group = '', ...rest] = path
    .split('.')
    .map((part) => part.replaceAll(/([A-Z])/g, ' $1').toLowerCase());
  return `${group.charAt(0).toUpperCase()}${group.slice(1)}: ${rest.join(' ')}`;
};

function formatValue(value: unknown): string {
  if (value === true) return t('on');
  if (value === false) return t('off');
  if (value === null || value === undefined) return t('nothing');
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number);
}
