import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { lazyComponent, whenIdle } from '../ui/lazy.tsx';
import { pinPrompt } from '../data/locked/pin.ts';
import { Bell, NotificationPanel } from '../parts/notifications/bell.tsx';
import { SHARED_PARAMETER } from '../base/service-worker-names.ts';
import { LibrarySearch } from '../parts/search/search-box.tsx';
import { finishIntroduction, isIntroductionDue } from '../data/session/introduction.ts';
import { Logo } from '../parts/session/card-page.tsx';
import { PhoneAppDialog } from '../parts/setup/phone-app-button.tsx';
import { useStore } from '../base/store.ts';
import type { Me } from '../data/types.ts';
import { DropZone, UploadButton } from '../parts/uploads/drop.tsx';
import { watchInterrupted } from '../data/uploads/interrupted-uploads.ts';
import { watchKeptUploads } from '../data/uploads/kept-uploads.ts';
import { UploadPanel } from '../parts/uploads/lazy-panel.tsx';
import { cornerBar, cornerContent } from '../ui/corner.ts';
import { PHONE, useMediaQuery } from '../ui/use-media-query.ts';
import { AccountMenu } from './account-menu.tsx';
import { isAdminPath, listEntries } from './entries.ts';
import { PhoneBar } from './more.tsx';
import { usePageFocus } from './page-focus.ts';
import { AdminNavigation, MainNavigation } from './navigation.tsx';
import { Quota } from './quota.tsx';
import styles from './shell.module.css';
import { t } from '../base/i18n.ts';
import { followLiveEvents } from '../data/live-invalidation.ts';
import { connectLive } from '../base/live.ts';
import { type KeyBinding, useKeyBindings } from '../ui/keys.ts';

/** G and the key of a page open the page; Ctrl+K, or Command+K, opens the palette. */
function useNavigationKeys(isAdmin: boolean): { isOpen: boolean; close: () => void } {
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

const PinDialog = lazyComponent(() =>
  import('../parts/locked/pin-form.tsx').then((module) => module.PinDialog),
);
const SharedFilesDialog = lazyComponent(() =>
  import('./shared-files-dialog.tsx').then((module) => module.SharedFilesDialog),
);
const Palette = lazyComponent(() => import('./palette.tsx').then((chunk) => chunk.Palette));
const PullToRefresh = lazyComponent(() =>
  new Promise<void>(whenIdle)
    .then(() => import('../ui/pull-to-refresh.tsx'))
    .then((chunk) => chunk.PullToRefresh),
);
/** Also beside a mouse, as on a notebook. */
const TOUCH = '(any-pointer: coarse)';

/** A bar above and the navigation at the side, or one bar below on a phone, around every page. */
export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const [path, navigate] = useLocation();
  const isShared = new URLSearchParams(useSearch()).has(SHARED_PARAMETER);
  const here = listEntries(me.isAdmin).find((entry) => path.startsWith(entry.path));
  const isAdministration = me.isAdmin && isAdminPath(path);
  // Before the effects of the page, which may have a better title.
  useLayoutEffect(() => {
    document.title = here ? `${here.label} · Safelight` : 'Safelight';
  }, [here]);
  const isPinPrompted = useStore(pinPrompt, (question) => question !== undefined);
  const hasTouch = useMediaQuery(TOUCH);
  const isPhone = useMediaQuery(PHONE);
  const isNew = useStore(isIntroductionDue);
  const palette = useNavigationKeys(me.isAdmin);
  usePageFocus(path);
  useLive();
  useEffect(() => watchInterrupted(me.id), [me.id]);
  useEffect(() => watchKeptUploads(me.id), [me.id]);
  return (
    <div className={styles.shell}>
      <a className="skip" href="#content">
        {t('Skip to content')}
      </a>
      <header className={styles.header}>
        <div className={styles.bar}>
          {!isPhone && <LibrarySearch />}
          <div className={styles.barActions}>
            <UploadButton />
            <Bell />
            <AccountMenu me={me} />
          </div>
        </div>
        <div className="side">
          <Link href="/photos" className={styles.brand}>
            <Logo /> <span>Safelight</span>
          </Link>
          {isAdministration ? (
            <AdminNavigation here={here} className={styles.sideNav} />
          ) : (
            <MainNavigation here={here} isAdmin={me.isAdmin} />
          )}
          <PhoneBar here={here} isAdmin={me.isAdmin} />
          <Quota me={me} />
        </div>
      </header>
      <main ref={cornerContent} id="content" className="content" tabIndex={-1}>
        {isAdministration && <AdminNavigation here={here} className={styles.adminBar} isRow />}
        {children}
        {hasTouch && <PullToRefresh />}
      </main>
      {here?.takesUploads && (
        <div ref={cornerBar} className={styles.phoneUpload}>
          <UploadButton isCompact />
        </div>
      )}
      <UploadPanel />
      <DropZone />
      <NotificationPanel />
      {isShared && <SharedFilesDialog onClose={() => navigate(path, { replace: true })} />}
      {isNew && <PhoneAppDialog onClose={() => void finishIntroduction()} />}
      {isPinPrompted && <PinDialog />}
      {palette.isOpen && <Palette isAdmin={me.isAdmin} onClose={palette.close} />}
    </div>
  );
}

/** Keeps the connection for live events open while somebody is signed in. */
function useLive(): void {
  useEffect(() => {
    const unfollow = followLiveEvents();
    const stop = connectLive();
    return () => {
      unfollow();
      stop();
    };
  }, []);
}
