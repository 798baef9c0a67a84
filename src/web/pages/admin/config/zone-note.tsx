import { useQuery } from '@tanstack/react-query';
import { t } from '../../../base/i18n.ts';
import { machineQuery } from '../../../data/admin/queries.ts';
import { describeZone, isOwnTime } from '../../../data/admin/zone-data.ts';

/** Nothing where the clock of the server is that of the reader. */
export function ZoneNote() {
  const { data: machine } = useQuery(machineQuery());
  if (!machine || isOwnTime(machine)) return null;
  const zone = describeZone(machine.timeZone);
  return (
    <p className="muted">{t('Times are in the time zone of the server, {zone}.', { zone })}</p>
  );
}
