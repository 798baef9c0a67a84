import { useQuery } from '@tanstack/react-query';
import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { accountsQuery } from '../../data/albums/queries.ts';
import { attempt, attemptUndoable, showUndo } from '../../ui/toast.tsx';
import type { Partner } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Avatar, IconButton } from '../../ui/elements.tsx';
import { InTimelineBox } from '../../parts/settings/in-timeline-box.tsx';
import { addPartner, changePartner, removePartner } from '../../data/settings/partner-changes.ts';
import { partnersQuery } from '../../data/settings/queries.ts';
import { SharedFromButton } from './shared-from.tsx';
import { ShareTimelineDialog } from './share-timeline.tsx';
import styles from '../../parts/settings/settings.module.css';
import { t } from '../../base/i18n.ts';

/** The accounts that see this timeline, and those whose timelines this account sees. */
export function Partners({ myId }: { myId: string }) {
  const { data: viewers } = useQuery(partnersQuery('shared-by'));
  const { data: sharers } = useQuery(partnersQuery('shared-with'));
  const { data: people } = useQuery(accountsQuery());
  const known = new Set([myId, ...(viewers ?? []).map(({ id }) => id)]);
  const others = (people ?? []).filter(({ id }) => !known.has(id));
  const [asked, setAsked] = useState<(typeof others)[number]>();
  const [exposed, setExposed] = useState<Partner>();
  return (
    <section className="card">
      <h2>{t('Partners')}</h2>
      <p className="muted">
        {t('A partner sees your whole timeline, not your archive or Locked.')}
      </p>
      <ul className="people" aria-label={t('They see my timeline')}>
        {viewers?.map((person) => (
          <Viewer
            key={person.id}
            person={person}
            onStop={() => void stopSharing(person)}
            onHide={(hidesPlaces) =>
              hidesPlaces ? void setHidesPlaces(person, true) : setExposed(person)
            }
          />
        ))}
      </ul>
      {viewers && viewers.length > 0 && (
        <p className="muted">
          {t(
            'A partner from whom places are hidden cannot learn where your photos were taken: no map, no place names, and no original files, which contain the position.',
          )}
        </p>
      )}
      {others.length > 0 && (
        <select
          className={styles.wide}
          aria-label={t('Share my timeline with')}
          value=""
          onChange={(event) => {
            const person = others.find(({ id }) => id === event.target.value);
            setAsked(person);
          }}
        >
          <option value="">{t('Share my timeline with …')}</option>
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {exposed && (
        <Confirm
          isHarmless
          title={t('Show places to {name}?', { name: exposed.name })}
          text={t(
            '{name} will see where your photos were taken: on the map, by name, and in the original files.',
            { name: exposed.name },
          )}
          action={t('Show places')}
          onClose={() => setExposed(undefined)}
          onConfirm={() => void setHidesPlaces(exposed, false)}
        />
      )}
      {asked && <ShareTimelineDialog person={asked} onClose={() => setAsked(undefined)} />}
      {others.length === 0 && viewers?.length === 0 && (
        <p className="muted">{t('Nobody else has an account on this server.')}</p>
      )}
      {sharers && sharers.length > 0 && (
        <ul className="people" aria-label={t('I see their timelines')}>
          {sharers.map((person) => (
            <li key={person.id}>
              <Avatar name={person.name} />
              <span className="person-name">
                <Link href={`/sharing/${person.id}`}>{person.name}</Link>
                <small>{t('shares with you')}</small>
              </span>
              <InTimelineBox partner={person} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function setHidesPlaces({ id, name }: Partner, hidesPlaces: boolean): Promise<boolean> {
  const set = (to: boolean) => changePartner('shared-by', id, { hidesPlaces: to });
  return attemptUndoable(
    () => set(hidesPlaces),
    hidesPlaces ? t('Places are hidden from {name}', { name }) : t('{name} sees places', { name }),
    () => set(!hidesPlaces),
  );
}

async function stopSharing({ id, name, hidesPlaces = false, sharedFrom }: Partner): Promise<void> {
  if (!(await attempt(() => removePartner(id)))) return;
  showUndo(t('Not shared with {name}', { name }), () =>
    attempt(() => addPartner(id, { hidesPlaces, ...(sharedFrom && { sharedFrom }) })),
  );
}

/** Somebody who sees the own timeline; without the places where its pictures were taken if wanted so. */
function Viewer({
  person,
  onStop,
  onHide,
}: {
  person: Partner;
  onStop: () => void;
  onHide: (hidesPlaces: boolean) => void;
}) {
  const { name, hidesPlaces = false } = person;
  return (
    <li>
      <Avatar name={name} />
      <span className="person-name">
        {name}
        <small>{t('sees your timeline')}</small>
      </span>
      <SharedFromButton partner={person} />
      <label className="check">
        <input
          type="checkbox"
          checked={hidesPlaces}
          aria-label={t('Hide places from {name}', { name })}
          onChange={(event) => onHide(event.target.checked)}
        />{' '}
        {t('hide places')}
      </label>
      <IconButton
        icon={UserMinus}
        label={t('Stop sharing with {name}', { name })}
        onClick={onStop}
      />
    </li>
  );
}
