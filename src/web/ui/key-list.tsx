import { Fragment } from 'react';
import { Dialog } from './dialog.tsx';
import { listKeyGroups } from './keys.ts';
import styles from './key-list.module.css';
import { t } from '../base/i18n.ts';

/** The keys that work where the list was opened. */
export function KeyList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose} isWide>
      {listKeyGroups().map(({ title, bindings }) => (
        <section key={title} className={styles.group} aria-label={title}>
          <h3>{title}</h3>
          <dl>
            {bindings.map(({ label, keys }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  {keys.map((key, at) => (
                    <Fragment key={key}>
                      {at > 0 && <span className="muted"> / </span>}
                      <Keys name={key} />
                    </Fragment>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

const Keys = ({ name }: { name: string }) =>
  name.split(' ').map((chord) => (
    <span key={chord} className={styles.chord}>
      {(chord === '+' ? ['+'] : chord.split('+')).map((key) => (
        <kbd key={key}>{NAMES[key] ?? key.toUpperCase()}</kbd>
      ))}
    </span>
  ));

/** As they are printed on keyboards. */
const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Ctrl: t('Ctrl'),
  Delete: t('Del'),
  End: t('End'),
  Enter: t('Enter'),
  Escape: t('Esc'),
  Home: t('Home'),
  PageDown: t('PgDn'),
  PageUp: t('PgUp'),
  Shift: t('Shift'),
  Space: t('Space'),
};
