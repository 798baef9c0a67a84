import { post } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { PHOTOS } from '../query-keys.ts';
import { toChunks } from '../assets/asset-actions.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import { askForPin, ensurePin } from './pin.ts';
import { t } from '../../base/i18n.ts';

/** Locks photos with the whole stacks and live photos that they are part of. */
export async function lock(ids: ReadonlySet<string>): Promise<boolean> {
  if (!(await ensurePin())) return false;
  const isDone = await attempt(() => send('lock', ids));
  if (isDone)
    showUndo(
      t('{count, plural, one {# item} other {# items}} locked and hidden from albums', {
        count: ids.size,
      }),
      () => unlockWithPin(ids),
    );
  return isDone;
}

/** Puts each photo back to where it was, also into its albums. */
export async function unlockAssets(ids: ReadonlySet<string>): Promise<boolean> {
  const isDone = await unlockWithPin(ids);
  if (isDone) {
    showUndo(t('{count, plural, one {# item} other {# items}} unlocked', { count: ids.size }), () =>
      attempt(() => send('lock', ids)),
    );
  }
  return isDone;
}

const send = (action: 'lock' | 'unlock', ids: ReadonlySet<string>): Promise<void> =>
  mutate(
    async () => {
      for (const part of toChunks([...ids])) await post(`/assets/${action}`, { ids: part });
    },
    { invalidates: PHOTOS },
  );

const unlockWithPin = (ids: ReadonlySet<string>): Promise<boolean> =>
  attempt(async () => {
    if (!(await askForPin())) throw new Error(t('They stay locked: the PIN was not entered.'));
    await send('unlock', ids);
  });
