import type { FieldsProps } from './dialog.tsx';
import styles from './dialog.module.css';
import { t } from '../../base/i18n.ts';

const KINDS = [
  ['keep', t('Keep')],
  ['set', t('Set date and time')],
  ['shift', t('Shift the date')],
  ['zone', t('Time zone only')],
  ['copy', t('Same as another photo')],
] as const;

export function DateFields({ draft, onChange }: FieldsProps) {
  return (
    <fieldset className={styles.part}>
      <legend>{t('Date')}</legend>
      <select
        aria-label={t('Date')}
        value={draft.date}
        onChange={(event) =>
          onChange({ date: KINDS.find(([kind]) => kind === event.target.value)?.[0] ?? 'keep' })
        }
      >
        {KINDS.map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </select>
      {draft.date === 'set' && <ClockFields draft={draft} onChange={onChange} />}
      {draft.date === 'shift' && <ShiftFields draft={draft} onChange={onChange} />}
      {draft.date === 'zone' && <ZoneFields draft={draft} onChange={onChange} />}
    </fieldset>
  );
}

function ClockFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <div className={styles.row}>
        <div className="field">
          <label htmlFor="metadata-day">{t('Day')}</label>
          <input
            id="metadata-day"
            type="date"
            value={draft.day}
            onChange={(event) => onChange({ day: event.target.value })}
          />
        </div>
        <div className="field">
          <label htmlFor="metadata-time">{t('Time')}</label>
          <input
            id="metadata-time"
            type="time"
            step={1}
            value={draft.time}
            onChange={(event) => onChange({ time: event.target.value })}
          />
        </div>
        <ZoneInput draft={draft} onChange={onChange} />
      </div>
      <p className="field-note">{t('Fields that you leave empty stay as they are.')}</p>
    </>
  );
}

const PARTS = [
  ['days', t('Days')],
  ['hours', t('Hours')],
  ['minutes', t('Minutes')],
] as const;

function ShiftFields({ draft, onChange }: FieldsProps) {
  return (
    <div className={styles.row}>
      {PARTS.map(([name, label]) => (
        <div key={name} className="field">
          <label htmlFor={`metadata-${name}`}>{label}</label>
          <input
            id={`metadata-${name}`}
            type="number"
            min={0}
            inputMode="numeric"
            placeholder="0"
            value={draft[name]}
            onChange={(event) => onChange({ [name]: event.target.value })}
          />
        </div>
      ))}
      <div className="field">
        <label htmlFor="metadata-direction">{t('Direction')}</label>
        <select
          id="metadata-direction"
          value={draft.isEarlier ? 'earlier' : 'later'}
          onChange={(event) => onChange({ isEarlier: event.target.value === 'earlier' })}
        >
          <option value="later">{t('Later')}</option>
          <option value="earlier">{t('Earlier')}</option>
        </select>
      </div>
    </div>
  );
}

function ZoneFields({ draft, onChange }: FieldsProps) {
  return (
    <div className={styles.row}>
      <ZoneInput draft={draft} onChange={onChange} />
      <div className="field">
        <label htmlFor="metadata-keeps">{t('What stays')}</label>
        <select
          id="metadata-keeps"
          value={draft.keeps}
          onChange={(event) =>
            onChange({ keeps: event.target.value === 'clock' ? 'clock' : 'instant' })
          }
        >
          <option value="instant">{t('The moment; the clock changes')}</option>
          <option value="clock">{t('The clock; the moment changes')}</option>
        </select>
      </div>
    </div>
  );
}

function ZoneInput({ draft, onChange }: FieldsProps) {
  return (
    <div className="field">
      <label htmlFor="metadata-zone">{t('Time zone')}</label>
      <input
        id="metadata-zone"
        list="metadata-zones"
        placeholder={t('such as Europe/Lisbon or +02:00')}
        autoComplete="off"
        value={draft.timeZone}
        onChange={(event) => onChange({ timeZone: event.target.value })}
      />
      <datalist id="metadata-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  );
}
