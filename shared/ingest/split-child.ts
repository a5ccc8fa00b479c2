import { type SplitTask, splitFile } from './split-file.ts'

process.on('message', async (task: SplitTask) => {
  const result = await splitFile(task)
  process.send?.(result, () => process.exit(0))
})
