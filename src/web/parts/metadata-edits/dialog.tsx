import { useState } from 'react';
import { ApiError, getMessage } from '../../base/api.ts';
import { useStore } from '../../base/store.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { type Draft, EMPTY, findFieldError, toChange } from '../../data/metadata-edits/change.ts';
import { DateFields } from './date-fields.tsx';
import { changeMetadata, copiedPhoto } from '../../data/metadata-edits/edit-data.ts';
import { PlaceFields } from './place-fields.tsx';
import { PreviewList, usePreview } from './preview.tsx';
import { SourcePicker } from './source-picker.tsx';
import styles from './dialog.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  /** Items of the account. */
  ids: readonly string[];
  /** Items of others that were chosen, too. */
  leftOut?: number;
  onClose: (isDone: boolean) => void;
};

export type FieldsProps = { draft: Draft; onChange: (change: Partial<Draft>) => void };

const PREVIEW_MS = 300;

/** Dates, places, ratings and descriptions of one item or of many. */
export function MetadataDialog({ ids, leftOut = 0, onClose }: Props) {
  const copied = useStore(copiedPhoto);
  const [draft, setDraft] = useState<Draft>({
    ...EMPTY,
    source: copied?.id ?? (ids.length > 1 ? ids[0] : undefined),
    withStacks: ids.length > 1,
  });
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const update = (change: Partial<Draft>) => {
    setError(undefined);
    setDraft((old) => ({ ...old, ...change }));
  };
  const change = toChange(draft);
  const preview = usePreview(ids, useDebounced(change, PREVIEW_MS));
  const refusal = error ?? (change && preview.error ? toText(preview.error) : undefined);

  const save = async () => {
    if (!change) return;
    setBusy(true);
    try {
      await changeMetadata(ids, change);
      onClose(true);
    } catch (problem) {
      setError(toText(problem));
      setBusy(false);
    }
  };
  const isCopying = draft.date === 'copy' || draft.place === 'copy';
  return (
    <Dialog title={t('Edit date and place')} onClose={() => onClose(false)} isWide>
      <p className="muted">
        {t('{count, plural, one {# item} other {# items}} selected', { count: ids.length })}
        {leftOut > 0 &&
          ` · ${t('{leftOut, plural, one {# item of someone else is left out} other {# items of others are left out}}', { leftOut })}`}
      </p>
      <form
        className={`form ${styles.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <DateFields draft={draft} onChange={update} />
        <PlaceFields draft={draft} onChange={update} />
        {isCopying && <SourcePicker ids={ids} copied={copied} draft={draft} onChange={update} />}
        <TextFields draft={draft} onChange={update} />
        {(preview.data?.stacked ?? 0) > 0 && (
          <label className="check">
            <input
              type="checkbox"
              checked={draft.withStacks}
              onChange={(event) => update({ withStacks: event.target.checked })}
            />
            {t('Date and place of the other items in their stacks, too')}
          </label>
        )}
        {change && !refusal && <PreviewList data={preview.data} total={ids.length} />}
        <p className="form-error" role="alert">
          {refusal}
        </p>
        <p className="field-note">
          {t('Saved in the library. The original files stay as they are.')}
        </p>
        <div className="form-actions">
          <button className="button" type="button" onClick={() => onClose(false)}>
            {t('Cancel')}
          </button>
          <button
            className="button primary"
            type="submit"
            disabled={!change || isBusy || refusal !== undefined}
          >
            {isBusy ? t('One moment …') : t('Save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const toText = (problem: unknown): string =>
  (problem instanceof ApiError ? findFieldError(problem.fields) : undefined) ?? getMessage(problem);

function TextFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <div className="field">
        <label htmlFor="metadata-rating">{t('Rating')}</label>
        <select
          id="metadata-rating"
          value={draft.rating}
          onChange={(event) => onChange({ rating: event.target.value })}
        >
          <option value="">{t('Keep')}</option>
          <option value="0">{t('Remove the rating')}</option>
          {[1, 2, 3, 4, 5].map((stars) => (
            <option key={stars} value={stars}>
              {t('{stars, plural, one {# star} other {# stars}}', { stars })}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label className="check">
          <input
            type="checkbox"
            checked={draft.isDescribed}
            onChange={(event) => onChange({ isDescribed: event.target.checked })}
          />
          {t('Replace the description')}
        </label>
        {draft.isDescribed && (
          <textarea
            aria-label={t('Description')}
            rows={2}
            value={draft.description}
            onChange={(event) => onChange({ description: event.target.value })}
          />
        )}
      </div>
    </>
  );
}
