import type { UserSession } from '../access/session.ts';
import type { Deps } from '../core/context.ts';
import type { Db } from '../db/client.ts';
import type { Announcement } from './announce.ts';

/** Readers of what has changed, as areas show it: they announce events, and this folder knows none of them. */
export type ChangeReaders = {
  findAssetsById(
    ctx: Deps & { readonly session: UserSession },
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, unknown>>;
  readOwnViews(
    db: Db,
    userId: string,
    ids: readonly string[],
  ): Promise<
    readonly { readonly asset: unknown; readonly exif: unknown; readonly edits: unknown }[]
  >;
};

/** An event as clients receive it: its name and arguments. */
export type Message = { readonly name: string; readonly args: readonly unknown[] };

const createMessage = (name: string, ...args: unknown[]): Message => ({ name, args });

/** For more ids than these, clients only learn that something changed, and reload. */
const MAX_IDS = 100;

/** Returns an announcement as client events, without Locked items: `session` is never elevated. */
export async function toMessages(
  deps: Deps,
  { session, readers }: { readonly session: UserSession; readonly readers: ChangeReaders },
  { event, ids = [], data }: Announcement,
): Promise<Message[]> {
  const each = (name: string) => ids.map((id) => createMessage(name, id));
  switch (event) {
    case 'ready':
    case 'edited':
    case 'update':
      return ids.length > MAX_IDS
        ? [MANY_CHANGED]
        : toChangeMessages(deps, { session, readers }, event, ids);
    case 'trash':
      return [createMessage('on_asset_trash', ids)];
    case 'restore':
      return [createMessage('on_asset_restore', ids)];
    case 'hide':
      return ids.length > MAX_IDS ? [MANY_CHANGED] : each('on_asset_hidden');
    case 'delete':
      return ids.length > MAX_IDS ? [MANY_CHANGED] : each('on_asset_delete');
    case 'many':
      return [MANY_CHANGED];
    case 'stack':
      return [createMessage('on_asset_stack_update')];
    case 'album':
      return each('on_album_update');
    case 'session':
      return each('on_session_delete');
    case 'person':
      return each('on_person_thumbnail');
    case 'user':
      return each('on_user_delete');
    case 'config':
      return [createMessage('on_config_update')];
    case 'notification':
      return [createMessage('on_notification', data)];
    // Two events of our own, which other clients do not know.
    case 'memory':
      return [createMessage('on_memory_update')];
    case 'memory_export':
      return [createMessage('on_memory_export_update')];
  }
}

/** An event of our own: clients that do not know it reload when they are next used. */
const MANY_CHANGED = createMessage('on_library_update');

async function toChangeMessages(
  deps: Deps,
  { session, readers }: { readonly session: UserSession; readonly readers: ChangeReaders },
  event: 'ready' | 'edited' | 'update',
  ids: readonly string[],
): Promise<Message[]> {
  const assets = await readers.findAssetsById({ ...deps, session }, ids);
  const shown = [...assets.values()];
  if (event === 'update') return shown.map((asset) => createMessage('on_asset_update', asset));
  const views = await readers.readOwnViews(deps.db, session.userId, [...assets.keys()]);
  return event === 'ready'
    ? [
        ...shown.map((asset) => createMessage('on_upload_success', asset)),
        ...views.map(({ asset, exif }) => createMessage('AssetUploadReadyV2', { asset, exif })),
      ]
    : [
        ...shown.map((asset) => createMessage('on_asset_update', asset)),
        ...views.map(({ asset, edits }) =>
          createMessage('AssetEditReadyV2', { asset, edit: edits }),
        ),
      ];
}
