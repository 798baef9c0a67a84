import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { Dialog } from '../../ui/dialog.tsx';
import { MatchLink } from './match-link.tsx';
import { type MomentMatch, TIME_PARAM, toSeconds } from '../../data/moments/moment-data.ts';
import { similarFramesQuery } from '../../data/moments/queries.ts';
import styles from './moments.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  assetId: string;
  frameId: string;
  onSeek: (timeMs: number) => void;
  onClose: () => void;
};

/** Scenes that look like this one: of other videos first. */
export function SimilarDialog({ assetId, frameId, onSeek, onClose }: Props) {
  const { data, error } = useQuery(similarFramesQuery(frameId));
  const [, navigate] = useLocation();
  const isOther = (match: MomentMatch) => match.assetId !== assetId;
  const items = data && [
    ...data.items.filter(isOther),
    ...data.items.filter((one) => !isOther(one)),
  ];
  const open = (match: MomentMatch) => {
    onClose();
    if (isOther(match)) navigate(toPath(match));
    else onSeek(match.timeMs);
  };
  return (
    <Dialog title={t('Similar scenes')} onClose={onClose} isWide>
      {error && <p role="alert">{error.message}</p>}
      {items?.length === 0 && (
        <p className="muted">{t('No scene of your videos looks like this one.')}</p>
      )}
      <ul className={styles.matches}>
        {items?.map((match) => (
          <li key={match.frameId ?? match.momentId}>
            <MatchLink
              match={match}
              href={toPath(match)}
              note={isOther(match) ? undefined : t('This video')}
              onOpen={() => open(match)}
            />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

const toPath = ({ assetId, timeMs }: MomentMatch): string =>
  `/photos/${assetId}?${TIME_PARAM}=${toSeconds(timeMs)}`;
