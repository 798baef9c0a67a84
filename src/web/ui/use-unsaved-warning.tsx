import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useLocation } from 'wouter';
import { Confirm } from './dialog.tsx';
import { t } from '../base/i18n.ts';

type Unsaved = {
  /** Called when the page is about to be left. */
  readonly isUnsaved: () => boolean;
  /** Resolves with whether all is saved: then nothing is asked. */
  readonly save?: () => Promise<boolean>;
};

/**
 * Asks before a page with unsaved changes is left: by a link, by the browser's buttons (where it has the
 * Navigation API) and by closing the tab. Returns the question, to be rendered by the page.
 */
export function useUnsavedWarning({ isUnsaved, save }: Unsaved): ReactNode {
  const [, navigate] = useLocation();
  const [leave, setLeave] = useState<() => void>();
  const isConfirmed = useRef(false);
  const onNavigate = useEffectEvent(async (event: NavigateEvent) => {
    const { destination, navigationType, cancelable, hashChange } = event;
    // Another document: the browser asks by itself.
    if (!cancelable || hashChange || !destination.sameDocument || isConfirmed.current) return;
    if (!isUnsaved()) return;
    event.preventDefault();
    const leave = () => {
      isConfirmed.current = true;
      if (navigationType === 'traverse') window.navigation.traverseTo(destination.key);
      else navigate(destination.url.slice(location.origin.length));
    };
    if (await save?.()) leave();
    else setLeave(() => leave);
  });
  const onUnload = useEffectEvent((event: BeforeUnloadEvent) => {
    if (isUnsaved()) event.preventDefault();
  });
  useEffect(() => {
    const watch = (event: NavigateEvent) => void onNavigate(event);
    const warn = (event: BeforeUnloadEvent) => onUnload(event);
    window.navigation?.addEventListener('navigate', watch);
    window.addEventListener('beforeunload', warn);
    return () => {
      window.navigation?.removeEventListener('navigate', watch);
      window.removeEventListener('beforeunload', warn);
    };
  }, []);

  if (!leave) return null;
  return createPortal(
    <Confirm
      title={t('Leave without saving?')}
      text={t('Your changes are lost.')}
      action={t('Leave')}
      onConfirm={leave}
      onClose={() => setLeave(undefined)}
    />,
    // Outside of the form: the buttons of a dialog would send it.
    document.body,
  );
}
