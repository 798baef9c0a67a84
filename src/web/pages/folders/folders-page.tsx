import { useQuery } from '@tanstack/react-query';
import { Folder as FolderIcon, FolderOpen } from 'lucide-react';
import { Fragment, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ResultsView } from '../../parts/results/results-view.tsx';
import { useStore } from '../../base/store.ts';
import { Empty, Page } from '../../ui/elements.tsx';
import { FolderTree } from './folder-tree.tsx';
import {
  createFolderItems,
  folderCountsQuery,
  foldersQuery,
  getFolderHref,
} from '../../data/folders/queries.ts';
import {
  findFolder,
  type Folder,
  getFolderName,
  listAncestors,
  sumCounts,
  toTree,
} from './tree.ts';
import styles from './folders.module.css';
import { t } from '../../base/i18n.ts';

/** The own items by the folders that their files are in. */
export function FoldersPage({ photoId }: { photoId: string | undefined }) {
  const search = useSearch();
  const [, navigate] = useLocation();
  const path = useMemo(() => new URLSearchParams(search).get('path') ?? undefined, [search]);
  const { data: paths, error } = useQuery(foldersQuery());
  const tree = useMemo(() => toTree(paths ?? []), [paths]);
  const { data: counts } = useQuery(folderCountsQuery());
  const sums = useMemo(() => sumCounts(counts ?? []), [counts]);
  if (!paths || paths.length === 0) {
    return (
      <Page title={t('Folders')}>
        {error && <p role="alert">{error.message}</p>}
        {paths && (
          <Empty
            icon={FolderIcon}
            title={t('No folders yet')}
            text={t('Photos appear here by the folders of their files.')}
          />
        )}
      </Page>
    );
  }
  return (
    <div className={path === undefined ? styles.folders : `${styles.folders} ${styles.withChosen}`}>
      <div className={styles.side}>
        {path === undefined && <h1>{t('Folders')}</h1>}
        <FolderTree
          tree={tree}
          counts={sums}
          chosen={path}
          onChoose={(chosen) => navigate(getFolderHref(chosen))}
        />
      </div>
      <div className={styles.items}>
        {path === undefined ? (
          <Empty
            icon={FolderOpen}
            title={t('Choose a folder')}
            text={t('Photos appear here by the folders of their files.')}
          />
        ) : (
          <FolderItems key={path} path={path} folder={findFolder(tree, path)} photoId={photoId} />
        )}
      </div>
    </div>
  );
}

type Props = { path: string; folder: Folder | undefined; photoId: string | undefined };

function FolderItems({ path, folder, photoId }: Props) {
  const [, navigate] = useLocation();
  const items = useMemo(() => createFolderItems(path), [path]);
  const count = useStore(items.state, ({ months }) => months[0]?.count ?? 0);
  const name = getFolderName(path);
  const below = folder?.children ?? [];
  return (
    <ResultsView
      results={items}
      title={name}
      note={<h3>{t('{count, plural, one {# item} other {# items}}', { count })}</h3>}
      photoId={photoId}
      toHref={(id) => getFolderHref(path, id)}
      navigate={navigate}
      head={
        <header className="view-head">
          <nav className={styles.crumbs} aria-label={t('Folders above')}>
            <Link href={getFolderHref()}>{t('Folders')}</Link>
            {listAncestors(path)
              .slice(0, -1)
              .map((above) => (
                <Fragment key={above}>
                  <span aria-hidden>/</span>
                  <Link href={getFolderHref(above)}>{getFolderName(above)}</Link>
                </Fragment>
              ))}
          </nav>
          <h2>{name}</h2>
          {below.length > 0 && (
            <ul className="chips" aria-label={t('Folders below')}>
              {below.map((child) => (
                <li key={child.path}>
                  <Link href={getFolderHref(child.path)} className="chip">
                    <FolderIcon size={16} aria-hidden /> {child.name}
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </header>
      }
      empty={
        <Empty
          icon={FolderOpen}
          title={t('No photos in this folder')}
          text={
            below.length > 0
              ? t('They are in the folders below it.')
              : t('Its files may have been moved or deleted.')
          }
        />
      }
    />
  );
}
