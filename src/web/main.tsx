import 'yet-another-react-lightbox/styles.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/shell.css';
import './styles/timeline.css';
import './styles/scrubber.css';
import './styles/viewer.css';
import './styles/uploads.css';
import './styles/pages.css';
import './styles/albums.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startSession } from './session/session.ts';
import { applyTheme } from './theme.ts';

applyTheme();
void startSession();
const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
