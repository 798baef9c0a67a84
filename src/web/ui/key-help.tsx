import { lazyComponent } from './lazy.tsx';
import { createStore, useStore } from '../base/store.ts';
import { useKeyBindings } from './keys.ts';
import { t } from '../base/i18n.ts';

const KeyList = lazyComponent(() => import('./key-list.tsx').then((module) => module.KeyList));

const isOpen = createStore(false);
export const showKeys = (): void => isOpen.set(true);

/** Lists the keys of the page when `?` is pressed. */
export function KeyHelp() {
  useKeyBindings(t('Everywhere'), [
    { keys: ['?'], label: t('Show keyboard shortcuts'), run: showKeys },
  ]);
  return useStore(isOpen) ? <KeyList onClose={() => isOpen.set(false)} /> : null;
}
