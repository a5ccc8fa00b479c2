/** The words of napi, of Tokio and of Rust. "panic" alone may be in the path of a file. */
const panics = /Panic in async function|panic from Rust code|PanicException|\btask (?:\S+ )?panicked\b|\bpanicked at \S+:\d+/

/** Whether an error is a panic that LanceDB caught: it may have written beyond its memory before. */
export const isLancePanic = (error: unknown): boolean => panics.test(String(error))
