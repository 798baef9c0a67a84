import { useQuery } from '@tanstack/react-query';
import { UserMinus } from 'lucide-react';
import { accountsQuery } from '../albums/queries.ts';
import { attempt } from '../toast.tsx';
import type { Partner } from '../types.ts';
import { Avatar, IconButton } from '../ui/parts.tsx';
import { addPartner, changePartner, partnersQuery, removePartner } from './queries.ts';
import styles from './settings.module.css';

/** The accounts that see this timeline, and those whose timelines this account sees. */
export function Partners({ myId }: { myId: string }) {
  const { data: viewers } = useQuery(partnersQuery('shared-by'));
  const { data: sharers } = useQuery(partnersQuery('shared-with'));
  const { data: people } = useQuery(accountsQuery());
  const known = new Set([myId, ...(viewers ?? []).map(({ id }) => id)]);
  const others = (people ?? []).filter(({ id }) => !known.has(id));
  return (
    <section className="card">
      <h2>Partners</h2>
      <p className="muted">A partner sees your whole timeline, not your archive or Locked.</p>
      <ul className="people" aria-label="They see my timeline">
        {viewers?.map((person) => (
          <Viewer
            key={person.id}
            person={person}
            onStop={() =>
              void attempt(() => removePartner(person.id), `Not shared with ${person.name}`)
            }
            onHide={(hidesPlaces) =>
              void attempt(
                () => changePartner('shared-by', person.id, { hidesPlaces }),
                hidesPlaces
                  ? `Places are hidden from ${person.name}`
                  : `${person.name} sees places`,
              )
            }
          />
        ))}
      </ul>
      {viewers && viewers.length > 0 && (
        <p className="muted">
          Who does not see places does not learn where your photos were taken: no map, no place
          names, and no original files, because those tell it too.
        </p>
      )}
      {others.length > 0 && (
        <select
          className={styles.wide}
          aria-label="Share my timeline with"
          value=""
          onChange={(event) => {
            const person = others.find(({ id }) => id === event.target.value);
            if (!person) return;
            void attempt(() => addPartner(person.id), `${person.name} sees your timeline`);
          }}
        >
          <option value="">Share my timeline with …</option>
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {others.length === 0 && viewers?.length === 0 && (
        <p className="muted">Nobody else has an account on this server.</p>
      )}
      {sharers && sharers.length > 0 && (
        <ul className="people" aria-label="I see their timelines">
          {sharers.map((person) => (
            <li key={person.id}>
              <Avatar name={person.name} />
              <span className="person-name">
                {person.name}
                <small>shares with you</small>
              </span>
              <label className="check">
                <input
                  type="checkbox"
                  checked={person.inTimeline ?? false}
                  aria-label={`Show photos of ${person.name} on my timeline`}
                  onChange={(event) => {
                    const inTimeline = event.target.checked;
                    void attempt(
                      () => changePartner('shared-with', person.id, { inTimeline }),
                      inTimeline
                        ? `Photos of ${person.name} are on your timeline`
                        : `Photos of ${person.name} are off your timeline`,
                    );
                  }}
                />{' '}
                on my timeline
              </label>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Somebody who sees the own timeline; without the places where its pictures were taken if wanted so. */
function Viewer({
  person: { name, hidesPlaces = false },
  onStop,
  onHide,
}: {
  person: Partner;
  onStop: () => void;
  onHide: (hidesPlaces: boolean) => void;
}) {
  return (
    <li>
      <Avatar name={name} />
      <span className="person-name">
        {name}
        <small>sees your timeline</small>
      </span>
      <label className="check">
        <input
          type="checkbox"
          checked={hidesPlaces}
          aria-label={`Hide places from ${name}`}
          onChange={(event) => onHide(event.target.checked)}
        />{' '}
        hide places
      </label>
      <IconButton icon={UserMinus} label={`Stop sharing with ${name}`} onClick={onStop} />
    </li>
  );
}
