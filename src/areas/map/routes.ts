import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonBytesResponse } from '../../http/json.ts';
import { jsonListResponse } from '../../http/json-list.ts';
import { GuestQuery, IdParams, stringEnum } from '../../http/schemas.ts';
import { listCell, renderClusters } from './clusters.domain.ts';
import {
  CellQuery,
  ClustersQuery,
  MapAssetsResponseDto,
  MapClustersResponseDto,
  MapTownDto,
  TileParams,
} from './clusters.schemas.ts';
import { listAlbumMarkers, listMarkers, findPlaces } from './domain.ts';
import {
  MapMarkerResponseDto,
  MapReverseGeocodeResponseDto,
  MarkerQuery,
  PlaceQuery,
} from './schemas.ts';
import { createMapStyle, type Theme, THEMES } from './style.ts';
import { listTowns } from './towns.domain.ts';

const Markers = t.Array(MapMarkerResponseDto);
/** Markers come as JSON. */
const toText = (json: string): string => json;
const [light, dark] = THEMES;
const STYLE_FILES = [`${light}.json`, `${dark}.json`] as const;
/** https://maplibre.org/maplibre-style-spec/ */
const MapStyle = t.Record(t.String(), t.Unknown(), { title: 'MapStyle' });

export const mapRoutes = (guard: Guard) =>
  new Elysia({ tags: ['Map'] })
    .use(guard)
    .get(
      '/map/markers',
      ({ ctx, query, request }) => jsonListResponse(request, listMarkers(ctx, query), toText),
      {
        permission: 'map.read',
        cancelOnDisconnect: true,
        query: MarkerQuery,
        response: { 200: Markers },
        detail: { operationId: 'getMapMarkers', summary: 'Where the pictures were taken' },
      },
    )
    .get('/map/reverse-geocode', ({ query }) => findPlaces(query.lat, query.lon), {
      permission: 'map.search',
      query: PlaceQuery,
      response: { 200: t.Array(MapReverseGeocodeResponseDto) },
      detail: { operationId: 'reverseGeocode', summary: 'What a place is called' },
    })
    .get(
      '/albums/:id/map-markers',
      async ({ ctx, params, request }) =>
        jsonListResponse(request, await listAlbumMarkers(ctx, params.id), toText),
      {
        permission: { of: 'album.read', guest: true },
        cancelOnDisconnect: true,
        params: IdParams,
        query: t.Object(GuestQuery),
        response: { 200: Markers },
        detail: { operationId: 'getAlbumMapMarkers', summary: 'Where the pictures were taken' },
      },
    )
    .get(
      '/map/style/:file',
      ({ params, request, set }) => {
        set.headers['cache-control'] = 'no-cache';
        set.headers['vary'] = 'user-agent';
        return createMapStyle(params.file.slice(0, -'.json'.length) as Theme, request);
      },
      {
        open: true,
        params: t.Object({ file: stringEnum(STYLE_FILES) }),
        response: { 200: MapStyle },
        detail: { operationId: 'getMapStyle', summary: 'How clients draw the world' },
      },
    )
    .use(clusterRoutes(guard));

/** For a page that shows a million pictures on one map. */
const clusterRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/map' })
    .use(guard)
    .get(
      '/clusters',
      async ({ ctx, query, request }) =>
        jsonBytesResponse(request, await renderClusters(ctx, query)),
      {
        permission: { of: 'map.read', isRemembered: true },
        cancelOnDisconnect: true,
        query: ClustersQuery,
        response: { 200: MapClustersResponseDto },
        detail: { operationId: 'getMapClusters', summary: 'How many pictures were taken where' },
      },
    )
    .get('/assets', ({ ctx, query }) => listCell(ctx, query), {
      permission: 'map.read',
      query: CellQuery,
      response: { 200: MapAssetsResponseDto },
      detail: { operationId: 'getMapAssets', summary: 'The pictures of a cluster' },
    })
    .get(
      '/towns/:level/:x/:y',
      async ({ params, set }) => {
        set.headers['cache-control'] = 'private, max-age=604800';
        return listTowns(params);
      },
      {
        permission: 'map.read',
        params: TileParams,
        response: { 200: t.Array(MapTownDto) },
        detail: { operationId: 'getMapTowns', summary: 'The largest towns on a tile of the map' },
      },
    );
