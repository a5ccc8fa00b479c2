import { TimeAgo } from '../time-ago.tsx'

/** Times are ISO 8601. */
type CheckedLineProps = { lastCheckedAt?: string | undefined; nextCheckAt?: string | undefined; checkError?: string | undefined }

/** When a library was last compared with its source, when it is next, and why the last comparison failed. */
export function CheckedLine({ lastCheckedAt, nextCheckAt, checkError }: CheckedLineProps) {
  if (lastCheckedAt === undefined && checkError === undefined) return null
  return (
    <span>
      {lastCheckedAt !== undefined && (
        <>
          Checked <TimeAgo time={lastCheckedAt} />, {nextCheckAt === undefined ? 'no check planned' : nextCheck(nextCheckAt)}
        </>
      )}
      {checkError !== undefined && `${lastCheckedAt === undefined ? '' : '. '}The last check failed: ${checkError}`}
    </span>
  )
}

const nextCheck = (time: string) =>
  Date.parse(time) <= Date.now() ? (
    'next check is due'
  ) : (
    <>
      next check <TimeAgo time={time} />
    </>
  )
