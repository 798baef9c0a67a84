import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { fold } from '../../../core/fold-text.ts';
import { FacePicture } from './face-link.tsx';
import { findPeople, getName, type Person } from '../../data/people/people-data.ts';
import { candidatesQuery } from '../../data/people/queries.ts';
import { t } from '../../base/i18n.ts';

type Props = {
  /** People who may be the same as this one are suggested; this one is left out. */
  closestTo?: string | undefined;
  /** Somebody without a name is no answer. */
  isNamedOnly?: boolean;
  /** Takes a name that was typed and that nobody has to have yet. Without it, people are only chosen. */
  onCreate?: (name: string) => void;
  onPick: (person: Person) => void;
};

/** A person out of the list, found by name. Enter takes the one of this very name, or else a new one. */
export function PersonPicker({ closestTo, isNamedOnly = false, onCreate, onPick }: Props) {
  const [part, setPart] = useState('');
  const name = part.trim();
  const [isOpen, setOpen] = useState(closestTo === undefined);
  const isLikely = !isOpen && name === '';
  const { data } = useQuery(candidatesQuery(name, closestTo, isLikely));
  const people = isNamedOnly ? data?.filter((person) => person.name) : data;

  const isSame = (person: Person) => person.id !== closestTo && fold(person.name) === fold(name);
  /** The list may not yet be that of what was typed. */
  const takeTyped = async () => {
    if (!name) return;
    const same = (await findPeople(name, false).catch(() => [])).find(isSame);
    if (same) onPick(same);
    else onCreate?.(name);
  };
  return (
    <>
      <div className="field">
        <input
          aria-label={t('Find a person')}
          placeholder={onCreate ? t('Find a person, or name a new one') : t('Find a person')}
          autoFocus
          autoComplete="off"
          value={part}
          onChange={(event) => setPart(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) void takeTyped();
            else moveFocus(event);
          }}
        />
      </div>
      {people?.length === 0 && !onCreate && (
        <p className="muted">
          {isLikely ? t('Nobody looks like this person.') : t('No people to choose from.')}
        </p>
      )}
      <ul className="values people-values" onKeyDown={moveFocus}>
        {onCreate && name && (
          <li>
            <button className="value" onClick={() => onCreate(name)}>
              <span className="face-picture" aria-hidden>
                <Plus />
              </span>
              <span>{t('New person “{name}”', { name })}</span>
            </button>
          </li>
        )}
        {people?.map((person) => (
          <li key={person.id}>
            <button className="value" onClick={() => onPick(person)}>
              <FacePicture person={person} />
              <span>{getName(person)}</span>
            </button>
          </li>
        ))}
      </ul>
      {people && isLikely && (
        <button className="button" onClick={() => setOpen(true)}>
          {t('Show everybody')}
        </button>
      )}
    </>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Arrows lead from the field into the list, and back. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = STEPS[event.key];
  const box = event.currentTarget.closest('dialog');
  if (!by || !box) return;
  const stops = [...box.querySelectorAll<HTMLElement>('.field input, .value')];
  const at = stops.findIndex((stop) => stop === document.activeElement);
  event.preventDefault();
  stops[at + by]?.focus();
}
