import { type ReactNode, useId } from 'react';
import { t } from '../../../base/i18n.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { canFullscreen } from '../../video/fullscreen.ts';
import { type Order, ORDERS } from './sequence.ts';
import {
  INTERVALS,
  ORDER_NAMES,
  type SlideshowSettings,
  type Transition,
  TRANSITION_NAMES,
  TRANSITIONS,
} from './settings.ts';

type Props = {
  settings: SlideshowSettings;
  onChange: (settings: SlideshowSettings) => void;
  onClose: () => void;
};

/** Settings of the slideshow on this device; each holds at once. */
export function SettingsDialog({ settings, onChange, onClose }: Props) {
  const change = (next: Partial<SlideshowSettings>) => onChange({ ...settings, ...next });
  return (
    <Dialog title={t('Slideshow settings')} onClose={onClose}>
      <Select
        label={t('Show each photo for')}
        value={String(settings.seconds)}
        onChange={(seconds) => change({ seconds: Number(seconds) })}
        options={INTERVALS.map((seconds) => [
          String(seconds),
          t('{seconds, plural, one {# second} other {# seconds}}', { seconds }),
        ])}
      />
      <Select
        label={t('Order')}
        value={settings.order}
        onChange={(order) => change({ order: order as Order })}
        options={ORDERS.map((order) => [order, ORDER_NAMES[order]])}
      />
      <Select
        label={t('Transition')}
        value={settings.transition}
        onChange={(transition) => change({ transition: transition as Transition })}
        options={TRANSITIONS.map((one) => [one, TRANSITION_NAMES[one]])}
      />
      <Check isOn={settings.hasMotion} onChange={(hasMotion) => change({ hasMotion })}>
        {t('Zoom slowly while a photo is shown')}
      </Check>
      <Check isOn={settings.repeats} onChange={(repeats) => change({ repeats })}>
        {t('Start over at the end')}
      </Check>
      {canFullscreen() && (
        <Check isOn={settings.isFullscreen} onChange={(isFullscreen) => change({ isFullscreen })}>
          {t('Full screen')}
        </Check>
      )}
      <div className="dialog-actions">
        <button className="button primary" onClick={onClose}>
          {t('Done')}
        </button>
      </div>
    </Dialog>
  );
}

type SelectProps = {
  label: string;
  value: string;
  options: readonly (readonly [value: string, name: string])[];
  onChange: (value: string) => void;
};

function Select({ label, value, options, onChange }: SelectProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

type CheckProps = { isOn: boolean; onChange: (isOn: boolean) => void; children: ReactNode };

const Check = ({ isOn, onChange, children }: CheckProps) => (
  <label className="check">
    <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />{' '}
    {children}
  </label>
);
