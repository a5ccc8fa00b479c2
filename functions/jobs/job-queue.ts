/** Has a job taken up by a worker, not sooner than after the pause. The job's record is the truth: a message that is lost is sent again. */
export type JobQueue = { send(key: string, pauseMs?: number): Promise<void> }
