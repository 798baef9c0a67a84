import { queryOptions, useQuery } from '@tanstack/react-query';
import { usePollingWhileOffline } from '../live-invalidation.ts';
import { keys } from '../query-keys.ts';
import {
  fetchAccounts,
  fetchAlbum,
  fetchAlbumPeople,
  fetchAlbums,
  fetchAlbumsWith,
  hasPlaces,
} from './album-data.ts';

const ALBUM_MS = 5000;
const ALBUMS_MS = 10_000;

export const albumsQuery = () =>
  queryOptions({ queryKey: [...keys.albums, 'list'], queryFn: fetchAlbums });

export const albumQuery = (id: string) =>
  queryOptions({ queryKey: [...keys.albums, 'album', id], queryFn: () => fetchAlbum(id) });

export const albumPeopleQuery = (id: string) =>
  queryOptions({ queryKey: [...keys.albums, 'people', id], queryFn: () => fetchAlbumPeople(id) });

export const albumPlacesQuery = (id: string) =>
  queryOptions({ queryKey: [...keys.albums, 'has-places', id], queryFn: () => hasPlaces(id) });

/** The albums of the account, own and shared, that contain a photo. */
export const albumsWithQuery = (assetId: string) =>
  queryOptions({
    queryKey: [...keys.albums, 'with', assetId],
    queryFn: () => fetchAlbumsWith(assetId),
  });

/** Everybody with an account on this server. */
export const accountsQuery = () =>
  queryOptions({ queryKey: [...keys.users, 'accounts'], queryFn: fetchAccounts });

export const useAlbums = () =>
  useQuery({ ...albumsQuery(), refetchInterval: usePollingWhileOffline(ALBUMS_MS) });

export const useAlbum = (id: string) =>
  useQuery({ ...albumQuery(id), refetchInterval: usePollingWhileOffline(ALBUM_MS) });
