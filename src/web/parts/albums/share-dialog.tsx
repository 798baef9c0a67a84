import { useQuery } from '@tanstack/react-query';
import { Link2, UserMinus } from 'lucide-react';
import { useState } from 'react';
import { LinkDialog } from '../links/link-dialog.tsx';
import { LinkRow } from '../links/link-row.tsx';
import { linksQuery } from '../../data/links/queries.ts';
import type { Album, AlbumRole, Person } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Avatar, IconButton } from '../../ui/elements.tsx';
import { attempt } from '../../ui/toast.tsx';
import { changeAlbum } from '../../data/albums/album-data.ts';
import { addMember, changeMember, removeMember } from '../../data/albums/member-changes.ts';
import { accountsQuery } from '../../data/albums/queries.ts';
import { t } from '../../base/i18n.ts';

type Props = { album: Album; onClose: () => void };

export function ShareDialog({ album, onClose }: Props) {
  const { data: people, error } = useQuery(accountsQuery());
  const members = album.albumUsers.filter(({ role }) => role !== 'owner');
  const inAlbum = new Set(album.albumUsers.map(({ user }) => user.id));
  const others = (people ?? []).filter(({ id }) => !inAlbum.has(id));
  return (
    <Dialog
      title={t('Share “{albumName}”', { albumName: album.albumName || t('Untitled') })}
      onClose={onClose}
      isWide
    >
      {members.length > 0 && (
        <>
          <h3>{t('In this album')}</h3>
          <ul className="people">
            {members.map(({ user, role }) => (
              <li key={user.id}>
                <Avatar name={user.name} />
                <span className="person-name">{user.name}</span>
                <RoleSelect
                  name={user.name}
                  role={role}
                  onChange={(next) => void changeMember(album.id, user, role, next)}
                />
                <IconButton
                  icon={UserMinus}
                  label={t('Remove {name}', { name: user.name })}
                  onClick={() => void removeMember(album.id, user, role)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{t('Add people')}</h3>
      {error && <p role="alert">{error.message}</p>}
      {people && others.length === 0 && (
        <p className="muted">{t('Nobody else on this server can be added.')}</p>
      )}
      <ul className="people">
        {others.map((person) => (
          <Candidate key={person.id} albumId={album.id} person={person} />
        ))}
      </ul>
      <Links album={album} />
      <label className="check">
        <input
          type="checkbox"
          checked={album.isActivityEnabled}
          onChange={({ target: { checked } }) =>
            void attempt(() => changeAlbum(album.id, { isActivityEnabled: checked }))
          }
        />
        {t('Members may like and comment')}
      </label>
    </Dialog>
  );
}

/** For people without an account. */
function Links({ album }: { album: Album }) {
  const { data } = useQuery(linksQuery(album.id));
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <h3>{t('Links for guests')}</h3>
      <ul className="people">
        {data?.map((link) => (
          <LinkRow key={link.id} link={link} />
        ))}
      </ul>
      <button className="button" onClick={() => setMaking(true)}>
        <Link2 size={18} aria-hidden /> {t('New link')}
      </button>
      {isMaking && (
        <LinkDialog of={{ target: { albumId: album.id } }} onClose={() => setMaking(false)} />
      )}
    </>
  );
}

type CandidateProps = { albumId: string; person: Person };

/** Somebody who can be added, in the role that is chosen before. */
function Candidate({ albumId, person }: CandidateProps) {
  const [role, setRole] = useState<Role>('viewer');
  return (
    <li>
      <Avatar name={person.name} />
      <span className="person-name">
        {person.name}
        <small>{person.email}</small>
      </span>
      <RoleSelect name={person.name} role={role} onChange={setRole} />
      <button className="button" onClick={() => void addMember(albumId, person, role)}>
        {t('Add')}
        <span className="hidden-title"> {person.name}</span>
      </button>
    </li>
  );
}

type Role = Exclude<AlbumRole, 'owner'>;
type RoleProps = { name: string; role: AlbumRole; onChange: (role: Role) => void };

const RoleSelect = ({ name, role, onChange }: RoleProps) => (
  <select
    aria-label={t('Role of {name}', { name })}
    value={role}
    onChange={(event) => onChange(event.target.value === 'editor' ? 'editor' : 'viewer')}
  >
    <option value="editor">{t('Can add photos')}</option>
    <option value="viewer">{t('Can view')}</option>
  </select>
);
