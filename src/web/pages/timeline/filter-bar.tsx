import { queryOptions, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { get } from '../../base/api.ts';
import { topPeopleQuery } from '../../data/people/queries.ts';
import { keys } from '../../data/query-keys.ts';
import { IconButton } from '../../ui/elements.tsx';
import type { PhotoFilter } from './photo-filter.ts';
import styles from './filter-bar.module.css';
import { t } from '../../base/i18n.ts';

const MOST_PEOPLE = 100;

const camerasQuery = () =>
  queryOptions({
    queryKey: [...keys.search, 'cameras'],
    queryFn: () => get<(string | null)[]>('/search/suggestions', { type: 'camera-model' }),
  });

type Props = { filter: PhotoFilter; onChange: (filter: PhotoFilter) => void; onClose: () => void };

/** Narrows the timeline of photos. */
export function FilterBar({ filter, onChange, onClose }: Props) {
  const { data: cameras } = useQuery(camerasQuery());
  const { data: top } = useQuery(topPeopleQuery(MOST_PEOPLE));
  const people = top?.people.filter(({ name }) => name !== '') ?? [];
  return (
    <div className={styles.bar} role="group" aria-label={t('Filters')} data-part="filter-bar">
      <Toggle
        label={t('Photos')}
        isOn={filter.type === 'IMAGE'}
        onChange={(isOn) => onChange({ ...filter, type: isOn ? 'IMAGE' : undefined })}
      />
      <Toggle
        label={t('Videos')}
        isOn={filter.type === 'VIDEO'}
        onChange={(isOn) => onChange({ ...filter, type: isOn ? 'VIDEO' : undefined })}
      />
      <Toggle
        label={t('Favorites')}
        isOn={filter.isFavorite === true}
        onChange={(isOn) => onChange({ ...filter, isFavorite: isOn || undefined })}
      />
      <Toggle
        label={t('Recently added')}
        isOn={filter.isByUpload === true}
        onChange={(isOn) => onChange({ ...filter, isByUpload: isOn || undefined })}
      />
      <Choice
        label={t('All cameras')}
        value={filter.model}
        options={(cameras ?? []).flatMap((name) => (name ? [{ value: name, name }] : []))}
        onChange={(model) => onChange({ ...filter, model })}
      />
      <Choice
        label={t('All people')}
        value={filter.personId}
        options={people.map(({ id, name }) => ({ value: id, name }))}
        onChange={(personId) => onChange({ ...filter, personId })}
      />
      <IconButton icon={X} label={t('Remove the filters')} onClick={onClose} />
    </div>
  );
}

type ToggleProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void };

const Toggle = ({ label, isOn, onChange }: ToggleProps) => (
  <button className={styles.toggle} aria-pressed={isOn} onClick={() => onChange(!isOn)}>
    {label}
  </button>
);

type ChoiceProps = {
  /** The name of the choice, and of all. */
  label: string;
  value: string | undefined;
  options: readonly { value: string; name: string }[];
  onChange: (value: string | undefined) => void;
};

/** Not shown where there is nothing to choose. */
function Choice({ label, value, options, onChange }: ChoiceProps) {
  if (options.length === 0 && value === undefined) return null;
  const isListed = options.some((option) => option.value === value);
  return (
    <select
      className={styles.choice}
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{label}</option>
      {value !== undefined && !isListed && <option value={value}>…</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ))}
    </select>
  );
}
