import { Copy } from 'lucide-react';
import { showToast } from './toast.tsx';
import styles from './copy-field.module.css';
import { t } from '../base/i18n.ts';

type Props = { value: string; label: string; action?: string };

/** A text to take along. Without HTTPS there is no clipboard for scripts: a click selects it then. */
export function CopyField({ value, label, action = t('Copy') }: Props) {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  return (
    <div className={styles.copyField}>
      <input
        className="secret"
        readOnly
        value={value}
        aria-label={label}
        onFocus={(event) => event.target.select()}
      />
      {clipboard && (
        <button
          type="button"
          className="button"
          onClick={() =>
            void clipboard.writeText(value).then(
              () => showToast(t('Copied'), 'success'),
              () => showToast(t('Please copy it by hand.')),
            )
          }
        >
          <Copy size={16} aria-hidden /> {action}
        </button>
      )}
    </div>
  );
}
