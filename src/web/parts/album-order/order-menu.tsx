import { useQuery } from '@tanstack/react-query';
import { ArrowDownWideNarrow, ArrowUpDown, ArrowUpNarrowWide, Check, Hand } from 'lucide-react';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Album } from '../../data/types.ts';
import { Menu } from '../../ui/menu.tsx';
import { albumOrderQuery, setOrder } from '../../data/album-order/queries.ts';

const ORDERS = [
  { order: 'desc', icon: ArrowDownWideNarrow, label: t('Newest first') },
  { order: 'asc', icon: ArrowUpNarrowWide, label: t('Oldest first') },
  { order: 'custom', icon: Hand, label: t('Manual') },
] as const;

/** Chooses whether an album is shown by date, in either direction, or by hand, for all who see it. */
export function OrderMenu({ album }: { album: Album }) {
  const { data } = useQuery(albumOrderQuery(album.id));
  const now = data?.order ?? album.order ?? 'desc';
  return (
    <Menu
      icon={ArrowUpDown}
      label={t('Order of the photos')}
      entries={ORDERS.map(({ order, icon, label }) => ({
        icon: order === now ? Check : icon,
        label,
        run: () => void attempt(() => setOrder(album.id, order)),
      }))}
    />
  );
}
