import { useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { Empty, Page } from '../../ui/elements.tsx';
import { LinkRow } from '../../parts/links/link-row.tsx';
import { linksQuery } from '../../data/links/queries.ts';
import { t } from '../../base/i18n.ts';

/** Every link by which guests see photos of this account. */
export function LinksPage() {
  const { data, error } = useQuery(linksQuery());
  return (
    <Page title={t('Links')}>
      {error && <p role="alert">{error.message}</p>}
      {data?.length === 0 && (
        <Empty
          icon={Link2}
          title={t('Nothing is shared by link')}
          text={t(
            'Choose photos, or open an album, and share them with people who have no account here.',
          )}
        />
      )}
      <ul className="people people-list" aria-label={t('Links')}>
        {data?.map((link) => (
          <LinkRow key={link.id} link={link} />
        ))}
      </ul>
    </Page>
  );
}
