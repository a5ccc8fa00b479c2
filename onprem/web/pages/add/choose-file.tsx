import { Anchor, FileButton } from '@mantine/core'
import { formatBytes } from '../../../../shared/web/format.ts'
import { maxPastedBytes, type Pasted } from './recognized-query.ts'

type ChooseFileProps = { onChoose: (pasted: Pasted) => void; onProblem: (problem: string) => void }

/** Chooses a manifest or lock file. */
export const ChooseFile = (props: ChooseFileProps) => (
  <FileButton onChange={(file) => void readFile(file, props)}>
    {(button) => (
      <Anchor component="button" type="button" size="sm" {...button}>
        Choose a file such as package.json
      </Anchor>
    )}
  </FileButton>
)

/** Reads a chosen or dropped file. */
export async function readFile(file: File | null | undefined, { onChoose, onProblem }: ChooseFileProps): Promise<void> {
  if (!file) return
  if (file.size > maxPastedBytes)
    return onProblem(`${file.name} has ${formatBytes(file.size)}. A file may have ${formatBytes(maxPastedBytes)}.`)
  const text = await file.text()
  if (text.trim() === '') return onProblem(`${file.name} is empty.`)
  onChoose({ text, fileName: file.name.slice(-300) })
}
