import { Anchor, FileButton } from '@mantine/core'
import { decodeText } from '../../text/decode-text.ts'
import { formatBytes } from '../format.ts'
import type { Pasted } from './pasted.ts'

type ChooseFileProps = { maxBytes: number; onChoose: (pasted: Pasted) => void; onProblem: (problem: string) => void }

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

/** Lets an element take a dropped manifest or lock file. */
export const dropTarget = (props: ChooseFileProps) => ({
  onDragOver: (event: React.DragEvent) => event.preventDefault(),
  onDrop: (event: React.DragEvent) => {
    const [file] = event.dataTransfer.files
    if (!file) return
    event.preventDefault()
    void readFile(file, props)
  },
})

async function readFile(file: File | null, { maxBytes, onChoose, onProblem }: ChooseFileProps): Promise<void> {
  if (!file) return
  if (file.size > maxBytes)
    return onProblem(`${file.name} has ${formatBytes(file.size)}. A file may have ${formatBytes(maxBytes)}.`)
  const text = decodeText(new Uint8Array(await file.arrayBuffer()))
  if (text.trim() === '') return onProblem(`${file.name} is empty.`)
  onChoose({ text, fileName: file.name.slice(-300) })
}
