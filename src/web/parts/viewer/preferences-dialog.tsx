import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { changePreferences, LIVE_MODES, type LiveMode, viewerPreferences } from './preferences.ts';

const MODE_NAMES: Record<LiveMode, string> = {
  auto: t('Automatically'),
  hover: t('Under the pointer'),
  off: t('Only when pressed'),
};

/** How this device shows photos; each choice holds at once. */
export function PreferencesDialog({ onClose }: { onClose: () => void }) {
  const { livePhotos, isFullSize } = useStore(viewerPreferences);
  return (
    <Dialog title={t('Viewer settings')} onClose={onClose}>
      <div className="field">
        <label htmlFor="live-photos">{t('Play live photos')}</label>
        <select
          id="live-photos"
          value={livePhotos}
          onChange={(event) =>
            changePreferences({
              livePhotos: LIVE_MODES.find((mode) => mode === event.target.value) ?? 'hover',
            })
          }
        >
          {LIVE_MODES.map((mode) => (
            <option key={mode} value={mode}>
              {MODE_NAMES[mode]}
            </option>
          ))}
        </select>
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={isFullSize}
          onChange={(event) => changePreferences({ isFullSize: event.target.checked })}
        />{' '}
        {t('Always load photos in full size')}
      </label>
      <p className="muted">
        {t('Otherwise they are loaded when you zoom in, which is faster on slow connections.')}
      </p>
      <div className="dialog-actions">
        <button className="button primary" onClick={onClose}>
          {t('Done')}
        </button>
      </div>
    </Dialog>
  );
}
