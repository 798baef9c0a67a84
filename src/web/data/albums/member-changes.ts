import { t } from '../../base/i18n.ts';
import { attemptUndoable } from '../../ui/toast.tsx';
import type { AlbumRole, Person } from '../types.ts';
import { changeRole, share, unshare } from './album-data.ts';

// Changes of the members of an album, each with the way back.

type Member = Pick<Person, 'id' | 'name'>;

const describeRole = (name: string, role: AlbumRole): string =>
  role === 'viewer'
    ? t('{name} can view the album', { name })
    : t('{name} can add photos', { name });

export const addMember = (
  albumId: string,
  { id, name }: Member,
  role: AlbumRole,
): Promise<boolean> =>
  attemptUndoable(
    () => share(albumId, id, role),
    describeRole(name, role),
    () => unshare(albumId, id),
  );

export const changeMember = (
  albumId: string,
  { id, name }: Member,
  before: AlbumRole,
  role: AlbumRole,
): Promise<boolean> =>
  attemptUndoable(
    () => changeRole(albumId, id, role),
    describeRole(name, role),
    () => changeRole(albumId, id, before),
  );

export const removeMember = (
  albumId: string,
  { id, name }: Member,
  role: AlbumRole,
): Promise<boolean> =>
  attemptUndoable(
    () => unshare(albumId, id),
    t('{name} removed', { name }),
    () => share(albumId, id, role),
  );
