import { useQuery } from '@tanstack/react-query';
import { Eye, Undo2 } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { UNADJUSTED } from '../../../media/adjustments.ts';
import { ApiError, getMessage } from '../../base/api.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import type { Asset } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { IconButton } from '../../ui/elements.tsx';
import { NO_EDITS, type PictureState, saveState } from '../../data/edits/edit-data.ts';
import { type Change, EditPanel, turnState } from './edit-panel.tsx';
import { EditStage } from './edit-stage.tsx';
import { isWhole } from './geometry.ts';
import { useUneditedImage } from './picture-canvas.tsx';
import { editsQuery } from '../../data/edits/queries.ts';
import { getTabId, PANEL_ID, type Tab, TabList } from './tab-list.tsx';
import { useEditKeys } from './use-edit-keys.ts';
import styles from './edits.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  asset: Asset;
  onClose: () => void;
  /** The server is making another picture. */
  onEdited: () => Promise<void>;
};

/** Cuts, turns, straightens and adjusts a photo; the file stays as it is, and all can be undone at any time. */
export function EditDialog({ asset, onClose, onEdited }: Props) {
  const { image, hasFailed } = useUneditedImage(asset.id);
  const { data: saved, error: loadError } = useQuery(editsQuery(asset.id));
  const [draft, setDraft] = useState<Change>({});
  const [tab, setTab] = useState<Tab>('crop');
  const [isComparing, setComparing] = useState(false);
  const { save, isBusy, error } = useSaving(asset.id, onClose, onEdited);
  const state = saved && { ...saved, ...draft };

  const change = (next: Change) => setDraft((old) => ({ ...old, ...next }));
  useEditKeys({ onCompare: setComparing, onTurn: (by) => state && change(turnState(state, by)) });

  return (
    <Dialog title={t('Edit')} onClose={onClose} isWide>
      <div className={styles.editor}>
        <div className={styles.stageColumn}>
          {state && image ? (
            <EditStage
              image={image}
              state={state}
              isCropping={tab === 'crop'}
              isOriginal={isComparing}
              onChange={change}
            />
          ) : (
            <div className={styles.editStage} aria-busy={!hasFailed} />
          )}
        </div>
        <div className={styles.toolColumn}>
          <TabList selected={tab} onSelect={setTab} />
          <div
            id={PANEL_ID}
            className={styles.panel}
            role="tabpanel"
            aria-labelledby={getTabId(tab)}
          >
            {state && image && (
              <EditPanel tab={tab} image={image} state={state} onChange={change} />
            )}
          </div>
          <p className="form-error" role="alert">
            {error ?? loadError?.message ?? (hasFailed && t('The photo could not be loaded.'))}
          </p>
          <div className={`dialog-actions ${styles.editActions}`}>
            <CompareButton isOn={isComparing} onHold={setComparing} />
            <IconButton
              icon={Undo2}
              label={t('Reset to original')}
              onClick={() => setDraft({ edits: NO_EDITS, adjustments: UNADJUSTED })}
            />
            <span className={styles.space} />
            <button className="button" onClick={onClose}>
              {t('Cancel')}
            </button>
            <button
              className="button primary"
              disabled={!state || isBusy}
              onClick={() => saved && state && void save(saved, state)}
            >
              {isBusy ? t('One moment …') : t('Save')}
            </button>
          </div>
        </div>
      </div>
    </Dialog>
  );
}

/** Shows the original while it is held, by a finger or by a key. */
function CompareButton({ isOn, onHold }: { isOn: boolean; onHold: (isHeld: boolean) => void }) {
  const onKey = (event: KeyboardEvent, isHeld: boolean) => {
    if (event.key !== ' ' && event.key !== 'Enter') return;
    event.preventDefault();
    onHold(isHeld);
  };
  return (
    <IconButton
      icon={Eye}
      label={t('Hold to see the original')}
      aria-keyshortcuts="O"
      aria-pressed={isOn}
      className={styles.compare}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        onHold(true);
      }}
      onPointerUp={() => onHold(false)}
      onPointerCancel={() => onHold(false)}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => onKey(event, true)}
      onKeyUp={(event) => onKey(event, false)}
      onBlur={() => onHold(false)}
    />
  );
}

/** A crop of the whole picture is none. */
const tidy = (state: PictureState): PictureState => {
  const { cut } = state.edits;
  const edits = { ...state.edits, cut: cut && !isWhole(cut) ? cut : undefined };
  return { ...state, edits };
};

function useSaving(id: string, onClose: () => void, onEdited: () => Promise<void>) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const save = async (before: PictureState, state: PictureState) => {
    setBusy(true);
    setError(undefined);
    try {
      const { revision } = await saveState(id, tidy(state));
      onClose();
      await onEdited();
      showUndo(t('Saved'), () =>
        attempt(async () => {
          await saveState(id, { ...before, revision });
          await onEdited();
        }),
      );
    } catch (problem) {
      const isStale = problem instanceof ApiError && problem.code === 'stale_revision';
      setError(
        isStale
          ? t('This photo was edited elsewhere meanwhile. Close the editor and open it again.')
          : getMessage(problem),
      );
      setBusy(false);
    }
  };
  return { save, isBusy, error };
}
