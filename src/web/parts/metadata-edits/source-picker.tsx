import { getPictureUrl } from '../../base/pictures.ts';
import type { FieldsProps } from './dialog.tsx';
import styles from './dialog.module.css';
import { t } from '../../base/i18n.ts';

type Props = FieldsProps & {
  ids: readonly string[];
  copied: { id: string; name: string } | undefined;
};

const SHOWN = 12;

/** The photo that was copied last, and the first of those that are selected. */
export function SourcePicker({ ids, copied, draft, onChange }: Props) {
  const selected = ids.length > 1 ? ids.slice(0, SHOWN) : [];
  const sources = [
    ...(copied ? [{ id: copied.id, label: copied.name }] : []),
    ...selected
      .filter((id) => id !== copied?.id)
      .map((id, at) => ({ id, label: t('Selected item {number}', { number: at + 1 }) })),
  ];
  if (sources.length === 0) {
    return (
      <p className="field-note">
        {t('Open the information of the other photo and choose “Copy date and place” there.')}
      </p>
    );
  }
  return (
    <fieldset className={styles.part}>
      <legend>{t('Copy from')}</legend>
      <div className={styles.sources}>
        {sources.map(({ id, label }) => (
          <label key={id} className={styles.source} title={label}>
            <input
              type="radio"
              name="metadata-source"
              aria-label={label}
              checked={draft.source === id}
              onChange={() => onChange({ source: id })}
            />
            <img src={getPictureUrl(id, 'thumbnail')} alt="" draggable={false} />
          </label>
        ))}
      </div>
    </fieldset>
  );
}
