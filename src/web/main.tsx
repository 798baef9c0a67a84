import './styles/base.css';
import './styles/elements.css';
import { startLanguage } from './base/i18n.ts';
import { showLayout } from './base/first-paint.ts';
import { parseGuestPath } from './base/guest-path.ts';
import { applyTheme } from './base/theme.ts';

// The language is settled before the rest runs, which has texts in constants.
applyTheme();
if (!parseGuestPath(location.pathname)) showLayout();
void startLanguage().then(() => import('./start.tsx'));
