import 'yet-another-react-lightbox/styles.css';
import './styles/base.css';
import './styles/elements.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { parseGuestPath, startVisit } from './guest/guest.ts';
import { queryClient } from './query-client.ts';
import { startSession } from './session/session.ts';
import { applyTheme } from './theme.ts';
import { trackUserInput } from './user-input.ts';

applyTheme();
trackUserInput();
const guest = parseGuestPath(location.pathname);
void (guest ? startVisit(guest) : startSession());
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <App guest={guest} />
    </QueryClientProvider>,
  );
}
