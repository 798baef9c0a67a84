import { useEffect, useState } from 'react';
import { formatBytes } from '../../base/format.ts';
import { getIntlTags, t } from '../../base/i18n.ts';
import { countBytes, uploads } from '../../data/uploads/items.ts';
import { createSpeedometer } from '../../data/uploads/speed.ts';
import styles from './uploads.module.css';

const EVERY_MS = 1000;

/** How fast files are sent, and how long the rest takes. Empty until that is known. */
export function ProgressNote() {
  const [note, setNote] = useState('');
  useEffect(() => {
    const speedometer = createSpeedometer();
    const measure = () => {
      const { sent, left } = countBytes(uploads.get().items);
      speedometer.add(sent, performance.now());
      setNote(describeProgress(speedometer.get(), left));
    };
    measure();
    const timer = setInterval(measure, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return <p className={styles.uploadsSpeed}>{note}</p>;
}

/** Returns '' while the speed in bytes per second is unknown or nothing is sent. */
export function describeProgress(speed: number | undefined, leftBytes: number): string {
  if (!speed) return '';
  const time = formatRemaining(leftBytes / speed);
  return t('{speed}/s · {time} left', { speed: formatBytes(speed), time });
}

/** Rounds seconds to a unit that a person would say. */
function formatRemaining(seconds: number): string {
  if (seconds < 55) return formatUnit(Math.max(5, Math.ceil(seconds / 5) * 5), 'second');
  if (seconds < 55 * 60) return formatUnit(Math.ceil(seconds / 60), 'minute');
  return formatUnit(Math.ceil(seconds / 360) / 10, 'hour');
}

const formatUnit = (value: number, unit: string): string =>
  value.toLocaleString(getIntlTags(), { style: 'unit', unit, unitDisplay: 'short' });
