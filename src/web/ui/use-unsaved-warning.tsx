import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useLocation } from 'wouter';
import { Confirm } from './dialog.tsx';
import { t } from '../i18n.ts';

/**
 * Asks before a page with unsaved changes is left: by a link, by the browser's buttons (where it has the
 * Navigation API) and by closing the tab. Returns the question, to be rendered by the page.
 */
export function useUnsavedWarning(isUnsaved: boolean): ReactNode {
  const [, navigate] = useLocation();
  const [leave, setLeave] = useState<() => void>();
  const isConfirmed = useRef(false);
  useEffect(() => {
    if (!isUnsaved) return;
    const onNavigate = (event: NavigateEvent) => {
      const { destination, navigationType, cancelable, hashChange } = event;
      // Another document: the browser asks by itself.
      if (!cancelable || hashChange || !destination.sameDocument || isConfirmed.current) return;
      event.preventDefault();
      setLeave(() => () => {
        isConfirmed.current = true;
        if (navigationType === 'traverse') window.navigation.traverseTo(destination.key);
        else navigate(destination.url.slice(location.origin.length));
      });
    };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.navigation?.addEventListener('navigate', onNavigate);
    window.addEventListener('beforeunload', onUnload);
    return () => {
      window.navigation?.removeEventListener('navigate', onNavigate);
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [isUnsaved, navigate]);

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
