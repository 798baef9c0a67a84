import { attempt, showUndo } from '../../ui/toast.tsx';
import type { Partner } from '../../data/types.ts';
import { changePartner } from '../../data/settings/partner-changes.ts';
import { t } from '../../base/i18n.ts';

/** Whether the photos of a partner are on the own timeline too. */
export function InTimelineBox({ partner: { id, name, inTimeline = false } }: { partner: Partner }) {
  const change = async (isShown: boolean) => {
    const isDone = await attempt(() => changePartner('shared-with', id, { inTimeline: isShown }));
    if (!isDone) return;
    const text = isShown
      ? t('Photos of {name} are on your timeline', { name })
      : t('Photos of {name} are off your timeline', { name });
    showUndo(text, () => attempt(() => changePartner('shared-with', id, { inTimeline: !isShown })));
  };
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={inTimeline}
        aria-label={t('Show photos of {name} on my timeline', { name })}
        onChange={(event) => void change(event.target.checked)}
      />{' '}
      {t('on my timeline')}
    </label>
  );
}
