/** Requests a worker for a job, after the pause. The stored job is authoritative: a lost message is sent again. */
export type JobQueue = { send(key: string, pauseMs?: number): Promise<void> }
