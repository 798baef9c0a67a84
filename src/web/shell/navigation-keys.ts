import { useState } from 'react';
import { useLocation } from 'wouter';
import { t } from '../i18n.ts';
import { type KeyBinding, useKeyBindings } from '../ui/keys.ts';
import { listEntries } from './entries.ts';

/** G and the key of a page open the page; Ctrl+K, or Command+K, opens the palette. */
export function useNavigationKeys(isAdmin: boolean): { isOpen: boolean; close: () => void } {
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const open = (show: () => void) => () => (isCovered() ? false : show());
  const pages = listEntries(isAdmin).flatMap(({ key, label, path }): KeyBinding[] =>
    key === undefined ? [] : [{ keys: [`g ${key}`], label, run: open(() => navigate(path)) }],
  );
  const palette = { keys: ['Ctrl+k'], label: t('Go to'), run: open(() => setOpen(true)) };
  useKeyBindings(t('Go to'), [palette, ...pages]);
  return { isOpen, close: () => setOpen(false) };
}

/** Whether a dialog or the viewer is in front of the page. */
const isCovered = (): boolean => document.querySelector('dialog[open], [role=dialog]') !== null;
