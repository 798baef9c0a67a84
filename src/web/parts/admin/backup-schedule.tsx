import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { showToast } from '../../ui/toast.tsx';
import type { Config } from '../../data/types.ts';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { formatWeekday } from '../../base/format.ts';
import {
  changeKind,
  parseSchedule,
  type Schedule,
  toCronExpression,
} from '../../data/admin/backup-schedule-data.ts';
import { configQuery, saveChanges } from '../../data/admin/config/queries.ts';
import { machineQuery } from '../../data/admin/queries.ts';
import { describeZone, isOwnTime, toOwnTime } from '../../data/admin/zone-data.ts';
import styles from './admin.module.css';
import { t } from '../../base/i18n.ts';

/** When the database is backed up, and how many backups are kept. */
export function BackupSchedule() {
  const { data } = useQuery(configQuery());
  if (!data) return null;
  return <ScheduleForm {...data.backup.database} />;
}

function ScheduleForm(saved: Config['backup']['database']) {
  const [schedule, setSchedule] = useState(() => parseSchedule(saved.cronExpression));
  const [isEnabled, setEnabled] = useState(saved.enabled);
  const form = useForm(async (values) => {
    await saveChanges('/admin/config', {
      'backup.database.enabled': isEnabled,
      'backup.database.cronExpression': toCronExpression(schedule),
      'backup.database.keepLastAmount': Number(values[KEPT] ?? saved.keepLastAmount),
    });
    showToast(t('Saved'), 'success');
  });
  return (
    <Form state={form} action={t('Save')}>
      <label className="check">
        <input
          type="checkbox"
          checked={isEnabled}
          onChange={({ target }) => setEnabled(target.checked)}
        />{' '}
        {t('Back up the database automatically')}
      </label>
      {isEnabled && (
        <>
          <ScheduleFields schedule={schedule} error={form.fields[CRON]} onChange={setSchedule} />
          <Field
            className={styles.kept}
            label={t('Backups to keep')}
            name={KEPT}
            type="number"
            min={1}
            required
            defaultValue={saved.keepLastAmount}
            error={form.fields[KEPT]}
          />
        </>
      )}
    </Form>
  );
}

const CRON = 'backup.database.cronExpression';
const KEPT = 'backup.database.keepLastAmount';
const WEEK = [1, 2, 3, 4, 5, 6, 0];

type Props = {
  schedule: Schedule;
  error: string | undefined;
  onChange: (schedule: Schedule) => void;
};

function ScheduleFields({ schedule, error, onChange }: Props) {
  const id = useId();
  const { data: machine } = useQuery(machineQuery());
  const timeZone = machine?.timeZone ?? '';
  const isForeign = machine !== undefined && !isOwnTime({ timeZone });
  const zone = describeZone(timeZone);
  return (
    <>
      <div className={styles.schedule}>
        <div className="field">
          <label htmlFor={`${id}-kind`}>{t('How often')}</label>
          <select
            id={`${id}-kind`}
            value={schedule.kind}
            onChange={({ target }) => onChange(changeKind(schedule, target.value))}
          >
            <option value="daily">{t('Each day')}</option>
            <option value="weekly">{t('Each week')}</option>
            <option value="cron">{t('As a cron expression')}</option>
          </select>
        </div>
        {schedule.kind === 'weekly' && (
          <div className="field">
            <label htmlFor={`${id}-weekday`}>{t('Weekday')}</label>
            <select
              id={`${id}-weekday`}
              value={schedule.weekday}
              onChange={({ target }) => onChange({ ...schedule, weekday: Number(target.value) })}
            >
              {WEEK.map((weekday) => (
                <option key={weekday} value={weekday}>
                  {formatWeekday(weekday)}
                </option>
              ))}
            </select>
          </div>
        )}
        {schedule.kind !== 'cron' && (
          <Field
            label={t('Time')}
            name={CRON}
            type="time"
            required
            value={schedule.time}
            onChange={({ target }) => onChange({ ...schedule, time: target.value })}
          />
        )}
      </div>
      {schedule.kind !== 'cron' && isForeign && (
        <p className="field-note">
          {t('In the time zone of the server, {zone}. For you it is {time}.', {
            zone,
            time: toOwnTime(schedule.time, { timeZone }),
          })}
        </p>
      )}
      {schedule.kind === 'cron' && (
        <Field
          label={t('Cron expression')}
          name={CRON}
          required
          value={schedule.expression}
          hint={[
            t('As a cron expression: 0 02 * * * is each day at 2.'),
            isForeign && t('Times are in the time zone of the server, {zone}.', { zone }),
          ]
            .filter(Boolean)
            .join(' ')}
          error={error}
          onChange={({ target }) => onChange({ kind: 'cron', expression: target.value })}
        />
      )}
    </>
  );
}
