import encodeQR from 'qr';
import styles from './setup.module.css';

/** Light modules around the code, which readers need (ISO/IEC 18004). */
const QUIET = 4;

/** Dark on light in both themes: not every reader knows it inverted. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET });
  const path = modules.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      className={styles.code}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${modules.length} ${modules.length}`}
      shapeRendering="crispEdges"
    >
      <path d={path.join('')} />
    </svg>
  );
}
