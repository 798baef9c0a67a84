import { useQuery } from '@tanstack/react-query';
import {
  CalendarDays,
  Camera,
  FolderPlus,
  GalleryVerticalEnd,
  ImageUp,
  LogOut,
  type LucideIcon,
  MapPin,
  Moon,
  PawPrint,
  ScanSearch,
  Search,
  Sun,
  SunMoon,
  Tag,
  User,
} from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import type { SearchCompletion } from '../../areas/search/completions/completions.schemas.ts';
import { createAlbum } from '../data/albums/album-data.ts';
import { FacePicture } from '../parts/people/face-link.tsx';
import { searchPath } from '../data/search/query.ts';
import { logOut } from '../data/session/session.ts';
import { chooseTheme } from '../base/theme.ts';
import { attempt } from '../ui/toast.tsx';
import { pickFiles } from '../parts/uploads/pick-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { toKeyName } from '../ui/keys.ts';
import { useDebounced } from '../ui/use-debounced.ts';
import { type Entry, listEntries } from './entries.ts';
import { filterByText, namesQuery, toNamePath } from '../data/search/names.ts';
import { usePartnerEntries } from './partner-entries.ts';
import styles from './palette.module.css';
import { t } from '../base/i18n.ts';

type Command = {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly icon: LucideIcon;
  readonly person?: SearchCompletion['person'];
  /** The keys that do the same. */
  readonly keys?: string;
  readonly run: () => void;
};

type Props = { isAdmin: boolean; onClose: () => void };

/** Opens a page, a name of the library or an action by a few letters. */
export function Palette({ isAdmin, onClose }: Props) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  const commands = useCommands(text, isAdmin);
  const chosen = Math.min(at, commands.length - 1);
  const choose = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const count = commands.length;
    if (toKeyName(event) === 'Ctrl+k') onClose();
    else if (event.key === 'ArrowDown') setAt((chosen + 1) % count);
    else if (event.key === 'ArrowUp') setAt((chosen + count - 1) % count);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) choose(commands[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t('Go to')} onClose={onClose}>
      <input
        // The browser's dialog takes the focus there.
        ref={(node) => node?.setAttribute('autofocus', '')}
        className={styles.line}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={commands.length > 0}
        aria-controls={listId}
        aria-activedescendant={commands.length > 0 ? `${listId}-${chosen}` : undefined}
        aria-label={t('Pages, people, albums, tags and actions')}
        placeholder={t('Pages, people, albums, tags and actions')}
        autoComplete="off"
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul id={listId} role="listbox" aria-label={t('Suggestions')} className={styles.list}>
        {commands.map((command, index) => (
          <li
            key={command.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            ref={(node) => {
              if (index === chosen) node?.scrollIntoView({ block: 'nearest' });
            }}
            // The focus stays in the line.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(command)}
          >
            <CommandIcon command={command} />
            <span>{command.label}</span>
            <small>{command.kind}</small>
            {command.keys && <kbd aria-hidden>{command.keys}</kbd>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

const CommandIcon = ({ command: { icon: Icon, person } }: { command: Command }) =>
  person ? <FacePicture person={person} /> : <Icon size={18} aria-hidden />;

/** Time that nobody types in, before names are asked for. */
const PAUSE_MS = 120;

function useCommands(text: string, isAdmin: boolean): readonly Command[] {
  const [, navigate] = useLocation();
  const typed = text.trim();
  const { data: names = [] } = useQuery(namesQuery(useDebounced(typed, PAUSE_MS)));
  const open = (path: string) => () => navigate(path);
  const toCommand =
    (kind: string) =>
    ({ path, label, icon, key }: Entry): Command => ({
      id: path,
      label,
      icon,
      kind,
      run: open(path),
      ...(key && { keys: `g ${key}` }),
    });
  const pages = listEntries(isAdmin).map(toCommand(t('Page')));
  const partners = usePartnerEntries().map(toCommand(t('shares with you')));
  const known = filterByText([...pages, ...partners, ...ACTIONS], typed);
  if (typed === '') return known;
  const named = names.map((name): Command => ({
    id: `${name.kind} ${name.id ?? name.label}`,
    label: name.label,
    icon: ICONS[name.kind],
    kind: KINDS[name.kind],
    run: open(toNamePath(name)),
    ...(name.person && { person: name.person }),
  }));
  const search: Command = {
    id: 'search',
    label: t('Search for “{words}”', { words: typed }),
    icon: Search,
    kind: t('Action'),
    run: open(searchPath({ words: typed, chosen: [] })),
  };
  const create: Command = {
    id: 'album',
    label: t('Create the album “{name}”', { name: typed }),
    icon: FolderPlus,
    kind: t('Action'),
    run: () => void attempt(async () => navigate(`/albums/${(await createAlbum(typed)).id}`)),
  };
  return [...known, ...named, search, create];
}

const ICONS: Readonly<Record<SearchCompletion['kind'], LucideIcon>> = {
  person: User,
  pet: PawPrint,
  album: GalleryVerticalEnd,
  place: MapPin,
  tag: Tag,
  label: ScanSearch,
  camera: Camera,
  date: CalendarDays,
};
const KINDS: Readonly<Record<SearchCompletion['kind'], string>> = {
  person: t('Person'),
  pet: t('Pet'),
  album: t('Album'),
  place: t('Place'),
  tag: t('Tag'),
  label: t('Seen in the picture'),
  camera: t('Camera'),
  date: t('Date'),
};

const ACTIONS: readonly Command[] = [
  {
    id: 'upload',
    label: t('Upload photos and videos'),
    icon: ImageUp,
    kind: t('Action'),
    run: pickFiles,
  },
  {
    id: 'light',
    label: t('Appearance: light'),
    icon: Sun,
    kind: t('Action'),
    run: () => chooseTheme('light'),
  },
  {
    id: 'dark',
    label: t('Appearance: dark'),
    icon: Moon,
    kind: t('Action'),
    run: () => chooseTheme('dark'),
  },
  {
    id: 'system',
    label: t('Appearance: match system'),
    icon: SunMoon,
    kind: t('Action'),
    run: () => chooseTheme('system'),
  },
  {
    id: 'log-out',
    label: t('Log out'),
    icon: LogOut,
    kind: t('Action'),
    run: () => void logOut(),
  },
];
