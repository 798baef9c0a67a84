import { useQuery } from '@tanstack/react-query';
import { MapPinned } from 'lucide-react';
import { Link } from 'wouter';
import { albumPlacesQuery } from '../../data/albums/queries.ts';
import { t } from '../../base/i18n.ts';

/** Leads to the map of the album, if any of its photos has a place. */
export function MapLink({ albumId }: { albumId: string }) {
  const { data: isShown } = useQuery(albumPlacesQuery(albumId));
  if (!isShown) return null;
  return (
    <Link
      href={`/map?${new URLSearchParams({ album: albumId })}`}
      className="icon-button"
      aria-label={t('Map of the album')}
      title={t('Map of the album')}
    >
      <MapPinned size={20} aria-hidden />
    </Link>
  );
}
