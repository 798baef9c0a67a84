import './styles/base.css';
import './styles/elements.css';
import { startLanguage } from './base/i18n.ts';
import { showLayout } from './base/first-paint.ts';
import { applyTheme } from './base/theme.ts';

// The language is settled before the rest runs, which has texts in constants.
applyTheme();
if (!/^\/(?:share|s)\//.test(location.pathname)) showLayout();
void startLanguage().then(() => import('./start.tsx'));
