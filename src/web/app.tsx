import { Archive, Heart, Images } from 'lucide-react';
import type { ReactNode } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import type { GuestPath } from './guest/guest.ts';
import { MemoryRow } from './memories/row.tsx';
import {
  AboutPage,
  HelpPage,
  AlbumPage,
  AlbumsPage,
  BackupPage,
  ConfigPage,
  DocumentPage,
  DocumentsPage,
  DuplicatesPage,
  ExplorePage,
  FoldersPage,
  GuestPage,
  BackupsPage,
  DeduplicationPage,
  IntegrityPage,
  JobsPage,
  LoginPage,
  NewPasswordPage,
  NewWorkflowPage,
  LibrariesPage,
  LinksPage,
  LockedPage,
  MailPage,
  MapPage,
  MemoriesPage,
  MemoryPlayer,
  PeoplePage,
  PersonPage,
  PetPage,
  PetsPage,
  RecentOperations,
  SearchPage,
  SettingsPage,
  SetupPage,
  SignUpPage,
  StatisticsPage,
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
import { lazyComponent } from './lazy.tsx';
import { UnreachablePage } from './session/card-page.tsx';
import { proofPrompt } from './session/proof.ts';
import { session } from './session/session.ts';
import { Shell } from './shell/shell.tsx';
import { useStore } from './store.ts';
import { type Filter, getTimeline } from './timeline/timeline-data.ts';
import { TimelineView } from './timeline/timeline-view.tsx';
import { Toasts } from './toast.tsx';
import type { Me } from './types.ts';
import { UploadButton } from './uploads/drop.tsx';
import { Empty } from './ui/parts.tsx';
import { t } from './i18n.ts';

const ProofDialog = lazyComponent(async () => (await import('./chunks/library.ts')).ProofDialog);

/** `guest` is set for who came by a shared link: then nothing of an account is asked for. */
export function App({ guest }: { guest: GuestPath | undefined }) {
  const isProofAsked = useStore(proofPrompt, (question) => question !== undefined);
  return (
    <>
      {guest ? <GuestPage base={guest.base} /> : <Stage />}
      {isProofAsked && <ProofDialog />}
      <Toasts />
    </>
  );
}

function Stage() {
  const now = useStore(session);
  switch (now.stage) {
    case 'starting':
      return null;
    case 'unreachable':
      return <UnreachablePage error={now.error} />;
    case 'sign-up':
      return <SignUpPage />;
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

const PHOTOS: Filter = { visibility: 'timeline', withStacked: true, withPartners: true };
const FAVORITES: Filter = { isFavorite: true };
const ARCHIVE: Filter = { visibility: 'archive', withStacked: true };

const PhotosPage = ({ photoId }: { photoId: string | undefined }) => (
  <TimelineView
    timeline={getTimeline(PHOTOS)}
    title={t('Photos')}
    base="/photos"
    photoId={photoId}
    head={<MemoryRow />}
    empty={
      <Empty
        icon={Images}
        title={t('No photos yet')}
        text={t('Drop photos, videos or whole folders anywhere on this page.')}
      >
        <UploadButton />
      </Empty>
    }
  />
);

const FavoritesPage = ({ photoId }: { photoId: string | undefined }) => (
  <TimelineView
    timeline={getTimeline(FAVORITES)}
    title={t('Favourites')}
    base="/favorites"
    photoId={photoId}
    empty={
      <Empty
        icon={Heart}
        title={t('No favourites yet')}
        text={t('Mark the photos you love with the heart, and they come together here.')}
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

const ADMIN_PAGES: readonly [path: string, render: (me: Me) => ReactNode][] = [
  ['/admin/jobs', () => <JobsPage />],
  ['/admin/backups', () => <BackupsPage />],
  ['/admin/integrity', () => <IntegrityPage />],
  ['/admin/deduplication', () => <DeduplicationPage />],
  ['/admin/libraries', (me) => <LibrariesPage me={me} />],
  ['/admin/mail', () => <MailPage />],
  ['/admin/settings', () => <ConfigPage />],
  ['/admin/statistics', () => <StatisticsPage />],
  ['/admin/about', () => <AboutPage />],
  ['/admin/users', (me) => <UsersPage me={me} />],
];

function Pages({ me }: { me: Me }) {
  return (
    <Switch>
      <Route path="/photos/:id?">{({ id }) => <PhotosPage photoId={id} />}</Route>
      <Route path="/explore">
        <ExplorePage />
      </Route>
      <Route path="/help/:name?">{({ name }) => <HelpPage name={name} />}</Route>
      <Route path="/documents">
        <DocumentsPage />
      </Route>
      <Route path="/documents/:id">{({ id }) => <DocumentPage key={id} id={id} />}</Route>
      <Route path="/duplicates/:photos?/:id?">{({ id }) => <DuplicatesPage photoId={id} />}</Route>
      <Route path="/map/:photos?/:id?">{({ id }) => <MapPage photoId={id} />}</Route>
      <Route path="/memories">
        <MemoriesPage />
      </Route>
      <Route path="/memories/:id">{({ id }) => <MemoryPlayer id={id} />}</Route>
      <Route path="/people">
        <PeoplePage />
      </Route>
      <Route path="/people/:personId/:photos?/:id?">
        {({ personId, id }: { personId: string; id?: string }) => (
          <PersonPage key={personId} personId={personId} photoId={id} />
        )}
      </Route>
      <Route path="/pets">
        <PetsPage />
      </Route>
      <Route path="/pets/:petId/:photos?/:id?">
        {({ petId, id }: { petId: string; id?: string }) => (
          <PetPage key={petId} petId={petId} photoId={id} />
        )}
      </Route>
      <Route path="/search/:photos?/:id?">{({ id }) => <SearchPage photoId={id} />}</Route>
      <Route path="/favorites/:photos?/:id?">{({ id }) => <FavoritesPage photoId={id} />}</Route>
      <Route path="/archive/:photos?/:id?">{({ id }) => <ArchivePage photoId={id} />}</Route>
      <Route path="/albums">
        <AlbumsPage me={me} />
      </Route>
      <Route path="/albums/:albumId/:photos?/:id?">
        {({ albumId, id }: { albumId: string; id?: string }) => (
          <AlbumPage key={albumId} albumId={albumId} photoId={id} me={me} />
        )}
      </Route>
      <Route path="/tags">
        <TagsPage />
      </Route>
      <Route path="/tags/:tagId/:photos?/:id?">
        {({ tagId, id }: { tagId: string; id?: string }) => (
          <TagPage key={tagId} tagId={tagId} photoId={id} />
        )}
      </Route>
      <Route path="/folders/:photos?/:id?">{({ id }) => <FoldersPage photoId={id} />}</Route>
      <Route path="/links">
        <LinksPage />
      </Route>
      <Route path="/locked/:photos?/:id?">{({ id }) => <LockedPage photoId={id} />}</Route>
      <Route path="/trash/:photos?/:id?">{({ id }) => <TrashPage photoId={id} />}</Route>
      <Route path="/workflows">
        <WorkflowsPage />
      </Route>
      <Route path="/workflows/new">
        <NewWorkflowPage />
      </Route>
      <Route path="/workflows/:id">{({ id }) => <WorkflowPage key={id} id={id} />}</Route>
      <Route path="/workflows/:id/log">{({ id }) => <WorkflowLogPage key={id} id={id} />}</Route>
      <Route path="/studio">
        <StudioPage me={me} />
      </Route>
      <Route path="/studio/:id">{({ id }) => <StudioEditorPage key={id} id={id} me={me} />}</Route>
      <Route path="/backup">
        <BackupPage />
      </Route>
      <Route path="/settings">
        <SettingsPage me={me} />
      </Route>
      {me.isAdmin &&
        ADMIN_PAGES.map(([path, render]) => (
          <Route key={path} path={path}>
            {render(me)}
          </Route>
        ))}
      <Route>
        <Redirect to="/photos" replace />
      </Route>
    </Switch>
  );
}
