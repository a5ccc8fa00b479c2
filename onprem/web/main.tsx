import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '../../shared/web/fonts/fonts.css'
import '../../shared/web/mantine.css'
import '../../shared/web/theme.css'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { pageMeta } from './api/page-meta.ts'
import { Root } from './root.tsx'

// Mantine's dialogs add style elements, which need the nonce.
setNonce(pageMeta('nonce'))
createRoot(document.getElementById('root') as HTMLElement).render(<Root />)
