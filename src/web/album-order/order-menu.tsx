import { useQuery } from '@tanstack/react-query';
import { ArrowUpDown, CalendarDays, Check, Hand } from 'lucide-react';
import { t } from '../i18n.ts';
import { attempt } from '../toast.tsx';
import type { Album } from '../types.ts';
import { Menu } from '../ui/menu.tsx';
import { albumOrderQuery, setOrder } from './queries.ts';

/** Chooses whether an album is shown by date or by hand, for all who see it. */
export function OrderMenu({ album }: { album: Album }) {
  const { data } = useQuery(albumOrderQuery(album.id));
  const isByHand = data?.order === 'custom';
  const set = (order: 'asc' | 'desc' | 'custom') => void attempt(() => setOrder(album.id, order));
  return (
    <Menu
      icon={ArrowUpDown}
      label={t('Order of the photos')}
      entries={[
        {
          icon: isByHand ? CalendarDays : Check,
          label: t('By date'),
          run: () => set(album.order ?? 'desc'),
        },
        { icon: isByHand ? Check : Hand, label: t('By hand'), run: () => set('custom') },
      ]}
    />
  );
}
