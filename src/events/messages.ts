import type { UserSession } from '../access/session.ts';
import type { Deps } from '../core/context.ts';
import { findAssetsById } from '../areas/assets/index.ts';
import { readOwnViews } from '../areas/sync/index.ts';
import type { Announcement } from './announce.ts';

/** What a client receives: the name of an event and its arguments. */
export type Message = { readonly name: string; readonly args: readonly unknown[] };

const message = (name: string, ...args: unknown[]): Message => ({ name, args });

/** Of more than these only that something happened: a client then looks for itself. */
const MANY = 100;

/** An announcement in the words of clients. Nothing that is Locked: `session` is never elevated. */
export async function messagesOf(
  deps: Deps,
  session: UserSession,
  { event, ids = [], data }: Announcement,
): Promise<Message[]> {
  const each = (name: string) => ids.map((id) => message(name, id));
  switch (event) {
    case 'ready':
    case 'edited':
    case 'update':
      return ids.length > MANY ? [MANY_CHANGED] : changedMessages(deps, session, event, ids);
    case 'trash':
      return [message('on_asset_trash', ids)];
    case 'restore':
      return [message('on_asset_restore', ids)];
    case 'hide':
      return ids.length > MANY ? [MANY_CHANGED] : each('on_asset_hidden');
    case 'delete':
      return ids.length > MANY ? [MANY_CHANGED] : each('on_asset_delete');
    case 'many':
      return [MANY_CHANGED];
    case 'stack':
      return [message('on_asset_stack_update')];
    case 'album':
      return each('on_album_update');
    case 'session':
      return each('on_session_delete');
    case 'person':
      return each('on_person_thumbnail');
    case 'user':
      return each('on_user_delete');
    case 'config':
      return [message('on_config_update')];
    case 'notification':
      return [message('on_notification', data)];
  }
}

/** Ours: clients that do not know it look again when they are next used. */
const MANY_CHANGED = message('on_library_update');

async function changedMessages(
  deps: Deps,
  session: UserSession,
  event: 'ready' | 'edited' | 'update',
  ids: readonly string[],
): Promise<Message[]> {
  const assets = await findAssetsById({ ...deps, session }, ids);
  const shown = [...assets.values()];
  if (event === 'update') return shown.map((asset) => message('on_asset_update', asset));
  const views = await readOwnViews(deps.db, session.userId, [...assets.keys()]);
  return event === 'ready'
    ? [
        ...shown.map((asset) => message('on_upload_success', asset)),
        ...views.map(({ asset, exif }) => message('AssetUploadReadyV2', { asset, exif })),
      ]
    : [
        ...shown.map((asset) => message('on_asset_update', asset)),
        ...views.map(({ asset, edits }) => message('AssetEditReadyV2', { asset, edit: edits })),
      ];
}
