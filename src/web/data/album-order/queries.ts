import { queryOptions } from '@tanstack/react-query';
import type { AlbumItems, AlbumOrder } from '../../../areas/album-order/schemas.ts';
import { get, post, put } from '../../base/api.ts';
import { mutate, queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';

/** Whether an album is shown by date or by hand. */
export const albumOrderQuery = (albumId: string) =>
  queryOptions({
    queryKey: [...keys.albums, 'order', albumId],
    queryFn: () => get<AlbumOrder>(`/albums/${albumId}/order`),
  });

export const fetchItems = (albumId: string, cursor: string | undefined, size: number) =>
  get<AlbumItems>(`/albums/${albumId}/items`, { size, cursor });

export const setOrder = (albumId: string, order: AlbumOrder['order']): Promise<AlbumOrder> =>
  mutate(
    async () => {
      const changed = await put<AlbumOrder>(`/albums/${albumId}/order`, { order });
      // Before the album is read again: items by hand that are still shown would be asked for once more.
      cacheOrder(albumId, changed);
      return changed;
    },
    { invalidates: [keys.albums] },
  );

export type Side = 'before' | 'after';
/** Items in the order that they get beside another one. */
export type Move = {
  readonly ids: readonly string[];
  readonly side: Side;
  readonly target: string;
};

export const moveItems = (albumId: string, { ids, side, target }: Move): Promise<AlbumOrder> =>
  post(`/albums/${albumId}/items/move`, { assetIds: ids, [side]: target });

export const getCachedOrder = (albumId: string): AlbumOrder | undefined =>
  queryClient.getQueryData(albumOrderQuery(albumId).queryKey);
export const cacheOrder = (albumId: string, order: AlbumOrder): void =>
  void queryClient.setQueryData(albumOrderQuery(albumId).queryKey, order);
