import {
  Archive,
  ChartColumn,
  CircleHelp,
  Clapperboard,
  Compass,
  ContactRound,
  Copy,
  DatabaseBackup,
  FileStack,
  FileText,
  FileWarning,
  Folder,
  FolderSync,
  Gauge,
  HardDrive,
  Heart,
  HeartPulse,
  History,
  Images,
  Import,
  Info,
  Library,
  Link2,
  ListChecks,
  LockKeyhole,
  type LucideIcon,
  Mail,
  MapPinned,
  Network,
  PawPrint,
  ScanSearch,
  ScrollText,
  Search,
  Server,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  Tags,
  Trash2,
  Users,
  UsersRound,
  Workflow,
} from 'lucide-react';
import { t } from '../base/i18n.ts';

/** A page that the navigation leads to. */
export type Entry = {
  path: string;
  label: string;
  icon: LucideIcon;
  /** Pressed after G, it opens the page. */
  key?: string;
  takesUploads?: boolean;
};

export type EntryGroup = {
  id: string;
  label: string;
  entries: readonly Entry[];
  /** Until somebody opens it. */
  isFolded?: boolean;
};

const LIBRARY: Entry[] = [
  { path: '/photos', label: t('Photos'), icon: Images, key: 'p', takesUploads: true },
  { path: '/explore', label: t('Explore'), icon: Compass, key: 'e' },
  { path: '/memories', label: t('Memories'), icon: History, key: 'h' },
  { path: '/people', label: t('People'), icon: ContactRound, key: 'o' },
  { path: '/pets', label: t('Pets'), icon: PawPrint },
  { path: '/map', label: t('Map'), icon: MapPinned, key: 'm' },
  { path: '/documents', label: t('Documents'), icon: FileText, key: 'd' },
  { path: '/favorites', label: t('Favorites'), icon: Heart, key: 'f' },
  { path: '/albums', label: t('Albums'), icon: Library, key: 'a', takesUploads: true },
  { path: '/sharing', label: t('Sharing'), icon: UsersRound },
  { path: '/tags', label: t('Tags'), icon: Tags, key: 't' },
  { path: '/folders', label: t('Folders'), icon: Folder },
  { path: '/archive', label: t('Archive'), icon: Archive, key: 'r' },
  { path: '/locked', label: t('Locked'), icon: LockKeyhole, key: 'l' },
  { path: '/trash', label: t('Trash'), icon: Trash2, key: 'x' },
];
const TOOLS: Entry[] = [
  { path: '/links', label: t('Links'), icon: Link2 },
  { path: '/duplicates', label: t('Duplicates'), icon: Copy },
  { path: '/failed', label: t('Failed files'), icon: FileWarning },
  { path: '/workflows', label: t('Workflows'), icon: Workflow },
  { path: '/studio', label: t('Studio'), icon: Clapperboard },
  { path: '/move-in', label: t('Move in'), icon: Import },
];

export const GROUPS: readonly EntryGroup[] = [
  { id: 'library', label: t('Library'), entries: LIBRARY },
  { id: 'tools', label: t('Tools'), entries: TOOLS, isFolded: true },
];

/** The pages of the administration, which have a bar of their own. */
export const ADMIN: readonly Entry[] = [
  { path: '/admin/jobs', label: t('Jobs'), icon: Gauge, key: 'j' },
  { path: '/admin/users', label: t('Accounts'), icon: Users },
  { path: '/admin/storage', label: t('Storage'), icon: HardDrive },
  { path: '/admin/statistics', label: t('Statistics'), icon: ChartColumn },
  { path: '/admin/backups', label: t('Updates & backups'), icon: DatabaseBackup },
  { path: '/admin/libraries', label: t('External libraries'), icon: FolderSync },
  { path: '/admin/models', label: t('Models'), icon: ScanSearch },
  { path: '/admin/mail', label: t('Mail'), icon: Mail },
  { path: '/admin/settings', label: t('Server settings'), icon: SlidersHorizontal },
  { path: '/admin/health', label: t('Health'), icon: HeartPulse },
  { path: '/setup', label: t('Setup'), icon: ListChecks },
  { path: '/admin/about', label: t('About'), icon: Info },
];
/** For people who look into the machine. */
export const ADVANCED: EntryGroup = {
  id: 'advanced',
  label: t('Advanced'),
  entries: [
    { path: '/admin/integrity', label: t('Integrity'), icon: ShieldCheck },
    { path: '/admin/deduplication', label: t('Deduplication'), icon: FileStack },
    { path: '/admin/nodes', label: t('Nodes'), icon: Network },
    { path: '/admin/log', label: t('Log'), icon: ScrollText },
  ],
  isFolded: true,
};
export const ADMINISTRATION: Entry = {
  path: '/admin/jobs',
  label: t('Administration'),
  icon: Server,
};
export const HELP: Entry = { path: '/help', label: t('Help'), icon: CircleHelp };
export const SETTINGS: Entry = {
  path: '/settings',
  label: t('Settings'),
  icon: Settings,
  key: 's',
};

/** The places of a phone's bar, beside the one for all others. */
export const PHONE_BAR: readonly Entry[] = [
  ...pick('/photos'),
  // The page with the search line.
  ...pick('/explore').map((entry) => ({ ...entry, label: t('Search'), icon: Search })),
  ...pick('/favorites'),
  ...pick('/albums'),
];

function pick(path: string): Entry[] {
  return LIBRARY.filter((entry) => entry.path === path);
}

export const isAdminPath = (path: string): boolean => path.startsWith('/admin/');

/** Returns every page that the account can open from the navigation. */
export const listEntries = (isAdmin: boolean): readonly Entry[] => [
  ...GROUPS.flatMap(({ entries }) => entries),
  ...(isAdmin ? [...ADMIN, ...ADVANCED.entries] : []),
  HELP,
  SETTINGS,
];
