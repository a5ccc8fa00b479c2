/** The thin line below the header while jobs run. */
export const Work = () => null

/** The number of running jobs, red if one failed since the last visit of the queue. */
export const WorkBadge = () => null
