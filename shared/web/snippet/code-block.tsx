import { Suspense } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { lazyPart } from '../lazy-part.ts'
import styles from './snippet-markdown.module.css'

const Highlighted = lazyPart(async () => ({ default: (await import('./highlighted.tsx')).Highlighted }))

/** Code with a copy button. Colours appear when the highlighter has loaded. */
export const CodeBlock = ({ code, language }: { code: string; language?: string | undefined }) => (
  <div className={styles.code}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls */}
    <pre tabIndex={0}>
      <code dir="ltr">
        <Suspense fallback={code}>
          <Highlighted code={code} language={language} />
        </Suspense>
      </code>
    </pre>
    <span className={styles.copy}>
      <CopyButton value={code} label="the code" />
    </span>
  </div>
)
