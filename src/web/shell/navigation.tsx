import { ArrowLeft, ChevronDown, Ellipsis } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { preloadArea } from '../pages.tsx';
import { PinList } from './side-pins.tsx';
import { readStorage, writeStorage } from '../base/storage.ts';
import {
  ADMIN,
  ADMINISTRATION,
  ADVANCED,
  type Entry,
  type EntryGroup,
  GROUPS,
  HELP,
  SETTINGS,
} from './entries.ts';
import { PARTNERS, toPartnerGroups, usePartnerEntries } from './partner-entries.ts';
import styles from './shell.module.css';
import { t } from '../base/i18n.ts';

type Props = { here: Entry | undefined };

/** The navigation at the side: groups that fold, what is pinned, who shares, and one entry for the administration. */
export function MainNavigation({ here, isAdmin }: Props & { isAdmin: boolean }) {
  const partners = usePartnerEntries();
  const [path] = useLocation();
  const partner = partners.find((entry) => path.startsWith(entry.path));
  const [library, ...others] = [
    ...GROUPS.slice(0, 1),
    ...toPartnerGroups(partners),
    ...GROUPS.slice(1),
  ].map((group) => <FoldableGroup key={group.id} group={group} here={partner ?? here} />);
  return (
    <nav className={styles.sideNav} aria-label={t('Main')}>
      {library}
      <PinList />
      {others}
      <ul>
        <NavItems entries={[...(isAdmin ? [ADMINISTRATION] : []), HELP, SETTINGS]} here={here} />
      </ul>
    </nav>
  );
}

type AdminProps = Props & { className: string | undefined; isRow?: boolean };

/** The bar of the administration: in the place of the other one, or as a row above the page on a phone. */
export function AdminNavigation({ here, className, isRow = false }: AdminProps) {
  return (
    <nav className={className} aria-label={t('Administration')}>
      <ul>
        <li className={styles.backItem}>
          <Link href="/photos" className={styles.navLink}>
            <ArrowLeft size={20} aria-hidden strokeWidth={1.75} />
            <span>{t('Back to the library')}</span>
          </Link>
        </li>
        <NavItems entries={isRow ? [...ADMIN, ...ADVANCED.entries] : ADMIN} here={here} />
      </ul>
      {!isRow && <FoldableGroup group={ADVANCED} here={here} />}
    </nav>
  );
}

/** A group that stays folded or open in this browser; the entry of the current page is shown in any case. */
function FoldableGroup({ group, here }: Props & { group: EntryGroup }) {
  const key = `safelight.folded.${group.id}`;
  const [isFolded, setFolded] = useState(
    () => readFolded(key) ?? (group.isFolded === true && !group.entries.some((e) => e === here)),
  );
  const listId = useId();
  const Items = group.id === PARTNERS ? LimitedNavItems : NavItems;
  const toggle = () => {
    writeStorage(key, isFolded ? 'no' : 'yes');
    setFolded(!isFolded);
  };
  return (
    <section className={styles.navGroup}>
      <button
        className={styles.groupHead}
        aria-expanded={!isFolded}
        aria-controls={listId}
        onClick={toggle}
      >
        <span>{group.label}</span>
        <ChevronDown size={16} aria-hidden />
      </button>
      <ul id={listId}>
        {isFolded ? (
          <NavItems entries={group.entries.filter((entry) => entry === here)} here={here} />
        ) : (
          <Items entries={group.entries} here={here} />
        )}
      </ul>
    </section>
  );
}

/** Returns what somebody chose; `undefined` if nothing. */
const readFolded = (key: string): boolean | undefined =>
  ({ yes: true, no: false })[readStorage(key) ?? ''];

type NavItemsProps = Props & { entries: readonly Entry[]; onChoose?: () => void };

export const NavItems = ({ entries, here, onChoose }: NavItemsProps) =>
  entries.map((entry) => (
    <li key={entry.path}>
      <NavLink entry={entry} isHere={entry.path === here?.path} onChoose={onChoose} />
    </li>
  ));

/** So many partners have a place before the others are asked for. */
const MAX_SHOWN = 5;

/** The first entries and the one of the current page; all of them when asked for. */
export function LimitedNavItems({ entries, here, onChoose }: NavItemsProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = entries.filter((entry, at) => isWhole || at < MAX_SHOWN || entry === here);
  return (
    <>
      <NavItems entries={shown} here={here} {...(onChoose && { onChoose })} />
      {shown.length < entries.length && (
        <li>
          <button className={styles.navLink} onClick={() => setWhole(true)}>
            <Ellipsis size={20} aria-hidden strokeWidth={1.75} />
            <span>{t('Show more')}</span>
          </button>
        </li>
      )}
    </>
  );
}

/** Scrolls the list as far as it must. `scrollIntoView` would have Tab go on from there, past “Skip to content”. */
function showInList(link: HTMLElement): void {
  const list = link.closest('nav');
  if (!list) return;
  const [at, box] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  list.scrollTop += Math.min(0, at.top - box.top) + Math.max(0, at.bottom - box.bottom);
  list.scrollLeft += Math.min(0, at.left - box.left) + Math.max(0, at.right - box.right);
}

type NavLinkProps = { entry: Entry; isHere: boolean; onChoose: (() => void) | undefined };

function NavLink({ entry, isHere, onChoose }: NavLinkProps) {
  const Icon = entry.icon;
  const link = useRef<HTMLAnchorElement>(null);
  // There may be more of them than there is room for.
  useEffect(() => {
    if (isHere && link.current) showInList(link.current);
  }, [isHere]);
  return (
    <Link
      ref={link}
      href={entry.path}
      className={styles.navLink}
      onPointerEnter={() => preloadArea(entry.path)}
      onFocus={() => preloadArea(entry.path)}
      onClick={onChoose}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon size={20} aria-hidden strokeWidth={isHere ? 2.25 : 1.75} />
      <span>{entry.label}</span>
    </Link>
  );
}
