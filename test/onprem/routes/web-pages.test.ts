import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { webPages } from '../../../onprem/routes/web-pages.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

test('a web UI that is not built yet is no concern of commands, which request no page', () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => printed.mockRestore())
  webPages({ webFiles: join(tempDir(), 'dist'), publicUrl: undefined, hasPublicPassword: () => false })
  expect(printed).not.toHaveBeenCalled()
})
