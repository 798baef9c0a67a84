import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { accountsQuery, albumsQuery } from '../../data/albums/queries.ts';
import { getName } from '../../data/people/people-data.ts';
import { PersonPicker } from '../../parts/people/picker.tsx';
import { personQuery } from '../../data/people/queries.ts';
import { petsQuery } from '../../data/pets/queries.ts';
import { useMyId } from '../../data/session/session.ts';
import { tagsQuery } from '../../data/tags/queries.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { IconButton } from '../../ui/elements.tsx';
import type { IdHint } from '../../data/workflows/schema.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  label: string;
  ids: readonly string[];
  onChange: (ids: readonly string[]) => void;
};

/** Albums, tags, people, pets or accounts, by their names. */
export function IdsField({ hint, ...props }: Props & { hint: IdHint }) {
  switch (hint) {
    case 'AlbumId':
      return <AlbumsField {...props} />;
    case 'TagId':
      return <TagsField {...props} />;
    case 'PersonId':
      return <PeopleField {...props} />;
    case 'PetId':
      return <PetsField {...props} />;
    case 'UserId':
      return <AccountsField {...props} />;
  }
}

function AlbumsField(props: Props) {
  const { data } = useQuery(albumsQuery());
  const names = data?.map(({ id, albumName }) => [id, albumName || t('Untitled')] as const);
  return <NamesField {...props} names={names} />;
}

function TagsField(props: Props) {
  const { data } = useQuery(tagsQuery());
  const names = data?.list.map(({ id, value }) => [id, value] as const);
  return <NamesField {...props} names={names} />;
}

function PetsField(props: Props) {
  const { data } = useQuery(petsQuery());
  const names = data?.map((pet) => [pet.id, pet.name || t('A pet')] as const);
  return <NamesField {...props} names={names} />;
}

function AccountsField(props: Props) {
  const { data } = useQuery(accountsQuery());
  const myId = useMyId();
  const names = data?.filter(({ id }) => id !== myId).map(({ id, name }) => [id, name] as const);
  return <NamesField {...props} names={names} />;
}

/** The names by id; undefined while they are loaded. */
type NamesProps = Props & { names: readonly (readonly [id: string, name: string])[] | undefined };

function NamesField({ names, label, ids, onChange }: NamesProps) {
  const others = (names ?? []).filter(([id]) => !ids.includes(id));
  const byId = new Map(names);
  const unknown = names ? t('unknown') : '…';
  const nothing = names ? t('There is nothing else to choose.') : '…';
  return (
    <Chosen
      label={label}
      ids={ids}
      chip={(id) => (
        <Chip
          name={byId.get(id) ?? unknown}
          onRemove={() => onChange(ids.filter((one) => one !== id))}
        />
      )}
    >
      <select
        aria-label={t('Add: {label}', { label })}
        value=""
        disabled={others.length === 0}
        onChange={({ target }) => onChange([...ids, target.value])}
      >
        <option value="">{others.length > 0 ? t('Add …') : nothing}</option>
        {others.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Chosen>
  );
}

function PeopleField({ label, ids, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Chosen
      label={label}
      ids={ids}
      chip={(id) => (
        <PersonChip id={id} onRemove={() => onChange(ids.filter((one) => one !== id))} />
      )}
    >
      <button type="button" className="button small" onClick={() => setOpen(true)}>
        <Plus size={15} aria-hidden /> {t('Add people')}
      </button>
      {isOpen && (
        <Dialog title={t('Add people')} onClose={() => setOpen(false)}>
          <PersonPicker
            onPick={({ id }) => {
              setOpen(false);
              if (!ids.includes(id)) onChange([...ids, id]);
            }}
          />
        </Dialog>
      )}
    </Chosen>
  );
}

function PersonChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { data, isError } = useQuery(personQuery(id));
  return <Chip name={data ? getName(data) : isError ? t('unknown') : '…'} onRemove={onRemove} />;
}

type ChosenProps = Pick<Props, 'label' | 'ids'> & {
  chip: (id: string) => ReactNode;
  children: ReactNode;
};

const Chosen = ({ label, ids, chip, children }: ChosenProps) => (
  <fieldset className={styles.group}>
    <legend>{label}</legend>
    {ids.length > 0 && (
      <ul className="chips" aria-label={label}>
        {ids.map((id) => (
          <li key={id} className="chip">
            {chip(id)}
          </li>
        ))}
      </ul>
    )}
    {children}
  </fieldset>
);

const Chip = ({ name, onRemove }: { name: string; onRemove: () => void }) => (
  <>
    {name}
    <IconButton
      icon={X}
      className="small"
      label={t('Remove {name}', { name })}
      onClick={onRemove}
    />
  </>
);
