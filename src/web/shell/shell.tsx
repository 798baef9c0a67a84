import {
  Archive,
  ChartColumn,
  CircleHelp,
  Clapperboard,
  Compass,
  ContactRound,
  Copy,
  DatabaseBackup,
  FileText,
  FileStack,
  Folder,
  FolderSync,
  Gauge,
  Heart,
  History,
  Images,
  Info,
  Library,
  Link2,
  ListChecks,
  LockKeyhole,
  LogOut,
  type LucideIcon,
  Mail,
  MapPinned,
  PawPrint,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  Tags,
  Trash2,
  Users,
  Workflow,
} from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { lazyComponent } from '../lazy.tsx';
import { pinPrompt } from '../locked/pin.ts';
import { Bell, NotificationPanel } from '../notifications/bell.tsx';
import { preloadArea } from '../pages.tsx';
import { PinList } from '../pins/side-pins.tsx';
import { SideSearch } from '../search/search-box.tsx';
import { logOut } from '../session/session.ts';
import { Logo } from '../session/card-page.tsx';
import { useStore } from '../store.ts';
import type { Me } from '../types.ts';
import { DropZone, UploadButton } from '../uploads/drop.tsx';
import { watchInterrupted } from '../uploads/interrupted-uploads.ts';
import { UploadPanel } from '../uploads/lazy-panel.tsx';
import { Avatar } from '../ui/parts.tsx';
import { MoreButton } from './more.tsx';
import { Quota } from './quota.tsx';
import { useLive } from './use-live.ts';
import styles from './shell.module.css';
import { t } from '../i18n.ts';

const library = () => import('../chunks/library.ts');
const PinDialog = lazyComponent(() => library().then((chunk) => chunk.PinDialog));

export type Entry = {
  path: string;
  label: string;
  icon: LucideIcon;
  /** Also on a phone's bar. */
  isMain: boolean;
  takesUploads?: boolean;
};

const LIBRARY: Entry[] = [
  { path: '/photos', label: t('Photos'), icon: Images, isMain: true, takesUploads: true },
  { path: '/explore', label: t('Explore'), icon: Compass, isMain: true },
  { path: '/memories', label: t('Memories'), icon: History, isMain: false },
  { path: '/people', label: t('People'), icon: ContactRound, isMain: false },
  { path: '/pets', label: t('Pets'), icon: PawPrint, isMain: false },
  { path: '/map', label: t('Map'), icon: MapPinned, isMain: false },
  { path: '/documents', label: t('Documents'), icon: FileText, isMain: false },
  { path: '/favorites', label: t('Favourites'), icon: Heart, isMain: true },
  { path: '/albums', label: t('Albums'), icon: Library, isMain: true, takesUploads: true },
  { path: '/tags', label: t('Tags'), icon: Tags, isMain: false },
  { path: '/folders', label: t('Folders'), icon: Folder, isMain: false },
  { path: '/links', label: t('Links'), icon: Link2, isMain: false },
  { path: '/duplicates', label: t('Duplicates'), icon: Copy, isMain: false },
  { path: '/workflows', label: t('Workflows'), icon: Workflow, isMain: false },
  { path: '/studio', label: t('Studio'), icon: Clapperboard, isMain: false },
  { path: '/archive', label: t('Archive'), icon: Archive, isMain: false },
  { path: '/locked', label: t('Locked'), icon: LockKeyhole, isMain: false },
  { path: '/trash', label: t('Trash'), icon: Trash2, isMain: false },
];
/** From here on they stand below the pins. */
const FIRST_TOOL = '/links';
const ADMIN: Entry[] = [
  { path: '/admin/jobs', label: t('Jobs'), icon: Gauge, isMain: false },
  {
    path: '/admin/backups',
    label: t('Updates & backups'),
    icon: DatabaseBackup,
    isMain: false,
  },
  { path: '/admin/integrity', label: t('Integrity'), icon: ShieldCheck, isMain: false },
  { path: '/admin/libraries', label: t('External libraries'), icon: FolderSync, isMain: false },
  { path: '/admin/deduplication', label: t('Deduplication'), icon: FileStack, isMain: false },
  { path: '/admin/mail', label: t('Mail'), icon: Mail, isMain: false },
  { path: '/admin/users', label: t('Accounts'), icon: Users, isMain: false },
  { path: '/admin/statistics', label: t('Statistics'), icon: ChartColumn, isMain: false },
  { path: '/admin/settings', label: t('Server settings'), icon: SlidersHorizontal, isMain: false },
  { path: '/setup', label: t('Setup'), icon: ListChecks, isMain: false },
  { path: '/admin/about', label: t('About'), icon: Info, isMain: false },
];
const HELP: Entry = { path: '/help', label: t('Help'), icon: CircleHelp, isMain: false };
const SETTINGS: Entry = { path: '/settings', label: t('Settings'), icon: Settings, isMain: false };

/** Navigation at the side, or below on a phone, around every page. */
export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const [path] = useLocation();
  const pages = [...LIBRARY, ...(me.isAdmin ? ADMIN : []), HELP];
  const entries = [...pages, SETTINGS];
  const tools = pages.findIndex(({ path: first }) => first === FIRST_TOOL);
  const here = entries.find((entry) => path.startsWith(entry.path));
  // Before the effects of the page, which may have a better title.
  useLayoutEffect(() => {
    document.title = here ? `${here.label} · Safelight` : 'Safelight';
  }, [here]);
  const isPinPrompted = useStore(pinPrompt, (question) => question !== undefined);
  useLive();
  useEffect(() => watchInterrupted(me.id), [me.id]);
  return (
    <div className={styles.shell}>
      <a className="skip" href="#content">
        {t('Skip to content')}
      </a>
      <header className="side">
        <div className={styles.top}>
          <Link href="/photos" className={styles.brand}>
            <Logo /> <span>Safelight</span>
          </Link>
          <Bell />
        </div>
        <UploadButton />
        <SideSearch />
        <nav aria-label={t('Main')}>
          <ul>
            <NavItems entries={pages.slice(0, tools)} here={here} />
            <li className="phone-only">
              <MoreButton entries={entries.filter(({ isMain }) => !isMain)} here={here} />
            </li>
          </ul>
          <PinList />
          <ul className={styles.tools}>
            <NavItems entries={pages.slice(tools)} here={here} />
          </ul>
        </nav>
        <div className={styles.sideFoot}>
          <Quota me={me} />
          <div className={styles.who}>
            <Avatar name={me.name} />
            <span className={styles.whoName} title={me.email}>
              {me.name}
            </span>
            <Link
              href={SETTINGS.path}
              className="icon-button"
              aria-label={SETTINGS.label}
              aria-current={here === SETTINGS ? 'page' : undefined}
              title={SETTINGS.label}
            >
              <Settings size={18} aria-hidden />
            </Link>
            <button
              className="icon-button"
              aria-label={t('Log out')}
              title={t('Log out')}
              onClick={() => void logOut()}
            >
              <LogOut size={18} aria-hidden />
            </button>
          </div>
        </div>
      </header>
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
      {here?.takesUploads && (
        <div className={styles.phoneUpload}>
          <UploadButton isCompact />
        </div>
      )}
      <UploadPanel />
      <DropZone />
      <NotificationPanel />
      {isPinPrompted && <PinDialog />}
    </div>
  );
}

type NavItemsProps = { entries: readonly Entry[]; here: Entry | undefined };

const NavItems = ({ entries, here }: NavItemsProps) =>
  entries.map((entry) => (
    <li key={entry.path} className={entry.isMain ? '' : 'wide-only'}>
      <NavLink entry={entry} isHere={entry === here} />
    </li>
  ));

function NavLink({ entry, isHere }: { entry: Entry; isHere: boolean }) {
  const Icon = entry.icon;
  const link = useRef<HTMLAnchorElement>(null);
  // There may be more of them than there is room for.
  useEffect(() => {
    if (isHere) link.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isHere]);
  return (
    <Link
      ref={link}
      href={entry.path}
      className={styles.navLink}
      onPointerEnter={() => preloadArea(entry.path)}
      onFocus={() => preloadArea(entry.path)}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon size={20} aria-hidden strokeWidth={isHere ? 2.25 : 1.75} />
      <span>{entry.label}</span>
    </Link>
  );
}
