import { z } from 'zod'

/** The object that Lambda writes to the S3 bucket for a batch that failed: `payload` is the event of the function, as text. */
const FailedBatch = z.object({ KinesisBatchInfo: z.object({}), payload: z.string() })
const Payload = z.object({ Records: z.array(z.object({ kinesis: z.object({ data: z.string() }) })).max(10_000) })

/**
 * Replaces each line that is a failed batch of Lambda by the events of the batch; other lines pass unchanged. The events are uncertain:
 * some items of the batch may have been written before it failed.
 */
export async function* expandFailedBatches(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) {
    const events = line.includes('"KinesisBatchInfo"') ? eventsOf(line) : undefined
    if (events === undefined) yield line
    else yield* events
  }
}

function eventsOf(line: string): string[] | undefined {
  try {
    const { payload } = FailedBatch.parse(JSON.parse(line))
    const { Records } = Payload.parse(JSON.parse(payload))
    return Records.map(({ kinesis }) =>
      JSON.stringify({ event: parsed(Buffer.from(kinesis.data, 'base64').toString()), uncertain: true }),
    )
  } catch {
    return undefined
  }
}

/** Text that is not JSON stays as it is and is reported as a problem of its line. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
