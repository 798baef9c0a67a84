import type { ComponentType } from 'react';
import { lazyComponent } from './ui/lazy.tsx';
import styles from './pages.module.css';
import { t } from './base/i18n.ts';

// Pages that are opened together are one chunk: what two chunks share is another, and with a chunk for each page the
// first visit asked for 55 of a few hundred bytes each. The timeline comes with the first script.

const fallback = <div className={styles.pageLoading} role="status" aria-label={t('Loading')} />;

const page = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazyComponent(load, fallback);

export const AboutPage = page(() =>
  import('./pages/admin/about-page.tsx').then((module) => module.AboutPage),
);
export const AlbumPage = page(() =>
  import('./pages/albums/album-page.tsx').then((module) => module.AlbumPage),
);
export const AlbumsPage = page(() =>
  import('./pages/albums/albums-page.tsx').then((module) => module.AlbumsPage),
);
export const BackupPage = page(() =>
  import('./pages/backup/backup-page.tsx').then((module) => module.BackupPage),
);
export const ConfigPage = page(() =>
  import('./pages/admin/config/config-page.tsx').then((module) => module.ConfigPage),
);
export const DocumentPage = page(() =>
  import('./pages/documents/document-page.tsx').then((module) => module.DocumentPage),
);
export const DocumentsPage = page(() =>
  import('./pages/documents/documents-page.tsx').then((module) => module.DocumentsPage),
);
export const DuplicatesPage = page(() =>
  import('./pages/duplicates/duplicates-page.tsx').then((module) => module.DuplicatesPage),
);
export const ExplorePage = page(() =>
  import('./pages/explore/explore-page.tsx').then((module) => module.ExplorePage),
);
export const FailedPage = page(() =>
  import('./pages/failed/failed-page.tsx').then((module) => module.FailedPage),
);
export const FoldersPage = page(() =>
  import('./pages/folders/folders-page.tsx').then((module) => module.FoldersPage),
);
export const GuestPage = page(() =>
  import('./pages/guest/guest-page.tsx').then((chunk) => chunk.GuestPage),
);
export const HealthPage = page(() =>
  import('./pages/admin/health-page.tsx').then((module) => module.HealthPage),
);
export const HelpPage = page(() =>
  import('./pages/help/help-page.tsx').then((chunk) => chunk.HelpPage),
);
export const BackupsPage = page(() =>
  import('./pages/admin/backups-page.tsx').then((module) => module.BackupsPage),
);
export const DeduplicationPage = page(() =>
  import('./pages/admin/deduplication-page.tsx').then((module) => module.DeduplicationPage),
);
export const IntegrityPage = page(() =>
  import('./pages/admin/integrity-page.tsx').then((module) => module.IntegrityPage),
);
export const JobsPage = page(() =>
  import('./pages/admin/jobs-page.tsx').then((module) => module.JobsPage),
);
export const LargePage = page(() =>
  import('./pages/large/large-page.tsx').then((module) => module.LargePage),
);
export const LibrariesPage = page(() =>
  import('./pages/admin/libraries-page.tsx').then((module) => module.LibrariesPage),
);
export const LinksPage = page(() =>
  import('./pages/links/links-page.tsx').then((module) => module.LinksPage),
);
export const LogPage = page(() =>
  import('./pages/admin/log-page.tsx').then((module) => module.LogPage),
);
export const NodesPage = page(() =>
  import('./pages/admin/nodes-page.tsx').then((module) => module.NodesPage),
);
export const LockedPage = page(() =>
  import('./pages/locked/locked-page.tsx').then((module) => module.LockedPage),
);
export const MailPage = page(() =>
  import('./pages/admin/mail-page.tsx').then((module) => module.MailPage),
);
export const ModelsPage = page(() =>
  import('./pages/admin/models-page.tsx').then((module) => module.ModelsPage),
);
export const MapPage = page(() =>
  import('./pages/map/map-page.tsx').then((chunk) => chunk.MapPage),
);
export const MemoriesPage = page(() =>
  import('./pages/memories/memories-page.tsx').then((module) => module.MemoriesPage),
);
export const MemoryPlayer = page(() =>
  import('./pages/memories/player.tsx').then((module) => module.MemoryPlayer),
);
export const MoveInPage = page(() =>
  import('./pages/move-in/move-in-page.tsx').then((module) => module.MoveInPage),
);
export const PartnerPage = page(() =>
  import('./pages/sharing/partner-page.tsx').then((module) => module.PartnerPage),
);
export const PeoplePage = page(() =>
  import('./pages/people/people-page.tsx').then((module) => module.PeoplePage),
);
export const PersonPage = page(() =>
  import('./pages/people/person-page.tsx').then((module) => module.PersonPage),
);
export const PetPage = page(() =>
  import('./pages/pets/pet-page.tsx').then((module) => module.PetPage),
);
export const PetsPage = page(() =>
  import('./pages/pets/pets-page.tsx').then((module) => module.PetsPage),
);
export const ProposalsPage = page(() =>
  import('./pages/metadata-edits/proposals-page.tsx').then((module) => module.ProposalsPage),
);
export const RawPairsPage = page(() =>
  import('./pages/large/raw-pairs-page.tsx').then((module) => module.RawPairsPage),
);
export const SearchPage = page(() =>
  import('./pages/search/search-page.tsx').then((module) => module.SearchPage),
);
export const SettingsPage = page(() =>
  import('./pages/settings/settings-page.tsx').then((module) => module.SettingsPage),
);
export const SetupPage = page(() =>
  import('./pages/setup/setup-page.tsx').then((module) => module.SetupPage),
);
export const SharingPage = page(() =>
  import('./pages/sharing/sharing-page.tsx').then((module) => module.SharingPage),
);
export const StatisticsPage = page(() =>
  import('./pages/admin/statistics-page.tsx').then((module) => module.StatisticsPage),
);
export const StoragePage = page(() =>
  import('./pages/admin/storage-page.tsx').then((module) => module.StoragePage),
);
export const StudioEditorPage = page(() =>
  import('./pages/studio/editor-page.tsx').then((module) => module.StudioEditorPage),
);
export const StudioPage = page(() =>
  import('./pages/studio/projects-page.tsx').then((module) => module.StudioPage),
);
export const TagPage = page(() =>
  import('./pages/tags/tag-page.tsx').then((module) => module.TagPage),
);
export const TagsPage = page(() =>
  import('./pages/tags/tags-page.tsx').then((module) => module.TagsPage),
);
export const TrashPage = page(() =>
  import('./pages/trash/trash-page.tsx').then((module) => module.TrashPage),
);
export const UsersPage = page(() =>
  import('./pages/admin/users-page.tsx').then((module) => module.UsersPage),
);
export const NewWorkflowPage = page(() =>
  import('./pages/workflows/editor-page.tsx').then((module) => module.NewWorkflowPage),
);
export const WorkflowPage = page(() =>
  import('./pages/workflows/editor-page.tsx').then((module) => module.WorkflowPage),
);
export const WorkflowLogPage = page(() =>
  import('./pages/workflows/log-page.tsx').then((module) => module.WorkflowLogPage),
);
export const WorkflowsPage = page(() =>
  import('./pages/workflows/workflows-page.tsx').then((module) => module.WorkflowsPage),
);

export const InvitationPage = lazyComponent(() =>
  import('./pages/session/invitation-page.tsx').then((module) => module.InvitationPage),
);
export const LoginPage = lazyComponent(() =>
  import('./pages/session/pages.tsx').then((module) => module.LoginPage),
);
export const NewPasswordPage = lazyComponent(() =>
  import('./pages/session/pages.tsx').then((module) => module.NewPasswordPage),
);
export const SignUpPage = lazyComponent(() =>
  import('./pages/session/pages.tsx').then((module) => module.SignUpPage),
);

/** Above the timeline of the archive. */
export const RecentOperations = lazyComponent(() =>
  import('./pages/archive/recent-operations.tsx').then((module) => module.RecentOperations),
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
