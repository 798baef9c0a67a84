import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatCount, formatShortDay } from '../format.ts';
import { getPictureUrl } from '../pictures.ts';
import { Empty, Page } from '../ui/parts.tsx';
import type { DocumentSummary } from './document-data.ts';
import { documentsQuery } from './queries.ts';
import styles from './documents.module.css';

/** Photos that show text, found by their words. */
export function DocumentsPage() {
  const [part, setPart] = useState('');
  const [page, setPage] = useState(1);
  const words = part.trim();
  const { data, error } = useQuery(documentsQuery(words, page));
  const actions = (
    <input
      className="find-input"
      aria-label="Find in documents"
      placeholder="Find in documents"
      maxLength={200}
      value={part}
      onChange={(event) => {
        setPart(event.target.value);
        setPage(1);
      }}
    />
  );
  return (
    <Page title="Documents" actions={actions}>
      {error && <p role="alert">{error.message}</p>}
      {data?.items.length === 0 && (
        <Empty
          icon={FileText}
          title={words ? 'Nothing found' : 'No documents yet'}
          text={
            words
              ? 'No photo shows these words.'
              : 'Photos with text on them appear here once it has been read.'
          }
        />
      )}
      <ul className={styles.documents}>
        {data?.items.map((item) => (
          <li key={item.id}>
            <DocumentCard item={item} />
          </li>
        ))}
      </ul>
      {data && (page > 1 || data.hasNextPage) && (
        <nav className="dialog-actions" aria-label="Pages">
          {page > 1 && (
            <button className="button" onClick={() => setPage(page - 1)}>
              Newer
            </button>
          )}
          {data.hasNextPage && (
            <button className="button" onClick={() => setPage(page + 1)}>
              Older
            </button>
          )}
        </nav>
      )}
    </Page>
  );
}

function DocumentCard({ item }: { item: DocumentSummary }) {
  const notes = [
    formatShortDay(new Date(item.localDateTime)),
    formatCount(item.lineCount, 'line'),
    item.hasCorrections ? 'corrected' : '',
  ];
  return (
    <Link href={`/documents/${item.id}`} data-part="document-card" className={styles.documentCard}>
      <img src={getPictureUrl(item.id, 'thumbnail', item.thumbhash)} alt="" loading="lazy" />
      <span>
        <b>{item.originalFileName}</b>
        <span className={styles.documentSnippet}>{item.snippet}</span>
        <small>{notes.filter(Boolean).join(' · ')}</small>
      </span>
    </Link>
  );
}
