import { Link2 } from 'lucide-react';
import { Empty, Page } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import { fetchLinks } from './link-data.ts';
import { LinkRow } from './link-row.tsx';

/** All that is open to guests. */
export function LinksPage() {
  const { data, error, reload } = useLoad(() => fetchLinks());
  return (
    <Page title="Links">
      {error && <p role="alert">{error}</p>}
      {data?.length === 0 && (
        <Empty
          icon={Link2}
          title="Nothing is shared by link"
          text="Choose photos, or open an album, and share them with people who have no account here."
        />
      )}
      <ul className="people people-list" aria-label="Links">
        {data?.map((link) => (
          <LinkRow key={link.id} link={link} onChange={reload} />
        ))}
      </ul>
    </Page>
  );
}
