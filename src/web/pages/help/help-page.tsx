import { ArrowLeft, CircleHelp } from 'lucide-react';
import { type MouseEvent, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { Empty, Page } from '../../ui/elements.tsx';
import { t } from '../../base/i18n.ts';
import { documents } from './documents.ts';
import styles from './help.module.css';

/** A page of the documentation; without a name the list of all. */
export function HelpPage({ name = '' }: { name: string | undefined }) {
  const [, navigate] = useLocation();
  const document = Object.hasOwn(documents, name) ? documents[name] : undefined;
  useEffect(() => {
    const id = decodeURIComponent(location.hash.slice(1));
    if (id) globalThis.document.getElementById(id)?.scrollIntoView();
    else globalThis.scrollTo({ top: 0 });
  }, [name]);

  /** Follows links to other pages of the documentation without loading the page anew. */
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a');
    const isPlain =
      event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!isPlain || link?.origin !== location.origin || !link.pathname.startsWith('/help')) return;
    event.preventDefault();
    navigate(link.pathname + link.hash);
    globalThis.document.getElementById(link.hash.slice(1))?.scrollIntoView();
  };

  if (!document) {
    return (
      <Page title={t('Help')}>
        <Empty icon={CircleHelp} title={t('There is no such page')} text="">
          <Link href="/help">{t('All pages')}</Link>
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={name === '' ? t('Help') : document.title}>
      {name !== '' && (
        <Link href="/help" className={styles.back}>
          <ArrowLeft size={16} aria-hidden /> {t('All pages')}
        </Link>
      )}
      <article
        className={styles.document}
        lang="en"
        onClick={follow}
        // Rendered where the page was built, from files of this program.
        dangerouslySetInnerHTML={{ __html: document.html }}
      />
    </Page>
  );
}
