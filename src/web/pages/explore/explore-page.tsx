import { useQuery } from '@tanstack/react-query';
import {
  CalendarClock,
  Clapperboard,
  Compass,
  FileText,
  Heart,
  ImageOff,
  MapPin,
  PawPrint,
} from 'lucide-react';
import { Link } from 'wouter';
import type { CityCount } from '../../../areas/search/counts/counts.schemas.ts';
import { formatNumber } from '../../base/format.ts';
import { FaceLink } from '../../parts/people/face-link.tsx';
import type { Person } from '../../data/people/people-data.ts';
import { topPeopleQuery } from '../../data/people/queries.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { type Chip, searchPath } from '../../data/search/query.ts';
import { PhoneSearch } from '../../parts/search/search-box.tsx';
import { Empty, Page } from '../../ui/elements.tsx';
import {
  cityCountsQuery,
  type Example,
  exploreQuery,
  hasDamagedQuery,
} from '../../data/explore/queries.ts';
import styles from './explore.module.css';
import peopleStyles from '../../parts/people/people.module.css';
import { t } from '../../base/i18n.ts';

const FEW_PEOPLE = 12;
const MANY_CITIES = 60;

const toSearchPath = (...chosen: Chip[]) => searchPath({ words: '', chosen });
const cityChip = (city: string): Chip => ({ field: 'city', label: city, value: city });

/** A way into the library without a question: people, places and kinds. */
export function ExplorePage() {
  const people = useQuery(topPeopleQuery(FEW_PEOPLE));
  const explored = useQuery(exploreQuery());
  const cities = useQuery(cityCountsQuery());
  const { data: hasDamaged } = useQuery(hasDamagedQuery());
  const counts = new Map(cities.data?.map(({ city, count }) => [city, count]));
  const pictured =
    explored.data?.find(({ fieldName }) => fieldName === 'exifInfo.city')?.items ?? [];
  const isPictured = new Set(pictured.map(({ value }) => value));
  const others = (cities.data ?? [])
    .filter(({ city }) => !isPictured.has(city))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MANY_CITIES);
  const isEmpty = people.data?.total === 0 && cities.data?.length === 0;
  return (
    <Page title={t('Explore')}>
      <div className={styles.explore}>
        <PhoneSearch />
        <Kinds hasDamaged={hasDamaged} />
        {people.data && people.data.people.length > 0 && <People people={people.data.people} />}
        {(pictured.length > 0 || others.length > 0) && (
          <Places pictured={pictured} others={others} counts={counts} />
        )}
        {isEmpty && (
          <Empty
            icon={Compass}
            title={t('Nothing to explore yet')}
            text={t('People and places appear here as your photos are analyzed.')}
          />
        )}
      </div>
    </Page>
  );
}

/** Items of a kind, by a search or on a page of their own. */
const Kinds = ({ hasDamaged }: { hasDamaged: boolean | undefined }) => (
  <section className={styles.quick} aria-label={t('Kinds')}>
    <Link href="/documents" className="button">
      <FileText size={16} aria-hidden /> {t('Documents')}
    </Link>
    <Link
      href={toSearchPath({ field: 'type', label: t('Videos'), value: 'VIDEO' })}
      className="button"
    >
      <Clapperboard size={16} aria-hidden /> {t('Videos')}
    </Link>
    <Link href="/pets" className="button">
      <PawPrint size={16} aria-hidden /> {t('Pets')}
    </Link>
    <Link
      href={toSearchPath({ field: 'isFavorite', label: t('Favorites'), value: true })}
      className="button"
    >
      <Heart size={16} aria-hidden /> {t('Favorites')}
    </Link>
    <Link href="/missing/date" className="button">
      <CalendarClock size={16} aria-hidden /> {t('Missing dates and places')}
    </Link>
    {hasDamaged && (
      <Link
        href={toSearchPath({ field: 'isDamaged', label: t('Partly damaged'), value: true })}
        className="button"
      >
        <ImageOff size={16} aria-hidden /> {t('Partly damaged')}
      </Link>
    )}
  </section>
);

const People = ({ people }: { people: readonly Person[] }) => (
  <section>
    <header className="row-head">
      <h2>{t('People')}</h2>
      <Link href="/people">{t('See everyone')}</Link>
    </header>
    <ul data-part="face-grid" className={`${peopleStyles.faceGrid} ${peopleStyles.oneRow}`}>
      {people.map((person) => (
        <li key={person.id}>
          <FaceLink person={person} />
        </li>
      ))}
    </ul>
  </section>
);

type PlacesProps = {
  pictured: readonly Example[];
  /** Places without a picture. */
  others: readonly CityCount[];
  /** The number of items by city. */
  counts: ReadonlyMap<string, number>;
};

const Places = ({ pictured, others, counts }: PlacesProps) => (
  <section>
    <header className="row-head">
      <h2>{t('Places')}</h2>
      <Link href="/map">{t('On the map')}</Link>
    </header>
    <ul className={styles.places}>
      {pictured.map(({ value, data }) => (
        <li key={data.id}>
          <Link href={toSearchPath(cityChip(value))} className={styles.place}>
            <img src={getPictureUrl(data.id, 'preview', data.thumbhash)} alt="" loading="lazy" />
            <span>
              {value}
              <small>
                {t('{count, plural, one {# item} other {# items}}', {
                  count: counts.get(value) ?? 0,
                })}
              </small>
            </span>
          </Link>
        </li>
      ))}
    </ul>
    {others.length > 0 && (
      <ul className={`chips ${styles.morePlaces}`}>
        {others.map(({ city, state, country, count }) => (
          <li key={`${city} ${state} ${country}`}>
            <Link href={toSearchPath(cityChip(city))} className="button small">
              <MapPin size={14} aria-hidden /> {city} <small>{formatNumber(count)}</small>
            </Link>
          </li>
        ))}
      </ul>
    )}
  </section>
);
