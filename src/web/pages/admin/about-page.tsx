import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { requireValue } from '../../../core/required.ts';
import type { LicenceList, ServerAbout } from '../../data/types.ts';
import { Failure, Page } from '../../ui/elements.tsx';
import { aboutQuery } from '../../data/settings/queries.ts';
import { licencesQuery } from '../../data/admin/queries.ts';
import { MachineCard } from './machine-card.tsx';
import styles from './about.module.css';
import { t } from '../../base/i18n.ts';

/** The versions of this server, and the licences of the packages that it is made of. */
export function AboutPage() {
  const about = useQuery(aboutQuery());
  const licences = useQuery(licencesQuery());
  const failed = [about, licences].find(({ data, error }) => error && !data);
  return (
    <Page title={t('About')}>
      {failed?.error && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
      {about.data && licences.data && (
        <div className={styles.about}>
          <Versions about={about.data} packages={licences.data.packages} />
          <MachineCard />
          <Licences licences={licences.data} />
        </div>
      )}
    </Page>
  );
}

type VersionsProps = { about: ServerAbout; packages: LicenceList['packages'] };

function Versions({ about, packages }: VersionsProps) {
  const find = (name: string) => packages.find((one) => one.name === name)?.version;
  const versions = [
    ['Safelight', about.build?.replace(/^\D+/, '')],
    [t('Immich API'), about.version],
    ['PostgreSQL', about.postgres],
    ['FFmpeg', about.ffmpeg],
    ['ExifTool', about.exiftool],
    ['libvips', find('libvips')],
    ['Bun', find('Bun')],
  ] as const;
  return (
    <section className="card" aria-labelledby="versions">
      <h2 id="versions">{t('Versions')}</h2>
      <dl className={styles.versions}>
        {versions.map(([name, version]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{version ?? t('not installed')}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Licences({ licences: { packages, texts } }: { licences: LicenceList }) {
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const found = packages.filter(({ name, licence }) =>
    `${name} ${licence}`.toLowerCase().includes(wanted),
  );
  return (
    <section className="card" aria-labelledby="licences">
      <div className="card-head">
        <h2 id="licences">{t('Licenses of the included packages')}</h2>
        <input
          className="find-input"
          type="search"
          aria-label={t('Search the packages')}
          placeholder={t('Search')}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      </div>
      <p className="muted" role="status">
        {t('{count, plural, one {# package} other {# packages}}', { count: found.length })}
      </p>
      <ul className={styles.packages}>
        {found.map(({ name, version, licence, text }) => (
          <li key={`${name} ${version}`}>
            <Package
              title={`${name} ${version}`}
              licence={licence}
              text={requireValue(texts[text], 'text of the licence')}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Package({ title, licence, text }: { title: string; licence: string; text: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} <span className={styles.licence}>{licence}</span>
      </summary>
      {isOpen && <pre>{text}</pre>}
    </details>
  );
}
