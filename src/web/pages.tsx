import type { ComponentType } from 'react';
import { lazyComponent } from './lazy.tsx';
import styles from './pages.module.css';
import { t } from './i18n.ts';

// Pages that are opened together are one chunk: what two chunks share is another, and with a chunk for each page the
// first visit asked for 55 of a few hundred bytes each. The timeline comes with the first script.

const fallback = <div className={styles.pageLoading} role="status" aria-label={t('Loading')} />;

const library = () => import('./chunks/library.ts');
const administration = () => import('./chunks/administration.ts');
const studio = () => import('./chunks/studio.ts');
const session = () => import('./chunks/session.ts');

const page = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazyComponent(load, fallback);

export const AboutPage = page(() => administration().then((chunk) => chunk.AboutPage));
export const AlbumPage = page(() => library().then((chunk) => chunk.AlbumPage));
export const AlbumsPage = page(() => library().then((chunk) => chunk.AlbumsPage));
export const BackupPage = page(() => library().then((chunk) => chunk.BackupPage));
export const ConfigPage = page(() => administration().then((chunk) => chunk.ConfigPage));
export const DocumentPage = page(() => library().then((chunk) => chunk.DocumentPage));
export const DocumentsPage = page(() => library().then((chunk) => chunk.DocumentsPage));
export const DuplicatesPage = page(() => library().then((chunk) => chunk.DuplicatesPage));
export const ExplorePage = page(() => library().then((chunk) => chunk.ExplorePage));
export const FailedPage = page(() => library().then((chunk) => chunk.FailedPage));
export const FoldersPage = page(() => library().then((chunk) => chunk.FoldersPage));
export const GuestPage = page(() =>
  import('./guest/guest-page.tsx').then((chunk) => chunk.GuestPage),
);
export const HealthPage = page(() => administration().then((chunk) => chunk.HealthPage));
export const HelpPage = page(() => import('./help/help-page.tsx').then((chunk) => chunk.HelpPage));
export const BackupsPage = page(() => administration().then((chunk) => chunk.BackupsPage));
export const DeduplicationPage = page(() =>
  administration().then((chunk) => chunk.DeduplicationPage),
);
export const IntegrityPage = page(() => administration().then((chunk) => chunk.IntegrityPage));
export const JobsPage = page(() => administration().then((chunk) => chunk.JobsPage));
export const LargePage = page(() => library().then((chunk) => chunk.LargePage));
export const LibrariesPage = page(() => administration().then((chunk) => chunk.LibrariesPage));
export const LinksPage = page(() => library().then((chunk) => chunk.LinksPage));
export const LogPage = page(() => administration().then((chunk) => chunk.LogPage));
export const NodesPage = page(() => administration().then((chunk) => chunk.NodesPage));
export const LockedPage = page(() => library().then((chunk) => chunk.LockedPage));
export const MailPage = page(() => administration().then((chunk) => chunk.MailPage));
export const ModelsPage = page(() => administration().then((chunk) => chunk.ModelsPage));
export const MapPage = page(() => import('./map/map-page.tsx').then((chunk) => chunk.MapPage));
export const MemoriesPage = page(() => library().then((chunk) => chunk.MemoriesPage));
export const MemoryPlayer = page(() => library().then((chunk) => chunk.MemoryPlayer));
export const MoveInPage = page(() => library().then((chunk) => chunk.MoveInPage));
export const PartnerPage = page(() => library().then((chunk) => chunk.PartnerPage));
export const PeoplePage = page(() => library().then((chunk) => chunk.PeoplePage));
export const PersonPage = page(() => library().then((chunk) => chunk.PersonPage));
export const PetPage = page(() => library().then((chunk) => chunk.PetPage));
export const PetsPage = page(() => library().then((chunk) => chunk.PetsPage));
export const ProposalsPage = page(() => library().then((chunk) => chunk.ProposalsPage));
export const RawPairsPage = page(() => library().then((chunk) => chunk.RawPairsPage));
export const SearchPage = page(() => library().then((chunk) => chunk.SearchPage));
export const SettingsPage = page(() => library().then((chunk) => chunk.SettingsPage));
export const SetupPage = page(() => administration().then((chunk) => chunk.SetupPage));
export const SharingPage = page(() => library().then((chunk) => chunk.SharingPage));
export const StatisticsPage = page(() => administration().then((chunk) => chunk.StatisticsPage));
export const StoragePage = page(() => administration().then((chunk) => chunk.StoragePage));
export const StudioEditorPage = page(() => studio().then((chunk) => chunk.StudioEditorPage));
export const StudioPage = page(() => studio().then((chunk) => chunk.StudioPage));
export const TagPage = page(() => library().then((chunk) => chunk.TagPage));
export const TagsPage = page(() => library().then((chunk) => chunk.TagsPage));
export const TrashPage = page(() => library().then((chunk) => chunk.TrashPage));
export const UsersPage = page(() => administration().then((chunk) => chunk.UsersPage));
export const NewWorkflowPage = page(() => library().then((chunk) => chunk.NewWorkflowPage));
export const WorkflowPage = page(() => library().then((chunk) => chunk.WorkflowPage));
export const WorkflowLogPage = page(() => library().then((chunk) => chunk.WorkflowLogPage));
export const WorkflowsPage = page(() => library().then((chunk) => chunk.WorkflowsPage));

export const InvitationPage = lazyComponent(() => session().then((chunk) => chunk.InvitationPage));
export const LoginPage = lazyComponent(() => session().then((chunk) => chunk.LoginPage));
export const NewPasswordPage = lazyComponent(() =>
  session().then((chunk) => chunk.NewPasswordPage),
);
export const SignUpPage = lazyComponent(() => session().then((chunk) => chunk.SignUpPage));

/** Above the timeline of the archive. */
export const RecentOperations = lazyComponent(() =>
  library().then((chunk) => chunk.RecentOperations),
);

const AREAS: Readonly<Record<string, readonly { readonly preload: () => void }[]>> = {
  '/albums': [AlbumsPage, AlbumPage],
  '/backup': [BackupPage],
  '/documents': [DocumentsPage, DocumentPage],
  '/duplicates': [DuplicatesPage],
  '/explore': [ExplorePage, SearchPage, ProposalsPage],
  '/admin/about': [AboutPage],
  '/admin/backups': [BackupsPage],
  '/admin/deduplication': [DeduplicationPage],
  '/admin/health': [HealthPage],
  '/admin/integrity': [IntegrityPage],
  '/admin/jobs': [JobsPage],
  '/admin/libraries': [LibrariesPage],
  '/admin/log': [LogPage],
  '/admin/mail': [MailPage],
  '/admin/models': [ModelsPage],
  '/admin/nodes': [NodesPage],
  '/admin/settings': [ConfigPage],
  '/admin/statistics': [StatisticsPage],
  '/admin/storage': [StoragePage, LargePage, RawPairsPage],
  '/admin/users': [UsersPage],
  '/failed': [FailedPage],
  '/folders': [FoldersPage],
  '/help': [HelpPage],
  '/links': [LinksPage],
  '/locked': [LockedPage],
  '/map': [MapPage],
  '/memories': [MemoriesPage, MemoryPlayer],
  '/move-in': [MoveInPage],
  '/people': [PeoplePage, PersonPage],
  '/pets': [PetsPage, PetPage],
  '/settings': [SettingsPage],
  '/setup': [SetupPage],
  '/sharing': [SharingPage, PartnerPage],
  '/studio': [StudioPage, StudioEditorPage],
  '/tags': [TagsPage, TagPage],
  '/trash': [TrashPage],
  '/workflows': [WorkflowsPage, WorkflowPage, WorkflowLogPage],
};

/** Fetches the code behind an entry of the navigation before it is opened. */
export function preloadArea(path: string): void {
  for (const page of AREAS[path] ?? []) page.preload();
}
