import { Archive, Heart } from 'lucide-react';
import { type ReactNode, useLayoutEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import type { GuestPath } from './base/guest-path.ts';
import {
  AboutPage,
  HealthPage,
  HelpPage,
  AlbumPage,
  AlbumsPage,
  BackupPage,
  ConfigPage,
  DocumentPage,
  DocumentsPage,
  DuplicatesPage,
  ExplorePage,
  FailedPage,
  FoldersPage,
  GuestPage,
  BackupsPage,
  DeduplicationPage,
  IntegrityPage,
  InvitationPage,
  JobsPage,
  LoginPage,
  LogPage,
  NodesPage,
  NewPasswordPage,
  NewWorkflowPage,
  LargePage,
  LibrariesPage,
  LinksPage,
  LockedPage,
  MailPage,
  ModelsPage,
  MapPage,
  MemoriesPage,
  MemoryPlayer,
  MoveInPage,
  PartnerPage,
  PeoplePage,
  PersonPage,
  PetPage,
  PetsPage,
  RecentOperations,
  ProposalsPage,
  RawPairsPage,
  SearchPage,
  SettingsPage,
  SetupPage,
  SharingPage,
  SignUpPage,
  StatisticsPage,
  StoragePage,
  StudioEditorPage,
  StudioPage,
  TagPage,
  TagsPage,
  TrashPage,
  UsersPage,
  WorkflowLogPage,
  WorkflowPage,
  WorkflowsPage,
} from './pages.tsx';
import { lazyComponent } from './ui/lazy.tsx';
import { UnreachablePage } from './parts/session/card-page.tsx';
import { proofPrompt } from './data/session/proof.ts';
import { session } from './data/session/session.ts';
import { hideLayout } from './base/first-paint.ts';
import { hasLoginCookie } from './base/storage.ts';
import { Shell } from './shell/shell.tsx';
import { useStore } from './base/store.ts';
import { type Filter, getTimeline } from './data/timeline/timeline-data.ts';
import { PhotosPage } from './pages/timeline/photos-page.tsx';
import { TimelineView } from './parts/timeline/timeline-view.tsx';
import { Toasts } from './ui/toast.tsx';
import type { Me } from './data/types.ts';
import { KeyHelp } from './ui/key-help.tsx';
import { Empty } from './ui/elements.tsx';
import { parsePhotoPath, ViewerFrame } from './parts/viewer/viewer-frame.tsx';
import { t } from './base/i18n.ts';

const ProofDialog = lazyComponent(() =>
  import('./parts/session/proof-dialog.tsx').then((module) => module.ProofDialog),
);

/** `guest` is set for who came by a shared link: then nothing of an account is asked for. */
export function App({ guest }: { guest: GuestPath | undefined }) {
  const isProofAsked = useStore(proofPrompt, (question) => question !== undefined);
  return (
    <>
      {guest ? <GuestPage base={guest.base} /> : <Stage />}
      {isProofAsked && <ProofDialog />}
      <KeyHelp />
      <Toasts />
    </>
  );
}

function Stage() {
  const now = useStore(session);
  const isStarting = now.stage === 'starting';
  useLayoutEffect(() => {
    if (!isStarting) hideLayout();
  }, [isStarting]);
  switch (now.stage) {
    case 'starting':
      return <StartingViewer />;
    case 'unreachable':
      return <UnreachablePage error={now.error} />;
    case 'sign-up':
      return <SignUpPage />;
    case 'invited':
      return <InvitationPage token={now.token} />;
    case 'signed-out':
      return <LoginPage note={now.note} config={now.config} />;
    case 'new-password':
      return <NewPasswordPage />;
    case 'signed-in':
      return (
        <Switch>
          {now.me.isAdmin && (
            <Route path="/setup/:step?">
              {({ step }) => <SetupPage me={now.me} step={step} />}
            </Route>
          )}
          <Route>
            <Shell me={now.me}>
              <Pages me={now.me} />
            </Shell>
          </Route>
        </Switch>
      );
  }
}

/** The address of a photo shows it while the account is asked for; without a login there is nothing to see. */
function StartingViewer() {
  const [path, navigate] = useLocation();
  const photo = hasLoginCookie() ? parsePhotoPath(path) : undefined;
  if (!photo) return null;
  return <ViewerFrame id={photo.id} onClose={() => navigate(photo.base, { replace: true })} />;
}

const FAVORITES: Filter = { isFavorite: true };
const ARCHIVE: Filter = { visibility: 'archive', withStacked: true };

const FavoritesPage = ({ photoId }: { photoId: string | undefined }) => (
  <TimelineView
    timeline={getTimeline(FAVORITES)}
    title={t('Favorites')}
    base="/favorites"
    photoId={photoId}
    empty={
      <Empty
        icon={Heart}
        title={t('No favorites yet')}
        text={t('Photos that you mark with the heart appear here.')}
      />
    }
  />
);

const ArchivePage = ({ photoId }: { photoId: string | undefined }) => (
  <TimelineView
    timeline={getTimeline(ARCHIVE)}
    title={t('Archive')}
    base="/archive"
    photoId={photoId}
    head={<RecentOperations />}
    empty={
      <Empty
        icon={Archive}
        title={t('The archive is empty')}
        text={t('Archived photos leave the timeline and stay in albums and search.')}
      />
    }
  />
);

type PlainPage = readonly [path: string, render: (me: Me) => ReactNode];

/** The pages whose addresses have no parameters. */
const PAGES: readonly PlainPage[] = [
  ['/explore', () => <ExplorePage />],
  ['/documents', () => <DocumentsPage />],
  ['/memories', () => <MemoriesPage />],
  ['/people', () => <PeoplePage />],
  ['/pets', () => <PetsPage />],
  ['/albums', (me) => <AlbumsPage me={me} />],
  ['/tags', () => <TagsPage />],
  ['/large', () => <LargePage />],
  ['/raw-pairs', () => <RawPairsPage />],
  ['/failed', () => <FailedPage />],
  ['/move-in', () => <MoveInPage />],
  ['/links', () => <LinksPage />],
  ['/sharing', (me) => <SharingPage me={me} />],
  ['/workflows', () => <WorkflowsPage />],
  ['/workflows/new', () => <NewWorkflowPage />],
  ['/studio', (me) => <StudioPage me={me} />],
  ['/backup', () => <BackupPage />],
  ['/settings', (me) => <SettingsPage me={me} />],
];

const ADMIN_PAGES: readonly PlainPage[] = [
  ['/admin/jobs', () => <JobsPage />],
  ['/admin/health', () => <HealthPage />],
  ['/admin/backups', () => <BackupsPage />],
  ['/admin/integrity', () => <IntegrityPage />],
  ['/admin/deduplication', () => <DeduplicationPage />],
  ['/admin/libraries', (me) => <LibrariesPage me={me} />],
  ['/admin/mail', () => <MailPage />],
  ['/admin/models', () => <ModelsPage />],
  ['/admin/settings', () => <ConfigPage />],
  ['/admin/statistics', () => <StatisticsPage />],
  ['/admin/storage', () => <StoragePage />],
  ['/admin/log', () => <LogPage />],
  ['/admin/nodes', () => <NodesPage />],
  ['/admin/about', () => <AboutPage />],
  ['/admin/users', (me) => <UsersPage me={me} />],
];

function Pages({ me }: { me: Me }) {
  return (
    <Switch>
      {[...PAGES, ...(me.isAdmin ? ADMIN_PAGES : [])].map(([path, render]) => (
        <Route key={path} path={path}>
          {render(me)}
        </Route>
      ))}
      <Route path="/photos/:id?">{({ id }) => <PhotosPage photoId={id} />}</Route>
      <Route path="/missing/:field?">
        {({ field }) => <ProposalsPage field={field === 'place' ? 'place' : 'date'} />}
      </Route>
      <Route path="/help/:name?">{({ name }) => <HelpPage name={name} />}</Route>
      <Route path="/documents/:id">{({ id }) => <DocumentPage key={id} id={id} />}</Route>
      <Route path="/duplicates/:photos?/:id?">{({ id }) => <DuplicatesPage photoId={id} />}</Route>
      <Route path="/map/:photos?/:id?">{({ id }) => <MapPage photoId={id} />}</Route>
      <Route path="/memories/:id">{({ id }) => <MemoryPlayer id={id} />}</Route>
      <Route path="/people/:personId/:photos?/:id?">
        {({ personId, id }: { personId: string; id?: string }) => (
          <PersonPage key={personId} personId={personId} photoId={id} />
        )}
      </Route>
      <Route path="/pets/:petId/:photos?/:id?">
        {({ petId, id }: { petId: string; id?: string }) => (
          <PetPage key={petId} petId={petId} photoId={id} />
        )}
      </Route>
      <Route path="/search/:photos?/:id?">{({ id }) => <SearchPage photoId={id} />}</Route>
      <Route path="/favorites/:photos?/:id?">{({ id }) => <FavoritesPage photoId={id} />}</Route>
      <Route path="/archive/:photos?/:id?">{({ id }) => <ArchivePage photoId={id} />}</Route>
      <Route path="/albums/:albumId/:photos?/:id?">
        {({ albumId, id }: { albumId: string; id?: string }) => (
          <AlbumPage key={albumId} albumId={albumId} photoId={id} me={me} />
        )}
      </Route>
      <Route path="/tags/:tagId/:photos?/:id?">
        {({ tagId, id }: { tagId: string; id?: string }) => (
          <TagPage key={tagId} tagId={tagId} photoId={id} />
        )}
      </Route>
      <Route path="/folders/:photos?/:id?">{({ id }) => <FoldersPage photoId={id} />}</Route>
      <Route path="/sharing/:partnerId/:photos?/:id?">
        {({ partnerId, id }: { partnerId: string; id?: string }) => (
          <PartnerPage key={partnerId} partnerId={partnerId} photoId={id} />
        )}
      </Route>
      <Route path="/locked/:photos?/:id?">{({ id }) => <LockedPage photoId={id} />}</Route>
      <Route path="/trash/:photos?/:id?">{({ id }) => <TrashPage photoId={id} />}</Route>
      <Route path="/workflows/:id">{({ id }) => <WorkflowPage key={id} id={id} />}</Route>
      <Route path="/workflows/:id/log">{({ id }) => <WorkflowLogPage key={id} id={id} />}</Route>
      <Route path="/studio/:id">{({ id }) => <StudioEditorPage key={id} id={id} me={me} />}</Route>
      <Route>
        <Redirect to="/photos" replace />
      </Route>
    </Switch>
  );
}
