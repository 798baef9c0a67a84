import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { FacePicture } from '../../parts/people/face-link.tsx';
import type { Person } from '../../data/people/people-data.ts';
import { IconButton } from '../../ui/elements.tsx';
import { picturedPeopleQuery } from '../../data/search/queries.ts';
import { getLabel } from './chip-labels.ts';
import {
  type Chip,
  toChip,
  type FacetField,
  type Facets,
  type FilterFields,
} from '../../data/search/query.ts';
import styles from '../../parts/results/search.module.css';
import infoPanelStyles from '../../ui/info-panel.module.css';
import { t } from '../../base/i18n.ts';
import { formatNumber } from '../../base/format.ts';

const NAMES: Partial<Record<FacetField, string>> = {
  people: t('People'),
  country: t('Countries'),
  city: t('Places'),
  type: t('Kind'),
  isFavorite: t('Favorites'),
  tags: t('Tags'),
  rating: t('Rating'),
  model: t('Cameras'),
};
const FOLDED_COUNT = 5;

type Props = {
  facets: Facets | undefined;
  filter: FilterFields;
  onChoose: (chip: Chip) => void;
  onClose: () => void;
};

/** The values that results have in common, to narrow them by. */
export function FacetsPanel({ facets, filter, onChoose, onClose }: Props) {
  const { facets: fields, total } = facets ?? { facets: [], total: 0 };
  const groups = fields.map(({ field, values }) => ({
    field,
    values: values
      .filter(({ value, count }) => value !== null && count < total)
      .map((value) => ({ count: value.count, chip: toChip(field, value) }))
      .filter(({ chip }) => !isInFilter(filter, chip)),
  }));
  const people = usePeople(groups.some(({ field }) => field === 'people'));
  return (
    <aside className={styles.facets} aria-label={t('Narrow the results')}>
      <header className={infoPanelStyles.infoHead}>
        <h2>{t('Filters')}</h2>
        <IconButton icon={X} label={t('Close the filters')} onClick={onClose} />
      </header>
      {groups
        .filter(({ values }) => values.length > 0)
        .map(({ field, values }) => (
          <Group
            key={field}
            name={NAMES[field] ?? field}
            values={values}
            people={people}
            onChoose={onChoose}
          />
        ))}
    </aside>
  );
}

/** The results have it all already. */
function isInFilter(filter: FilterFields, { field, value }: Chip): boolean {
  const given = filter[field as keyof FilterFields] as unknown;
  return Array.isArray(given) ? given.includes(value) : given === value;
}

/** Returns the people who have a picture, by their id. */
function usePeople(enabled: boolean): ReadonlyMap<string, Person> {
  const { data } = useQuery({ ...picturedPeopleQuery(), enabled });
  return useMemo(() => new Map(data?.map((person) => [person.id, person])), [data]);
}

const NOBODY = { id: '', thumbnailPath: '' };

type GroupProps = {
  name: string;
  people: ReadonlyMap<string, Person>;
  values: readonly { chip: Chip; count: number }[];
  onChoose: (chip: Chip) => void;
};

function Group({ name, values, people, onChoose }: GroupProps) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? values : values.slice(0, FOLDED_COUNT);
  return (
    <section className={styles.facet} aria-label={name}>
      <h3>{name}</h3>
      <ul className="values">
        {shown.map(({ chip, count }) => (
          <li key={String(chip.value)}>
            <button className="value" onClick={() => onChoose(chip)}>
              {chip.field === 'personIds' && (
                <FacePicture person={people.get(String(chip.value)) ?? NOBODY} />
              )}
              <span>{getLabel(chip)}</span> <small>{formatNumber(count)}</small>
            </button>
          </li>
        ))}
      </ul>
      {values.length > FOLDED_COUNT && (
        <button className={styles.facetMore} onClick={() => setAll(!isAll)}>
          {isAll ? t('Fewer') : t('{count} more', { count: values.length - FOLDED_COUNT })}
        </button>
      )}
    </section>
  );
}
