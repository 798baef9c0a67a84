import { lazyComponent } from './lazy.tsx';
import { MemoryRowSpace } from './memories/row-space.tsx';
import styles from './pages.module.css';
import { t } from './i18n.ts';

// Each page is a chunk of its own. The timeline is not: it comes with the first script.

const fallback = <div className={styles.pageLoading} role="status" aria-label={t('Loading')} />;

export const AboutPage = lazyComponent(
  () => import('./admin/about-page.tsx').then((module) => module.AboutPage),
  fallback,
);
export const AlbumPage = lazyComponent(
  () => import('./albums/album-page.tsx').then((module) => module.AlbumPage),
  fallback,
);
export const AlbumsPage = lazyComponent(
  () => import('./albums/albums-page.tsx').then((module) => module.AlbumsPage),
  fallback,
);
export const BackupPage = lazyComponent(
  () => import('./backup/backup-page.tsx').then((module) => module.BackupPage),
  fallback,
);
export const ConfigPage = lazyComponent(
  () => import('./admin/config/config-page.tsx').then((module) => module.ConfigPage),
  fallback,
);
export const DocumentPage = lazyComponent(
  () => import('./documents/document-page.tsx').then((module) => module.DocumentPage),
  fallback,
);
export const DocumentsPage = lazyComponent(
  () => import('./documents/documents-page.tsx').then((module) => module.DocumentsPage),
  fallback,
);
export const DuplicatesPage = lazyComponent(
  () => import('./duplicates/duplicates-page.tsx').then((module) => module.DuplicatesPage),
  fallback,
);
export const ExplorePage = lazyComponent(
  () => import('./explore/explore-page.tsx').then((module) => module.ExplorePage),
  fallback,
);
export const FoldersPage = lazyComponent(
  () => import('./folders/folders-page.tsx').then((module) => module.FoldersPage),
  fallback,
);
export const GuestPage = lazyComponent(
  () => import('./guest/guest-page.tsx').then((module) => module.GuestPage),
  fallback,
);
export const BackupsPage = lazyComponent(() =>
  import('./admin/backups-page.tsx').then((module) => module.BackupsPage),
);
export const DeduplicationPage = lazyComponent(
  () => import('./admin/deduplication-page.tsx').then((module) => module.DeduplicationPage),
  fallback,
);
export const IntegrityPage = lazyComponent(
  () => import('./admin/integrity-page.tsx').then((module) => module.IntegrityPage),
  fallback,
);
export const JobsPage = lazyComponent(
  () => import('./admin/jobs-page.tsx').then((module) => module.JobsPage),
  fallback,
);
export const LibrariesPage = lazyComponent(
  () => import('./admin/libraries-page.tsx').then((module) => module.LibrariesPage),
  fallback,
);
export const LinksPage = lazyComponent(
  () => import('./links/links-page.tsx').then((module) => module.LinksPage),
  fallback,
);
export const LockedPage = lazyComponent(
  () => import('./locked/locked-page.tsx').then((module) => module.LockedPage),
  fallback,
);
export const MailPage = lazyComponent(
  () => import('./admin/mail-page.tsx').then((module) => module.MailPage),
  fallback,
);
export const MapPage = lazyComponent(
  () => import('./map/map-page.tsx').then((module) => module.MapPage),
  fallback,
);
export const MemoriesPage = lazyComponent(
  () => import('./memories/memories-page.tsx').then((module) => module.MemoriesPage),
  fallback,
);
export const MemoryPlayer = lazyComponent(
  () => import('./memories/player.tsx').then((module) => module.MemoryPlayer),
  fallback,
);
export const PeoplePage = lazyComponent(
  () => import('./people/people-page.tsx').then((module) => module.PeoplePage),
  fallback,
);
export const PersonPage = lazyComponent(
  () => import('./people/person-page.tsx').then((module) => module.PersonPage),
  fallback,
);
export const PetPage = lazyComponent(
  () => import('./pets/pet-page.tsx').then((module) => module.PetPage),
  fallback,
);
export const PetsPage = lazyComponent(
  () => import('./pets/pets-page.tsx').then((module) => module.PetsPage),
  fallback,
);
export const SearchPage = lazyComponent(
  () => import('./search/search-page.tsx').then((module) => module.SearchPage),
  fallback,
);
export const SettingsPage = lazyComponent(
  () => import('./settings/settings-page.tsx').then((module) => module.SettingsPage),
  fallback,
);
export const SetupPage = lazyComponent(
  () => import('./setup/setup-page.tsx').then((module) => module.SetupPage),
  fallback,
);
export const StatisticsPage = lazyComponent(
  () => import('./admin/statistics-page.tsx').then((module) => module.StatisticsPage),
  fallback,
);
export const StudioEditorPage = lazyComponent(
  () => import('./studio/editor-page.tsx').then((module) => module.StudioEditorPage),
  fallback,
);
export const StudioPage = lazyComponent(
  () => import('./studio/projects-page.tsx').then((module) => module.StudioPage),
  fallback,
);
export const TagPage = lazyComponent(
  () => import('./tags/tag-page.tsx').then((module) => module.TagPage),
  fallback,
);
export const TagsPage = lazyComponent(
  () => import('./tags/tags-page.tsx').then((module) => module.TagsPage),
  fallback,
);
export const TrashPage = lazyComponent(
  () => import('./trash/trash-page.tsx').then((module) => module.TrashPage),
  fallback,
);
export const UsersPage = lazyComponent(
  () => import('./admin/users-page.tsx').then((module) => module.UsersPage),
  fallback,
);

export const NewWorkflowPage = lazyComponent(
  () => import('./workflows/editor-page.tsx').then((module) => module.NewWorkflowPage),
  fallback,
);
export const WorkflowPage = lazyComponent(
  () => import('./workflows/editor-page.tsx').then((module) => module.WorkflowPage),
  fallback,
);
export const WorkflowLogPage = lazyComponent(
  () => import('./workflows/log-page.tsx').then((module) => module.WorkflowLogPage),
  fallback,
);
export const WorkflowsPage = lazyComponent(
  () => import('./workflows/workflows-page.tsx').then((module) => module.WorkflowsPage),
  fallback,
);

export const LoginPage = lazyComponent(() =>
  import('./session/pages.tsx').then((module) => module.LoginPage),
);
export const NewPasswordPage = lazyComponent(() =>
  import('./session/pages.tsx').then((module) => module.NewPasswordPage),
);
export const SignUpPage = lazyComponent(() =>
  import('./session/pages.tsx').then((module) => module.SignUpPage),
);

/** Above the timeline of the archive. */
export const RecentOperations = lazyComponent(() =>
  import('./archive/recent-operations.tsx').then((module) => module.RecentOperations),
);

/** Above the timeline of all photos. */
export const MemoryRow = lazyComponent(
  () => import('./memories/row.tsx').then((module) => module.MemoryRow),
  <MemoryRowSpace />,
);

const AREAS: Readonly<Record<string, readonly { readonly preload: () => void }[]>> = {
  '/albums': [AlbumsPage, AlbumPage],
  '/backup': [BackupPage],
  '/documents': [DocumentsPage, DocumentPage],
  '/duplicates': [DuplicatesPage],
  '/explore': [ExplorePage, SearchPage],
  '/admin/about': [AboutPage],
  '/admin/backups': [BackupsPage],
  '/admin/deduplication': [DeduplicationPage],
  '/admin/integrity': [IntegrityPage],
  '/admin/jobs': [JobsPage],
  '/admin/libraries': [LibrariesPage],
  '/admin/mail': [MailPage],
  '/admin/settings': [ConfigPage],
  '/admin/statistics': [StatisticsPage],
  '/admin/users': [UsersPage],
  '/folders': [FoldersPage],
  '/links': [LinksPage],
  '/locked': [LockedPage],
  '/map': [MapPage],
  '/memories': [MemoriesPage, MemoryPlayer],
  '/people': [PeoplePage, PersonPage],
  '/pets': [PetsPage, PetPage],
  '/settings': [SettingsPage],
  '/setup': [SetupPage],
  '/studio': [StudioPage, StudioEditorPage],
  '/tags': [TagsPage, TagPage],
  '/trash': [TrashPage],
  '/workflows': [WorkflowsPage, WorkflowPage, WorkflowLogPage],
};

/** Fetches the code behind an entry of the navigation before it is opened. */
export function preloadArea(path: string): void {
  for (const page of AREAS[path] ?? []) page.preload();
}
