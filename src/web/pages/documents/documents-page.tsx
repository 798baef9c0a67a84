import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatShortDay } from '../../base/format.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { Empty, Page } from '../../ui/elements.tsx';
import type { DocumentSummary } from '../../data/documents/document-data.ts';
import { documentsQuery } from '../../data/documents/queries.ts';
import styles from './documents.module.css';
import { t } from '../../base/i18n.ts';

/** Photos that show text, found by their words. */
export function DocumentsPage() {
  const [part, setPart] = useState('');
  const [page, setPage] = useState(1);
  const words = part.trim();
  const { data, error } = useQuery(documentsQuery(words, page));
  const actions = (
    <input
      className="find-input"
      aria-label={t('Find in documents')}
      placeholder={t('Find in documents')}
      maxLength={200}
      value={part}
      onChange={(event) => {
        setPart(event.target.value);
        setPage(1);
      }}
    />
  );
  return (
    <Page title={t('Documents')} actions={actions}>
      {error && <p role="alert">{error.message}</p>}
      {data?.items.length === 0 && (
        <Empty
          icon={FileText}
          title={words ? t('Nothing found') : t('No documents yet')}
          text={
            words
              ? t('No photo shows these words.')
              : t('Photos with text on them appear here once it has been read.')
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
        <nav className="dialog-actions" aria-label={t('Pages')}>
          {page > 1 && (
            <button className="button" onClick={() => setPage(page - 1)}>
              {t('Newer')}
            </button>
          )}
          {data.hasNextPage && (
            <button className="button" onClick={() => setPage(page + 1)}>
              {t('Older')}
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
    t('{lineCount, plural, one {# line} other {# lines}}', { lineCount: item.lineCount }),
    item.hasCorrections ? t('corrected') : '',
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
