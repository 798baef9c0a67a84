import { t } from 'elysia';
import { InputTimestamp, QueryFlag, Uuid } from '../../http/schemas.ts';

const Text = t.Nullable(t.String());

export const MapMarkerResponseDto = t.Object(
  { id: Uuid, lat: t.Number(), lon: t.Number(), city: Text, state: Text, country: Text },
  { title: 'MapMarkerResponseDto' },
);

export const MARKER_FILTER = {
  fileCreatedAfter: t.Optional(InputTimestamp),
  fileCreatedBefore: t.Optional(InputTimestamp),
  /** Include archived assets. */
  isArchived: QueryFlag,
  isFavorite: QueryFlag,
  withPartners: QueryFlag,
  withSharedAlbums: QueryFlag,
};
export const MarkerQuery = t.Object(MARKER_FILTER);
export type MarkerFilter = typeof MarkerQuery.static;

const Degrees = (maximum: number) => t.Number({ minimum: -maximum, maximum });
export const PlaceQuery = t.Object({ lat: Degrees(90), lon: Degrees(180) });

export const MapReverseGeocodeResponseDto = t.Object(
  { city: Text, state: Text, country: Text },
  { title: 'MapReverseGeocodeResponseDto' },
);
export type NamedPlace = typeof MapReverseGeocodeResponseDto.static;
