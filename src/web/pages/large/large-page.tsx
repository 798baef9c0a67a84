import { useQuery } from '@tanstack/react-query';
import { HardDrive } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { LARGE_BYTES } from '../../../core/large-files.ts';
import { post } from '../../base/api.ts';
import { FileButtons } from '../../parts/failed/file-buttons.tsx';
import { formatBytes, formatInstant } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { keys } from '../../data/query-keys.ts';
import type { Asset } from '../../data/types.ts';
import { Empty, Failure, Page } from '../../ui/elements.tsx';
import albumsStyles from '../../ui/collections.module.css';
import linksStyles from '../../parts/links/links.module.css';

const SHOWN = 250;

/** The largest uploads of the account, to keep, download or delete. */
export function LargePage() {
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.results, 'large'],
    queryFn: () =>
      post<Asset[]>(
        `/search/large-assets?minFileSize=${LARGE_BYTES}&size=${SHOWN}&libraryId=null&withExif=true`,
      ),
  });
  useEffect(() => {
    document.title = `${t('Large files')} · Safelight`;
  }, []);
  return (
    <Page title={t('Large files')}>
      <p className="muted">
        {t('Your files of {size} and more, the largest first.', {
          size: formatBytes(LARGE_BYTES),
        })}
      </p>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty
          icon={HardDrive}
          title={t('No large files')}
          text={t('None of your files takes much space.')}
        />
      )}
      <ul className="people people-list" aria-label={t('Large files')}>
        {data?.map((asset) => (
          <LargeRow key={asset.id} asset={asset} />
        ))}
      </ul>
    </Page>
  );
}

function LargeRow({ asset: { id, originalFileName: name, exifInfo, fileCreatedAt } }: RowProps) {
  const notes = [formatBytes(exifInfo?.fileSizeInByte ?? 0), formatInstant(fileCreatedAt)];
  return (
    <li>
      <span className={`${albumsStyles.cover} ${linksStyles.linkCover}`}>
        <img
          src={getPictureUrl(id, 'thumbnail')}
          alt=""
          loading="lazy"
          onError={(event) => (event.currentTarget.hidden = true)}
        />
      </span>
      <span className="person-name">
        <Link href={`/photos/${id}`}>{name}</Link>
        <small>{notes.join(' · ')}</small>
      </span>
      <FileButtons id={id} name={name} />
    </li>
  );
}

type RowProps = { asset: Asset };
