import { get } from '../../base/api.ts';
import { createResults, type Found, getPageAfter } from '../../data/search/results.ts';
import { createPersonalStore } from '../../base/store.ts';
import { getAspectRatio } from '../../parts/grid/thumbhash.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import type { TrashItems } from '../../data/types.ts';
import { t } from '../../base/i18n.ts';

/** In which order the trash is seen, and which part of it; the words of the API's own query. */
export type TrashView = {
  sort: (typeof SORTS)[number]['sort'];
  type: '' | 'IMAGE' | 'VIDEO' | 'AUDIO';
  query: string;
};

export const SORTS = [
  { sort: 'taken-newest', label: t('Day taken') },
  { sort: 'trashed-newest', label: t('Deleted most recently') },
  { sort: 'trashed-oldest', label: t('Deleted longest ago') },
  { sort: 'largest', label: t('Largest first') },
  { sort: 'name', label: t('Name') },
] as const;

const PLAIN: TrashView = { sort: 'taken-newest', type: '', query: '' };
/** Stays while the person looks at other pages. */
export const trashView = createPersonalStore<TrashView>(PLAIN);

/** All of it by the day: then it is a timeline with months. */
export const isByDay = ({ sort, type, query }: TrashView): boolean =>
  sort === PLAIN.sort && !type && !query.trim();

export function createTrashList({ sort, type, query }: TrashView, ownerId: string): Timeline {
  return createResults(
    ['trash', sort, type, query.trim()],
    async (page, size) => {
      const wanted = { sort, size, ...(type && { type }), ...(page && { page: Number(page) }) };
      const words = query.trim();
      const path = '/trash/items';
      const found = await get<TrashItems>(path, { ...wanted, ...(words && { query: words }) });
      return {
        items: found.items.map((item) => toFound(item, ownerId)),
        next: found.hasNextPage ? getPageAfter(page, size) : undefined,
      };
    },
    { isTrashed: true },
  );
}

const toFound = (item: TrashItems['items'][number], ownerId: string): Found => ({
  ...item,
  ownerId,
  width: getAspectRatio(item.thumbhash),
  height: 1,
  isFavorite: false,
  isTrashed: true,
  visibility: item.isLocked ? 'locked' : 'timeline',
  createdAt: item.trashedAt,
  // Only to name the day; where it was taken is not told here.
  localDateTime: item.fileCreatedAt,
});
