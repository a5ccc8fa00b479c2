import { diskStream } from '../../../functions/local/disk-stream.ts'
import { usageEvent } from '../../fixtures/usage.ts'

/** Run as a program: puts events on the stream at the given path for ever, and writes the id of each that is said to be on it. */
const stream = diskStream(process.argv[2] ?? '')
const signal = new AbortController().signal
for (;;) {
  const event = usageEvent()
  await stream.put(event, signal)
  process.stdout.write(`${event.id}\n`)
  await new Promise(setImmediate)
}
