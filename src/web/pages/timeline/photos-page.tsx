import { Images, ListFilter, SearchX } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { lazyComponent } from '../../ui/lazy.tsx';
import { MemoryRow, useIsRowSettled } from '../../parts/memories/row.tsx';
import { Empty, IconButton } from '../../ui/elements.tsx';
import { PhoneAppButton } from '../../parts/setup/phone-app-button.tsx';
import { UploadButton } from '../../parts/uploads/drop.tsx';
import {
  type PhotoFilter,
  readPhotoFilter,
  toTimelineFilter,
  writePhotoFilter,
} from './photo-filter.ts';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import { TimelineView } from '../../parts/timeline/timeline-view.tsx';
import { t } from '../../base/i18n.ts';

const FilterBar = lazyComponent(() =>
  import('./filter-bar.tsx').then((module) => module.FilterBar),
);

/** The timeline of all photos, which its address may narrow. */
export function PhotosPage({ photoId }: { photoId: string | undefined }) {
  const [, navigate] = useLocation();
  const search = writePhotoFilter(readPhotoFilter(useSearch()));
  const filter = readPhotoFilter(search);
  const [isOpen, setOpen] = useState(false);
  const isFiltered = search !== '';
  const isSettled = useIsRowSettled();
  const change = (next: PhotoFilter) =>
    navigate(`/photos${writePhotoFilter(next)}`, { replace: true });
  return (
    <TimelineView
      timeline={getTimeline(toTimelineFilter(filter))}
      title={filter.isByUpload ? t('Recently added') : t('Photos')}
      base="/photos"
      search={search}
      photoId={photoId}
      isSettled={isSettled || isFiltered}
      head={
        <>
          {!isFiltered && <MemoryRow />}
          {(isOpen || isFiltered) && (
            <FilterBar
              filter={filter}
              onChange={change}
              onClose={() => {
                setOpen(false);
                change({});
              }}
            />
          )}
        </>
      }
      tools={
        <IconButton
          icon={ListFilter}
          label={t('Filters')}
          aria-expanded={isOpen || isFiltered}
          onClick={() => {
            setOpen(!isOpen && !isFiltered);
            if (isFiltered) change({});
          }}
        />
      }
      empty={
        isFiltered ? (
          <Empty
            icon={SearchX}
            title={t('No photos match the filters')}
            text={t('Remove a filter to see more.')}
          />
        ) : (
          <Empty
            icon={Images}
            title={t('No photos yet')}
            text={t('Drop photos, videos or whole folders anywhere on this page.')}
          >
            <UploadButton />
            <PhoneAppButton />
            <Link className="button" href="/move-in">
              {t('Move in from Immich')}
            </Link>
          </Empty>
        )
      }
    />
  );
}
