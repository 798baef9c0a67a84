import { useQuery } from '@tanstack/react-query';
import { Check, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { AssetLabel, AssetLabelUpdate } from '../../../areas/search/labels/labels.schemas.ts';
import { put } from '../../base/api.ts';
import { getLanguage, t } from '../../base/i18n.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../../data/query-keys.ts';
import { searchPath } from '../../data/search/query.ts';
import { IconButton } from '../../ui/elements.tsx';
import { attempt, showUndo } from '../../ui/toast.tsx';
import styles from './viewer.module.css';
import infoPanelStyles from '../../ui/info-panel.module.css';
import { labelsQuery } from '../../data/viewer/queries.ts';

/** As many are shown without being asked for. */
const FEW = 6;

/** The labels of one photo by the models, with ways to confirm and remove each, and to add one in own words. */
export function AssetLabels({ assetId }: { assetId: string }) {
  const { data = [] } = useQuery(labelsQuery(assetId));
  const [showsAll, showAll] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const labels = data.filter(({ isRight }) => isRight !== false);
  const say = (label: string, isRight: AssetLabelUpdate['isRight'], language?: string) =>
    attempt(() =>
      mutate(() => put(`/assets/${assetId}/labels`, { label, isRight, language }), {
        invalidates: [[...keys.assets, assetId, 'labels'], keys.search],
      }),
    );
  const change = async ({ label, isRight: before }: AssetLabel, isRight: boolean, done: string) => {
    if (await say(label, isRight)) showUndo(done, () => say(label, before));
  };
  const add = async (label: string) => {
    setAdding(false);
    const language = getLanguage();
    if (label !== '' && (await say(label, true, language)))
      showUndo(t('Label added'), () => say(label, null, language));
  };
  return (
    <section className={infoPanelStyles.infoSection}>
      <header>
        <h3>{t('Seen in the picture')}</h3>
        <IconButton
          icon={Plus}
          label={t('Add a label')}
          className="small"
          onClick={() => setAdding(true)}
        />
      </header>
      {isAdding && <NewLabel onDone={(label) => void add(label)} />}
      <ul className="chips">
        {(showsAll ? labels : labels.slice(0, FEW)).map((one) => (
          <li key={one.label} className="chip">
            <Link href={searchPath({ words: one.name, chosen: [] })}>{one.name}</Link>
            {one.isRight ? (
              <Check size={14} aria-label={t('confirmed')} />
            ) : (
              <button
                className={styles.labelButton}
                aria-label={t('Confirm {name}', { name: one.name })}
                onClick={() => void change(one, true, t('Confirmed'))}
              >
                <Check size={14} aria-hidden />
              </button>
            )}
            <button
              className={styles.labelButton}
              aria-label={t('Remove {name}', { name: one.name })}
              onClick={() => void change(one, false, t('Label removed'))}
            >
              <X size={14} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      {labels.length > FEW && !showsAll && (
        <button className="button small" onClick={() => showAll(true)}>
          {t('Show all')}
        </button>
      )}
    </section>
  );
}

/** Most letters of a label. */
const MAX_LETTERS = 60;

/** A field for a label: Enter adds it, Escape or leaving it empty does not. */
function NewLabel({ onDone }: { onDone: (label: string) => void }) {
  return (
    <input
      // Somebody has just asked for it.
      autoFocus
      className={infoPanelStyles.infoField}
      aria-label={t('Label')}
      placeholder={t('What the picture shows')}
      maxLength={MAX_LETTERS}
      onBlur={(event) => onDone(event.currentTarget.value.trim())}
      onKeyDown={(event) => {
        // Keys are not for the photo.
        event.stopPropagation();
        if (event.key === 'Escape') event.currentTarget.value = '';
        if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
      }}
    />
  );
}
