import {
  Archive,
  Cake,
  CalendarDays,
  CalendarRange,
  Camera,
  ChevronDown,
  GalleryVerticalEnd,
  Heart,
  Image,
  type LucideIcon,
  MapPin,
  PawPrint,
  Pencil,
  Star,
  Tag,
  TextSearch,
  Timer,
  User,
  X,
} from 'lucide-react';
import { useState } from 'react';
import { getLabel, isExcluding } from './chip-labels.ts';
import { ChipDialog } from './chip-dialog.tsx';
import {
  type Chip,
  withChip,
  removeWords,
  type Interpretation,
  isOfAnyYear,
  isReplaced,
  type Query,
  replaceText,
  withoutChip,
  type WordChip,
} from '../../data/search/query.ts';
import styles from '../../parts/results/search.module.css';
import { t } from '../../base/i18n.ts';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  personIds: User,
  petIds: PawPrint,
  city: MapPin,
  state: MapPin,
  country: MapPin,
  albumIds: GalleryVerticalEnd,
  birthday: Cake,
  captureTypes: Camera,
  duration: Timer,
  isEdited: Pencil,
  isOwn: User,
  takenAt: CalendarDays,
  takenOn: CalendarDays,
  year: CalendarRange,
  make: Camera,
  model: Camera,
  lensModel: Camera,
  ocr: TextSearch,
  type: Image,
  isFavorite: Heart,
  rating: Star,
  tagIds: Tag,
  visibility: Archive,
  text: TextSearch,
};
/** Fields that are either set or not: their chips can be removed, not changed. */
const FIXED = new Set([
  'albumIds',
  'birthday',
  'captureTypes',
  'duration',
  'isEdited',
  'isFavorite',
  'isMotion',
  'isNotInAlbum',
  'isOwn',
  'ocr',
  'petIds',
  'takenOn',
  'visibility',
]);
const isFixed = (chip: Chip): boolean => FIXED.has(chip.field) || isExcluding(chip);

type Props = { query: Query; read: Interpretation; onChange: (query: Query) => void };
/** A chip with what it takes to be without it; without its button to remove it where there is nothing to remove. */
type Shown = { chip: Chip; without: () => Query; isChoice?: boolean };

/** The conditions of the search as chips, which can be changed or removed. */
export function Chips({ query, read, onChange }: Props) {
  const [changing, change] = useState<Shown>();
  const shown = shownChips(query, read);
  if (shown.length === 0) return null;
  const isAnnual = read.chips.some(({ field }) => field === 'takenOn');
  return (
    <ul className="chips" aria-label={t('Understood as')}>
      {shown.map((one) => {
        const { chip, without, isChoice } = one;
        const Icon = ICONS[chip.field] ?? Tag;
        const label = getLabel(chip);
        return (
          <li key={`${chip.field} ${label}`} className="chip">
            {isFixed(chip) ? (
              <span className={styles.chipName}>
                <Icon size={15} aria-hidden /> {label}
              </span>
            ) : (
              <button
                className={styles.chipName}
                aria-label={t('Change {label}', { label })}
                onClick={() => change(one)}
              >
                <Icon size={15} aria-hidden /> {label}
              </button>
            )}
            {isChoice ? (
              <ChevronDown className={styles.chipOff} size={14} aria-hidden />
            ) : (
              <button
                className={styles.chipOff}
                aria-label={t('Remove {label}', { label })}
                onClick={() => onChange(without())}
              >
                <X size={14} aria-hidden />
              </button>
            )}
          </li>
        );
      })}
      {changing && (
        <ChipDialog
          chip={changing.chip}
          rest={changing.without()}
          hasYears={isAnnual && isYear(changing.chip)}
          onClose={() => change(undefined)}
          onChoose={(chip) => {
            change(undefined);
            if (!chip) return onChange(changing.without());
            onChange(
              chip.field === 'text'
                ? { ...query, words: replaceText(read, String(chip.value)) }
                : withChip(changing.without(), chip),
            );
          }}
        />
      )}
    </ul>
  );
}

const ANY_YEAR: Chip = { field: 'year', label: '', value: null };

/** Returns whether a chip is of any year, or of one. */
const isYear = ({ field, label }: Chip): boolean =>
  field === 'year' || (field === 'takenAt' && /^\d{4}$/.test(label));

function shownChips(query: Query, read: Interpretation): Shown[] {
  const fromWords = read.chips
    .filter((chip) => !isReplaced(chip, query.chosen))
    .map((chip: WordChip) => ({
      chip,
      without: () => ({ ...query, words: removeWords(query.words, chip) }),
    }));
  const chosen = query.chosen.map((chip) => ({ chip, without: () => withoutChip(query, chip) }));
  const text: Shown[] =
    read.text === null
      ? []
      : [
          {
            chip: { field: 'text', label: `“${read.text}”`, value: read.text },
            without: () => ({ ...query, words: replaceText(read, '') }),
          },
        ];
  const year: Shown[] = isOfAnyYear(read, query.chosen)
    ? [{ chip: ANY_YEAR, without: () => query, isChoice: true }]
    : [];
  return [...fromWords, ...year, ...chosen, ...text];
}
